import type { AgentEnding } from "../agents/agent.js";
import { notLoggedIn } from "../agents/login.js";
import { resolveAgent } from "../agents/resolve-agent.js";
import { CoordinatorError } from "../model/errors.js";
import type { AttemptOutcome } from "../model/run.js";
import { sandboxReport } from "../workspace/sandbox/grade.js";
import type { OpenCage } from "../workspace/sandbox/open-cage.js";
import type { AttemptOrder, AttemptResult } from "./attempt-order.js";

/* What the surroundings of an agent know of how its attempt ended, and the agent does not. */

/** What was missing before anything began is for a person; another attempt would miss it too. */
export function whatToMend(error: unknown): Extract<AttemptOutcome, { kind: "clarification" | "structural" }> {
  if (!(error instanceof CoordinatorError) || error.retryable) return notReady(error);
  const fix = error.fix === undefined ? "" : ` ${error.fix}`;
  return { kind: "clarification", question: `${error.message}.${fix} Then let the task be tried again.` };
}

/** The disk, the memory, git: it may be over soon. Tried again, and then a person is asked, who is told how to mend it. */
export function notReady(error: unknown): Extract<AttemptOutcome, { kind: "structural" }> {
  const { message } = error as Error;
  const fix = error instanceof CoordinatorError && error.fix !== undefined ? ` ${error.fix}` : "";
  return { kind: "structural", error: "crash", message: `nothing was begun: ${message}${fix}` };
}

/** A workspace that cannot be made ready is nobody's fault who works in it: a person mends the setup. */
export function setupFailed(output: string): AttemptOutcome {
  return { kind: "structural", error: "crash", message: `the workspace's setup failed: ${output.slice(-500)}` };
}

export function notBegun({ budget }: AttemptOrder, outcome: AttemptOutcome): AgentEnding {
  // A shim is a process of its own: what it lives is what the attempt takes.
  const minutes = Math.min(budget.minutes, process.uptime() / 60);
  return {
    outcome,
    usage: { amounts: { tokens: 0, cost_usd: 0, minutes, files: 0, commits: 0, api_calls: 0 }, source: "reported" },
    output: "",
    session_id: null,
  };
}

/** The result of an attempt that did not even get a workspace. */
export function neverBegun(order: AttemptOrder, outcome: AttemptOutcome): AttemptResult {
  return {
    ...notBegun(order, outcome),
    home: null,
    grade: sandboxReport().grade,
    base: order.base,
    commit: null,
    ref: null,
    changes: [],
    gate: null,
    reported: [],
    unmade: [],
    refused: [],
    refusals: [],
    salvage: null,
    notices: [],
  };
}

/** Agents tell of a key that is refused each in its own words, or not at all. The server's answers are plain. */
export function keyRefused(
  ending: AgentEnding,
  { agent: { name, settings } }: AttemptOrder,
  cage: OpenCage,
): AgentEnding {
  const traffic = Object.values(cage.traffic().models);
  const refused =
    traffic.some(({ unauthorized }) => unauthorized > 0) && traffic.every(({ answered }) => answered === 0);
  const { kind } = ending.outcome;
  if (!refused || (kind !== "completed" && kind !== "structural" && kind !== "quality")) return ending;
  return { ...ending, outcome: notLoggedIn(resolveAgent(name, settings), "the model's server refused its key") };
}

/** Tokens an agent does not report were counted on their way to the model. */
export function counted(ending: AgentEnding, cage: OpenCage): AgentEnding {
  const traffic = Object.values(cage.traffic().models);
  const tokens = traffic.reduce((sum, { input_tokens, output_tokens }) => sum + input_tokens + output_tokens, 0);
  const requests = traffic.reduce((sum, model) => sum + model.requests, 0);
  if (requests === 0) return ending;
  const { amounts, source } = ending.usage;
  const better = source === "estimated" && tokens > 0 ? { tokens } : {};
  return {
    ...ending,
    usage: { amounts: { ...amounts, ...better, api_calls: Math.max(requests, amounts.api_calls) }, source },
  };
}
