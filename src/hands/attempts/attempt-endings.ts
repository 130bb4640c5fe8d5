import type { AgentEnding } from "../agents/agent.js";
import { notLoggedIn } from "../agents/login.js";
import { resolveAgent } from "../agents/resolve-agent.js";
import { CoordinatorError } from "../../model/errors.js";
import type { AttemptOutcome } from "../../model/run.js";
import { sandboxReport } from "../sandbox/grade.js";
import type { OpenSandbox } from "../sandbox/open-sandbox.js";
import type { AttemptOrder, AttemptResult } from "./attempt-order.js";
import type { SetupFailure } from "./setup/run-setup.js";

/* Ends of an attempt that the agent cannot know of and its sandbox, workspace and setup do. */

type NotReady = Extract<AttemptOutcome, { kind: "structural" | "environment" }>;

/** A part that was missing before anything began is for a person to mend; another attempt would miss it too. */
export function setupProblem(error: unknown): NotReady | Extract<AttemptOutcome, { kind: "clarification" }> {
  if (!(error instanceof CoordinatorError) || error.code === "WORKSPACE_FAILED" || error.retryable)
    return notReady(error);
  const fix = error.fix === undefined ? "" : ` ${error.fix}`;
  return { kind: "clarification", question: `${error.message}.${fix} Then let the task be tried again.` };
}

/**
 * The reason why a workspace could not be made. A passing reason is tried again; a full disk stays full until a person
 * makes room, who is told how.
 */
export function notReady(error: unknown): NotReady {
  const { message, code } = error as NodeJS.ErrnoException;
  const fix = error instanceof CoordinatorError && error.fix !== undefined ? ` ${error.fix}` : "";
  const told = `${NOT_BEGUN}${message}${fix}`;
  const lasts = error instanceof CoordinatorError ? !error.retryable : LASTING.has(code ?? "");
  return lasts ? { kind: "environment", message: told } : { kind: "structural", error: "crash", message: told };
}

const NOT_BEGUN = "nothing was begun: ";

/** Why an attempt could not begin on its machine as it is, such as for want of room; null for every other outcome. */
export function whyNotBegun(outcome: AttemptOutcome): string | null {
  return outcome.kind === "environment" && outcome.message.startsWith(NOT_BEGUN) ? outcome.message : null;
}

/** Failures of the file system that no second try mends. */
const LASTING: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM"]);

/** A workspace that cannot be made ready is not the agent's fault: a person mends the setup. */
export function setupOutcome({ message, log }: SetupFailure): AttemptOutcome {
  return { kind: "environment", message, log_ref: log };
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
    iterations: [],
  };
}

/** Agents tell of a key that is refused each in its own words, or not at all. The server's answers are plain. */
export function withKeyRefusal(
  ending: AgentEnding,
  { agent: { name, settings } }: AttemptOrder,
  sandbox: OpenSandbox,
): AgentEnding {
  const traffic = Object.values(sandbox.traffic().models);
  const refused =
    traffic.some(({ unauthorized }) => unauthorized > 0) && traffic.every(({ answered }) => answered === 0);
  const { kind } = ending.outcome;
  if (!refused || (kind !== "completed" && kind !== "structural" && kind !== "quality")) return ending;
  return { ...ending, outcome: notLoggedIn(resolveAgent(name, settings), "the model's server refused its key") };
}

/** Tokens an agent does not report were counted on their way to the model. */
export function withCountedTokens(ending: AgentEnding, sandbox: OpenSandbox): AgentEnding {
  const traffic = Object.values(sandbox.traffic().models);
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
