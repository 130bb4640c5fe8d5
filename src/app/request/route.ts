import { randomUUID } from "node:crypto";
import { type Diagnostic, diagnosticsOf } from "../../model/diagnostic.js";
import { RoutingInput, type RoutingDecision } from "../../model/routing.js";
import { type CompiledPolicy, compilePolicy } from "../../mind/route/compile-policy.js";
import { explainRoute } from "../../mind/route/explain-route.js";
import { route, routeWithPolicy } from "../../mind/route/route.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { fail, finish, type Finished } from "../report.js";
import { type Decided, runBatch } from "./batch.js";
import { type ContextEntry, projectContextFile, readContext } from "../project/context-registry.js";
import { onOneLine } from "../project/on-one-line.js";
import { placeIn } from "../../foundation/documents/path-segments.js";
import { inputFailure } from "../project/input-failure.js";
import { readRequest } from "./read-request.js";
import { loadRoutingPolicy } from "./routing-policy.js";
import { type Short, shortRequest } from "./short-request.js";
import type { Streams } from "../streams.js";

export interface RouteArguments {
  readonly file: string;
  readonly batch: boolean;
  readonly policy: string | undefined;
  /** A file, or `none`; the project's own when absent. */
  readonly context: string | undefined;
  readonly id: string | undefined;
  readonly explain: boolean;
}

/** The inputs of routing beside the request itself. */
interface Desk {
  readonly policy: CompiledPolicy;
  /** --policy was given: it stands above the policy of an input. */
  readonly named: boolean;
  readonly context: readonly ContextEntry[];
  /** Where the context registry was read from; null when there is none. */
  readonly file: string | null;
  /** --context was given: it also describes what an input lists itself. */
  readonly contextNamed: boolean;
}

const NO_CONTEXT = "none";

/** Decide where a request goes. Contract: the policy and the registry are whole, or nothing is decided. */
export async function routeRequest(args: RouteArguments, cwd: string, streams: Streams): Promise<Finished> {
  const policy = await loadRoutingPolicy(args.policy, cwd);
  const named = args.context !== undefined && args.context !== NO_CONTEXT;
  const file = args.context === NO_CONTEXT ? undefined : (args.context ?? (await projectContextFile(cwd)));
  const context = await readContext(file, cwd);
  if (!policy.ok || !context.ok)
    return inputFailure([...(policy.ok ? [] : policy.problems), ...(context.ok ? [] : context.problems)]);
  const desk: Desk = {
    policy: policy.policy,
    named: args.policy !== undefined,
    context: context.value,
    file: file ?? null,
    contextNamed: named,
  };
  if (args.batch && desk.file !== null && !named) streams.note(`The context registry is ${desk.file}`);
  if (args.batch) return runBatch(args.file, cwd, streams, (value, line) => decideLine(desk, value, line));
  return routeOne(desk, args, cwd, streams);
}

async function routeOne(desk: Desk, args: RouteArguments, cwd: string, streams: Streams): Promise<Finished> {
  const given = await readRequest(args.file, cwd, streams.input);
  if (!given.ok) return inputFailure(given.problems);
  if (given.form === "words") {
    const input = inputOf(desk, { id: args.id ?? randomUUID(), text: given.text });
    return report(decide(desk, input), args.explain);
  }
  if (args.id !== undefined)
    return fail(EXIT.invalid, "USAGE", "--id goes with a request in plain words", {
      fix: `${args.file} is a document and has an id of its own.`,
    });
  const short = shortRequest(given.value, FULL_FORM);
  if (short?.success === false) return inputFailure(placeIn(given, diagnosticsOf(short.error, "DOCUMENT_INVALID")));
  const judged = decide(desk, short === null ? withContext(desk, given.value) : inputOf(desk, short.data));
  return report({ ...judged, problems: placeIn(given, judged.problems) }, args.explain);
}

function decideLine(desk: Desk, value: unknown, line: number): Decided {
  const short = shortRequest(value, FULL_FORM);
  if (short?.success === false) return { ok: false, problems: diagnosticsOf(short.error, "DOCUMENT_INVALID") };
  if (short === null && !FULL_FORM.some((field) => isRecord(value) && Object.hasOwn(value, field)))
    return { ok: false, problems: [NEITHER] };
  const { decision } = decide(desk, short === null ? withContext(desk, value) : inputOf(desk, short.data));
  const id = short === null ? decision.task_id : short.data.id;
  return { ok: true, record: { type: "route", line, id, ...decision } };
}

const FULL_FORM = ["task_id", "input", "context_registry", "policy"];
const NEITHER: Diagnostic = {
  code: "DOCUMENT_INVALID",
  path: "",
  message: "is neither {id, text} nor a routing input {task_id, input, context_registry}",
};

interface Judged {
  readonly decision: RoutingDecision;
  readonly policy: CompiledPolicy | null;
  /** The context registry that was used. */
  readonly file: string | null;
  readonly input: unknown;
  /** Problems of the input or of the policy in it, by their places in the input. */
  readonly problems: readonly Diagnostic[];
}

/** --policy decides before the policy of the input, and that before the project's. */
function decide(desk: Desk, input: unknown): Judged {
  const used = desk.contextNamed || !listsItsOwn(input, desk) ? desk : { ...desk, context: [], file: null };
  const documents = used.context.filter((entry) => typeof entry !== "string");
  const { file } = used;
  const own = isRecord(input) && input["policy"] !== undefined && !desk.named;
  const compiled = own
    ? compilePolicy(input["policy"], desk.policy.learned)
    : ({ ok: true, policy: desk.policy } as const);
  if (!compiled.ok)
    return {
      decision: routeWithPolicy(input, documents),
      policy: null,
      file,
      input,
      problems: compiled.problems.map(({ condition: _, ...problem }) => ({
        ...problem,
        path: problem.path === "" ? "policy" : `policy.${problem.path}`,
      })),
    };
  const decision = route(compiled.policy, input, documents);
  const malformed = decision.status !== "routed" && decision.reason.code === "malformed_input";
  return { decision, policy: compiled.policy, file, input, problems: malformed ? malformedParts(input) : [] };
}

const Envelope = RoutingInput.omit({ policy: true }).loose();

function malformedParts(input: unknown): Diagnostic[] {
  const parsed = Envelope.safeParse(input);
  return parsed.success ? [] : diagnosticsOf(parsed.error, "DOCUMENT_INVALID");
}

function inputOf({ context }: Desk, { id, text: body }: Short): object {
  return { task_id: id, input: { body }, context_registry: context };
}

/** An input that lists no documents gets those of the registry; one that does is passed on as it is. */
function withContext({ context, file }: Desk, input: unknown): unknown {
  if (file === null || !isRecord(input) || Object.hasOwn(input, "context_registry")) return input;
  return { ...input, context_registry: context };
}

function listsItsOwn(input: unknown, { context }: Desk): boolean {
  return isRecord(input) && input["context_registry"] !== undefined && input["context_registry"] !== context;
}

function report({ decision, policy, file, input, problems }: Judged, explain: boolean): Finished {
  const rule = policy?.rules.find((compiled) => compiled.rule.id === decision.classification?.rule_id)?.rule;
  return finish(EXIT_OF[decision.status], {
    type: "route",
    decision,
    policyId: policy?.policy.policy_id ?? null,
    contextFile: file,
    description: rule?.description ?? null,
    problems,
    screen: explain && policy !== null ? explainRoute(policy, bodyOf(input), onOneLine(decision)) : null,
  });
}

const EXIT_OF: Readonly<Record<RoutingDecision["status"], ExitCode>> = {
  routed: EXIT.done,
  escalated: EXIT.waiting,
  failed: EXIT.failed,
};

function bodyOf(input: unknown): string {
  const payload = isRecord(input) ? input["input"] : null;
  const body = isRecord(payload) ? payload["body"] : null;
  return typeof body === "string" ? body : "";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
