import { type ASTNode, Environment, type ParseError, type TypeError } from "@marcbachmann/cel-js";
import { type FactSchema, type FactType, isList, isMap, isScalar } from "./fact-schema.js";
import { type ConditionProblem, problemAt } from "./problem.js";
import { NUMBER_SIZE, screen } from "./screen.js";

const MAX_SOURCE = 4_096;
const LIMITS = { maxAstNodes: 2_000, maxDepth: 64, maxListElements: 500, maxCallArguments: 8 };

type Parsed =
  | { readonly ok: true; readonly ast: ASTNode }
  | { readonly ok: false; readonly problems: readonly ConditionProblem[] };

/**
 * Contract: the returned function is total. A condition that it accepts is well-typed CEL for the schema, gives a
 * bool, and uses the allowed operators only. Throws at once for a schema that CEL cannot declare.
 */
export function createConditionParser(schema: FactSchema): (source: string) => Parsed {
  const environment = declare(schema);
  return (source) => {
    if (source.length > MAX_SOURCE) {
      return refuse(problemAt(source, 0, "cost", `the condition is longer than ${MAX_SOURCE} characters`));
    }
    try {
      const parsed = environment.parse(source);
      const problems = screen(source, parsed.ast);
      if (problems.length > 0) return { ok: false, problems };
      const checked = parsed.check();
      if (checked.error !== undefined) return refuse(describe(source, checked.error));
      if (checked.type === "bool") return { ok: true, ast: parsed.ast };
      const found = inAuthorsWords(checked.type ?? "nothing");
      return refuse(problemAt(source, parsed.ast.start, "type", `a condition must be a bool, this is ${found}`));
    } catch (error) {
      return refuse(describe(source, error as ParseError));
    }
  };
}

function refuse(problem: ConditionProblem): Parsed {
  return { ok: false, problems: [problem] };
}

function describe(source: string, error: ParseError | TypeError | Error): ConditionProblem {
  // Not an error of the library: a stack overflow, at worst. It must refuse the condition, not the process.
  if (!("summary" in error)) return problemAt(source, 0, "syntax", error.message);
  const offset = error.range?.start ?? 0;
  if (error.code === "limit_exceeded") return problemAt(source, offset, "cost", error.summary);
  const kind = error.name === "ParseError" ? "syntax" : "type";
  return problemAt(source, offset, kind, inAuthorsWords(error.summary));
}

function inAuthorsWords(message: string): string {
  return message
    .replaceAll(/\bdouble\b/g, "number")
    .replaceAll(NUMBER_SIZE, "size")
    .replaceAll(/\bfact\./g, "");
}

// The library only checks against these declarations. Its handlers must never decide anything.
const neverCalled = (): never => {
  throw new Error("conditions are not evaluated by the CEL library");
};

function declare(schema: FactSchema): Environment {
  const environment = new Environment({ limits: LIMITS });
  for (const [name, type] of Object.entries(schema)) {
    environment.registerVariable(name, declareType(environment, `fact.${name}`, type));
  }
  for (const sized of ["string", "list", "map"]) {
    environment.registerFunction(`${NUMBER_SIZE}(${sized}): double`, neverCalled);
    environment.registerFunction(`${sized}.${NUMBER_SIZE}(): double`, neverCalled);
  }
  environment.registerFunction("string.glob(string): bool", neverCalled);
  environment.registerFunction("string.overlaps(string): bool", neverCalled);
  environment.registerOperator("double % double", neverCalled);
  return environment;
}

// Objects are declared with their fields: as `map` the library would let unknown fields pass.
function declareType(environment: Environment, name: string, type: FactType): string {
  if (isScalar(type)) return type === "number" ? "double" : type;
  if (isList(type)) return `list<${declareType(environment, name, type.list)}>`;
  if (isMap(type)) return `map<string, ${declareType(environment, name, type.map)}>`;
  const fields = Object.entries(type.object).map(([field, fieldType]) => [
    field,
    declareType(environment, `${name}.${field}`, fieldType),
  ]);
  environment.registerType(name, { fields: Object.fromEntries(fields) as Record<string, string> });
  return name;
}
