import { z } from "zod";
import type { EventOf } from "../../model/event.js";
import type { Configuration } from "../../model/settings/configuration.js";
import { CoordinatorError } from "../../model/errors.js";
import type { Amounts, RunTask, Usage } from "../../model/run.js";
import type { RoutingBounds } from "../../model/routing.js";
import type { Scope } from "../../model/scope.js";
import { narrowScope } from "../../mind/scope/narrow-scope.js";
import { attemptKey } from "../../mind/run/ledger.js";
import type { EngineClock } from "../engine/effect-runner.js";
import { agentEventIn, type AttemptOrder, AttemptResult, shimOrder } from "../attempts/attempt-order.js";
import type { RunRecords } from "../attempts/run-records.js";
import { adoptOrVoid, type EffectEnd } from "../attempts/shim/adopt.js";
import { effectFolder } from "../attempts/shim/instance-folder.js";
import type { SpawnShim } from "../attempts/shim/spawn-shim.js";

/*
 * A session of coordination: an agent that resolves a conflict or reviews, started by the same means as every attempt,
 * in a sandbox, judged and counted. It belongs to no attempt, so what it uses is counted as coordination.
 */

export interface SessionRequest {
  readonly purpose: "conflict resolution" | "review";
  readonly task: RunTask;
  readonly attempt: number;
  /** The subject beside the attempt: asked about it again, a begun session is adopted. */
  readonly about: string;
  /** The commit its workspace is made from. */
  readonly base: string;
  readonly write: readonly string[];
  /** The files whose contents stand in the prompt and its documents. */
  readonly paths: readonly string[];
  readonly prompt: string;
  readonly context: readonly { readonly ref: string; readonly text: string }[];
  readonly answer: z.ZodType;
  readonly signal: AbortSignal;
}

export type SessionEnd =
  | { readonly status: "answered"; readonly result: AttemptResult }
  /** It came to no answer that can be used: crashed, malformed, out of budget, outside of its scope. */
  | { readonly status: "failed"; readonly message: string };

type OrderBase = Omit<
  AttemptOrder,
  "name" | "base" | "prompt" | "context" | "scope" | "budget" | "message" | "output_schema"
>;

export interface SessionParts {
  readonly runId: string;
  readonly folder: string;
  readonly spawnShim: SpawnShim;
  readonly clock: EngineClock;
  readonly records: RunRecords;
  readonly configuration: Configuration;
  /** The routing policy's limits: they hold for a session as for an attempt. */
  readonly bounds: RoutingBounds | undefined;
  /** Everything of an order that does not depend on what the session is about; or why no agent may be asked. */
  readonly orderBase: (request: Pick<SessionRequest, "purpose" | "paths">) => OrderBase | string;
  /** Reserves the amounts that a session may use, in the log; or returns why it may not start. Contract: idempotent. */
  readonly reserve: (purpose: string, wish: Amounts) => Promise<Amounts | string>;
  /** Contract: in the log when it resolves; told twice under the same purpose it is there once. */
  readonly count: (used: EventOf<"coordination_used">) => Promise<void>;
}

export type Sessions = ReturnType<typeof createSessions>;

/** The first instance, and two more when it fails for a reason that another one may not meet. */
const INSTANCES = 3;
const SESSION_MINUTES = 30;
const TOOLS: Scope["tools"] = ["read", "edit", "delete", "search", "execute", "think"];
const LOOKING = ["ls *", "cat *", "head *", "tail *", "wc *", "grep *", "rg *", "find *", "diff *", "sed -n *"];
const GIT = ["git status *", "git diff *", "git log *", "git show *", "git ls-files *"];

export function createSessions(parts: SessionParts) {
  const { records } = parts;

  async function open(request: SessionRequest): Promise<SessionEnd> {
    let message = "";
    for (let n = 1; n <= INSTANCES; n++) {
      const ended = await instance(request, n);
      if (ended.status !== "structural") return ended;
      message = ended.message;
    }
    return { status: "failed", message: `no session got through, the last one: ${message}` };
  }

  async function instance(
    request: SessionRequest,
    n: number,
  ): Promise<SessionEnd | { readonly status: "structural"; readonly message: string }> {
    const id = effectId(request, n);
    const base = parts.orderBase(request);
    if (typeof base === "string") return { status: "failed", message: base };
    // INVARIANT: set aside before anything is spent. A session that was begun before a crash has it already.
    const budget = await parts.reserve(purposeOf(request, n), request.task.estimate);
    if (typeof budget === "string") return { status: "failed", message: budget };
    await remember(request, id);
    const order = orderFor(request, n, base, budget);
    let used: Usage = { amounts: order.budget, source: "estimated" };
    const end = await adoptOrVoid(effectFolder(parts.folder, id), {
      order: shimOrder(order),
      spawnShim: parts.spawnShim,
      limit: 1,
      signal: request.signal,
      clock: parts.clock,
      onNote: (note) => (used = usageIn(note) ?? used),
    });
    // Nobody waits for it any more: it is neither failed nor done, and is begun again by anyone who goes on.
    if (end.status === "stopped") throw new CoordinatorError("SHIM_FAILED", "The session was stopped");
    const read = resultIn(end, request);
    await count(request, n, read.result?.usage ?? used);
    return read.end;
  }

  /** INVARIANT: no session may do more than the routing policy lets an attempt do. */
  function scopeFor(request: SessionRequest): Scope {
    const { configuration, bounds } = parts;
    const checks = configuration.checks.map(({ run }) => run);
    const wanted: Scope = {
      tools: request.write.length === 0 ? TOOLS.filter((kind) => kind !== "edit" && kind !== "delete") : TOOLS,
      commands: [...new Set([...LOOKING, ...GIT, ...checks, ...configuration.scope.commands])],
      read: [...configuration.scope.read],
      write: [...request.write],
      network: [],
      minutes: SESSION_MINUTES,
      output_bytes: request.task.scope?.output_bytes ?? 10 * 1024 * 1024,
      files: request.write.length,
    };
    return bounds === undefined ? wanted : narrowScope(wanted, bounds.child_scope);
  }

  function orderFor(request: SessionRequest, n: number, base: OrderBase, budget: Amounts): AttemptOrder {
    const { runId } = parts;
    const { task, attempt, about, purpose } = request;
    const kind = purpose === "review" ? "review" : "resolve";
    return {
      ...base,
      name: { runId, taskId: task.task_id, attemptId: `${attempt}-${kind}-${about}-${n}` },
      base: request.base,
      prompt: request.prompt,
      context: [...request.context],
      scope: scopeFor(request),
      budget: { ...budget, files: Math.max(1, request.write.length) },
      output_schema: z.toJSONSchema(request.answer),
      message: `${purpose === "review" ? "Review" : "Resolve the conflict"} of ${task.title}\n`,
    };
  }

  async function count(request: SessionRequest, n: number, usage: Usage): Promise<void> {
    const { tokens, cost_usd } = usage.amounts;
    await parts.count({
      type: "coordination_used",
      purpose: purposeOf(request, n),
      tokens,
      cost_usd,
      source: usage.source,
    });
  }

  /** Anyone who opens the run after a crash must know which sessions are somebody's. */
  async function remember({ task, attempt }: SessionRequest, id: string): Promise<void> {
    const key = attemptKey(task.task_id, attempt);
    const known = await sessionIds(records, key);
    if (!known.includes(id)) await records.write(`sessions ${key}`, [...known, id]);
  }

  return { open };
}

/** The effects of an attempt's sessions, as far as they were begun. */
export async function sessionIds(records: RunRecords, key: string): Promise<string[]> {
  const read = z.array(z.string()).safeParse(await records.read(`sessions ${key}`));
  return read.success ? read.data : [];
}

/** Under which name it is set aside and counted: one for each instance. */
function purposeOf({ purpose, task, attempt, about }: SessionRequest, n: number): string {
  return `${purpose}: ${attemptKey(task.task_id, attempt)} ${about} ${n}`;
}

function effectId({ purpose, task, attempt, about }: SessionRequest, n: number): string {
  const kind = purpose === "review" ? "review" : "resolve";
  return `${kind}:${attemptKey(task.task_id, attempt)}@${about}/${n}`;
}

function resultIn(end: EffectEnd, request: SessionRequest) {
  const structural = (message: string) => ({ end: { status: "structural", message } as const, result: null });
  if (end.status === "timed_out") return structural("it took longer than it may");
  if (end.status !== "done") return structural(end.status === "crashed" ? end.message : end.status);
  const parsed = AttemptResult.safeParse(end.value);
  if (!parsed.success) return structural("it left a result that cannot be read");
  const result = parsed.data;
  const { outcome } = result;
  const fail = (message: string) => ({ end: { status: "failed", message } as const, result });
  switch (outcome.kind) {
    case "completed":
      return request.answer.safeParse(result.structured).success
        ? { end: { status: "answered", result } as const, result }
        : { end: { status: "structural", message: "its answer is not in the form it must have" } as const, result };
    case "structural":
      return { end: { status: "structural", message: `${outcome.error}: ${outcome.message}` } as const, result };
    case "clarification":
      return fail(`it asks: ${outcome.question}`);
    case "scope_request":
    case "environment":
    case "quality":
    case "safety":
    case "resource":
      return fail(outcome.message);
    case "semantic":
      return fail(`${outcome.violation} violation: ${outcome.message}`);
    case "cancelled":
      return fail("it was cancelled");
  }
}

function usageIn(note: unknown): Usage | null {
  const event = agentEventIn(note);
  return event?.type === "usage" ? event.usage : null;
}
