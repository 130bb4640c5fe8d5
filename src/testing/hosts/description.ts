import { existsSync, readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";

/*
 * The form of a request to GitHub. The host's own description decides where it is at hand; otherwise a small one
 * of ours, which has the calls that are used and nothing else.
 */

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: { readonly enum?: readonly unknown[]; readonly type?: string };
}

interface Operation {
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: Schema } } };
}

interface Schema {
  readonly [key: string]: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly parameters?: Readonly<Record<string, Parameter>>; readonly schemas?: object };
}

const OFFICIAL = new URL("../../../../shared/hosts/github-subset.json", import.meta.url);
const isOfficial = existsSync(OFFICIAL);

const string = { type: "string" };
const pages = [
  { name: "per_page", in: "query" },
  { name: "page", in: "query" },
] as const;
const body = (properties: Record<string, unknown>, required: readonly string[] = []) => ({
  requestBody: { content: { "application/json": { schema: { type: "object", properties, required } } } },
});
const R = "/repos/{owner}/{repo}";
const OWN: Description = {
  components: {},
  paths: {
    "/user": { get: {} },
    [R]: { get: {} },
    [`${R}/issues`]: {
      get: {
        parameters: [
          ...pages,
          { name: "labels", in: "query" },
          { name: "state", in: "query", schema: { enum: ["open", "closed", "all"] } },
        ],
      },
    },
    [`${R}/issues/{n}`]: { get: {} },
    [`${R}/issues/{n}/comments`]: { get: { parameters: pages }, post: body({ body: string }, ["body"]) },
    [`${R}/issues/comments/{id}`]: { patch: body({ body: string }, ["body"]) },
    [`${R}/collaborators/{user}/permission`]: { get: {} },
    [`${R}/pulls`]: {
      get: {
        parameters: [
          ...pages,
          { name: "head", in: "query" },
          { name: "state", in: "query", schema: { enum: ["open", "closed", "all"] } },
        ],
      },
      post: body({ title: string, body: string, head: string, base: string, draft: { type: "boolean" } }, [
        "head",
        "base",
      ]),
    },
    [`${R}/pulls/{n}`]: { get: {}, patch: body({ title: string, body: string }) },
    [`${R}/pulls/{n}/comments`]: { get: { parameters: pages } },
    [`${R}/pulls/{n}/comments/{id}/replies`]: { post: body({ body: string }, ["body"]) },
    [`${R}/commits/{ref}/check-runs`]: { get: { parameters: pages } },
    [`${R}/commits/{ref}/statuses`]: { get: { parameters: pages } },
    [`${R}/statuses/{sha}`]: {
      post: body(
        { state: { enum: ["error", "failure", "pending", "success"] }, context: string, description: string },
        ["state"],
      ),
    },
  },
};

const description: Description = isOfficial ? (JSON.parse(readFileSync(OFFICIAL, "utf8")) as Description) : OWN;
const ajv = new Ajv({ strict: false, validateFormats: false });
const compiled = new Map<Operation, ValidateFunction>();

/** Everything that is wrong with a request; empty when it is as described. */
export function problemsOf(method: string, path: string, query: URLSearchParams, given: unknown): string[] {
  const found = Object.entries(description.paths)
    .filter(([template]) => matches(template, path))
    // A path that is spelt out counts before one with a part that could be anything.
    .sort(([a], [b]) => a.split("{").length - b.split("{").length)
    .map(([, operations]) => operations[method.toLowerCase()])
    .find((each) => each !== undefined);
  if (found === undefined) return [`${method} ${path} is not an operation`];
  const parameters = (found.parameters ?? []).map((one) =>
    "$ref" in one ? (description.components.parameters?.[one.$ref.split("/").at(-1) ?? ""] as Parameter) : one,
  );
  const wrong = [...query].flatMap(([name, value]) => {
    const known = parameters.find((one) => one.in === "query" && one.name === name);
    if (known === undefined) return [`${path} has no parameter ${name}`];
    const { enum: values } = known.schema ?? {};
    return values === undefined || values.includes(value) ? [] : [`${name}=${value} is none of ${values.join(", ")}`];
  });
  const schema = found.requestBody?.content["application/json"].schema;
  if (schema === undefined) return given === null ? wrong : [...wrong, `${method} ${path} takes no body`];
  const unknown = Object.keys(given ?? {}).filter((name) => !(name in (schema.properties ?? {})));
  const validate =
    compiled.get(found) ?? ajv.compile(toJsonSchema({ ...schema, components: description.components }) as object);
  compiled.set(found, validate);
  const invalid = validate(given) ? [] : [ajv.errorsText(validate.errors)];
  return [...wrong, ...unknown.map((name) => `${path} takes no ${name}`), ...invalid];
}

function matches(template: string, path: string): boolean {
  const pattern = template.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{[^}]+\}/g, "[^/]+");
  return new RegExp(`^${pattern}$`).test(path);
}

/** `nullable` without a type is of an older kind of schema. */
function toJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toJsonSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  const { nullable, ...rest } = schema as Record<string, unknown>;
  const inner = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, toJsonSchema(value)]));
  return nullable === true && typeof rest["type"] === "string" ? { ...inner, type: [rest["type"], "null"] } : inner;
}
