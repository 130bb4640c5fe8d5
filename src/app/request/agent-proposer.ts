import { createHash } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { CoordinatorError } from "../../model/errors.js";
import type { ChildScope } from "../../model/routing.js";
import type { Amounts, Usage } from "../../model/run.js";
import type { Scope } from "../../model/scope.js";
import type { Inquiry, Proposed, Proposer } from "../../mind/propose/proposer.js";
import { narrowScope } from "../../mind/scope/narrow-scope.js";
import { commitDocuments } from "../../hands/workspace/documents-base.js";
import { openQuarantine, type Quarantine } from "../../hands/workspace/quarantine.js";
import { agentEventIn, type AttemptOrder, AttemptResult, shimOrder } from "../../hands/attempts/attempt-order.js";
import type { ExecuteOptions } from "../run/execute-options.js";
import { SHIM, systemClock } from "../run/machine.js";
import { commonOrder, describeWithheld, shimEnvironment } from "../run/orders.js";
import { adoptOrVoid, type EffectEnd } from "../../hands/attempts/shim/adopt.js";
import { effectFolder } from "../../hands/attempts/shim/instance-folder.js";
import { shimSpawner } from "../../hands/attempts/shim/spawn-shim.js";

/*
 * An agent as somebody who may propose: a session like every attempt, in a shim and a sandbox, judged and counted, that may
 * read and do nothing else. For an Intent Spec its workspace holds the injected documents alone; there is no repository.
 */

export type AgentProposerOptions = Pick<
  ExecuteOptions,
  "runId" | "project" | "configuration" | "models" | "guardrails" | "unsafeNoSandbox"
> & {
  /** Limits of the routing policy for this proposer; absent for one that is not a child of it. */
  readonly child?: ChildScope | undefined;
};

const LOOKING = ["ls *", "cat *", "head *", "tail *", "wc *", "grep *", "rg *", "find *", "git log *", "git show *"];
const OUTPUT_BYTES = 10 * 1024 * 1024;

export function agentProposer(name: string, options: AgentProposerOptions): Proposer {
  const folder = join(options.project.at.folder, "attempts", options.runId);
  const spawnShim = shimSpawner({ argv: [process.execPath, SHIM], env: shimEnvironment(options) });

  async function propose(
    inquiry: Inquiry,
    { number, budget }: { number: number; budget: Amounts },
    signal: AbortSignal,
  ): Promise<Proposed> {
    const order = await orderFor(name, options, inquiry, { number, budget }).catch(proposeNothing);
    if ("status" in order) return order;
    let used: Usage = { amounts: { ...budget, files: 0, commits: 0 }, source: "estimated" };
    const end = await adoptOrVoid(effectFolder(folder, effectId(name, inquiry, number)), {
      order: shimOrder(order),
      spawnShim,
      limit: 1,
      signal,
      clock: systemClock,
      onNote: (note) => {
        const event = agentEventIn(note);
        if (event?.type === "usage") used = event.usage;
      },
    });
    return readProposal(end, inquiry, used);
  }

  return { name, propose };
}

/** Where no workspace can be made, none can be made for another instance either. */
function proposeNothing(error: unknown): Proposed {
  if (!(error instanceof CoordinatorError)) throw error;
  const failure = { kind: "structural", error: "crash", message: error.message } as const;
  return { status: "failed", failure, gone: true, output: "", usage: null };
}

/** Equal questions give equal effect ids, so that a session begun before a crash is adopted; different ones never do. */
function effectId(name: string, inquiry: Inquiry, number: number): string {
  return `${inquiry.purpose}:${inquiry.about}@${questionKey(inquiry)} ${name}/${number}`;
}

function questionKey({ system, prompt, documents, withheld }: Inquiry): string {
  return createHash("sha256")
    .update(JSON.stringify([system, prompt, documents, withheld]))
    .digest("hex")
    .slice(0, 12);
}

async function orderFor(
  name: string,
  options: AgentProposerOptions,
  inquiry: Inquiry,
  { number, budget }: { readonly number: number; readonly budget: Amounts },
): Promise<AttemptOrder> {
  const { project, runId, configuration } = options;
  const { root: repository, environment } = project;
  const { folder: stateFolder } = project.at;
  const quarantine = await openQuarantine({ repository, environment });
  const around = {
    sandboxes: join(stateFolder, "cages"),
    cache: join(stateFolder, "setup"),
    clockMs: () => Date.now(),
  };
  const isClosed = inquiry.sees === "documents";
  const looking: Scope = {
    tools: isClosed ? ["read", "search", "think"] : ["read", "search", "think", "execute"],
    commands: isClosed ? [] : LOOKING,
    read: isClosed ? ["**"] : [...configuration.scope.read],
    write: [],
    network: [],
    minutes: budget.minutes,
    output_bytes: OUTPUT_BYTES,
    files: 0,
  };
  const scope = options.child === undefined ? looking : narrowScope(looking, options.child);
  const common = commonOrder(options, around, name);
  const attempt = `${questionKey(inquiry)}-${name}-${number}`;
  return {
    ...common,
    // Nothing is built here, and what a setup makes is none of the documents.
    setup: undefined,
    hidden: isClosed ? [] : common.hidden,
    // INVARIANT: the planner sees of the repository what the builder will see, and no document beyond.
    withheld: isClosed ? [] : describeWithheld(inquiry.withheld),
    name: { runId, taskId: inquiry.purpose, attemptId: attempt },
    base: await baseFor(quarantine, inquiry),
    prompt: `${inquiry.system}\n\n${inquiry.prompt}`,
    context: [...inquiry.documents],
    scope,
    budget: { ...budget, files: 1, commits: 1 },
    output_schema: z.toJSONSchema(inquiry.answer, { io: "input" }),
    env: { COORDINATOR_RUN: runId, COORDINATOR_TASK: inquiry.purpose, COORDINATOR_ATTEMPT: String(number) },
    message: `${inquiry.purpose}: ${inquiry.about}\n`,
  };
}

async function baseFor(quarantine: Quarantine, { sees, documents }: Inquiry): Promise<string> {
  if (sees === "documents") return commitDocuments(quarantine, documents);
  const commit = await quarantine.resolve("HEAD");
  await quarantine.holdBase(commit);
  return commit;
}

function readProposal(end: EffectEnd, { answer }: Inquiry, used: Usage): Proposed {
  const fail = (
    failure: Extract<Proposed, { status: "failed" }>["failure"],
    { usage = used, output = "" }: { readonly usage?: Usage; readonly output?: string } = {},
  ): Proposed => ({ status: "failed", failure, gone: false, output, usage });
  const crash = (message: string) => fail({ kind: "structural", error: "crash", message });
  if (end.status === "stopped") return fail({ kind: "cancelled" });
  if (end.status === "timed_out")
    return fail({ kind: "structural", error: "timeout", message: "it took longer than it may" });
  if (end.status === "crashed") return crash(end.message);
  const read = AttemptResult.safeParse(end.value);
  if (!read.success) return crash("it left a result that cannot be read");
  const { outcome, usage, output, structured } = read.data;
  if (outcome.kind === "clarification") return { status: "asks", question: outcome.question, output, usage };
  if (outcome.kind !== "completed") return fail(outcome, { usage, output });
  const value = answer.safeParse(structured);
  if (value.success) return { status: "answered", value: value.data, output, usage };
  const message = "the answer is not in the form it must have";
  return fail({ kind: "structural", error: "malformed_output", message }, { usage, output });
}
