import { type PromptResponse, RequestError } from "@agentclientprotocol/sdk";
import type { AttemptOutcome } from "../../../model/run.js";
import type { AttemptRequest } from "../agent.js";
import { type Clocks, limitFailure, limitInOutput } from "../limit-errors.js";
import { loginFailure, loginInOutput, notLoggedIn, wrongMode } from "../login.js";
import type { SandboxedExit } from "../../sandbox/sandbox.js";
import { questionIn } from "../prompt.js";
import type { ResolvedAgent } from "../resolve-agent.js";
import { readStructured } from "../structured-output.js";
import type { LineStream } from "./line-stream.js";
import { MalformedAnswer, WrongMode, WrongModel } from "./open-session.js";
import type { TurnRecord } from "./turn-record.js";

type Exit = Pick<SandboxedExit, "code" | "signal" | "error" | "limit">;

/** A report that cannot be true is noted with the end of the attempt. */
export const notesOf = (impossible: string | null): { readonly notes?: readonly string[] } =>
  impossible === null ? {} : { notes: [`its report of what it used was not taken: ${impossible}`] };

const structural = (
  error: "malformed_output" | "crash" | "lost_connection" | "timeout" | "model_unavailable",
  message: string,
) => ({ kind: "structural", error, message }) as const;

export interface Ended {
  readonly outcome: AttemptOutcome;
  readonly structured?: unknown;
}

/** How a turn ended that the agent ended itself. */
export function endOfTurn(
  response: PromptResponse,
  record: TurnRecord,
  request: AttemptRequest,
  sessionId: string,
  agent: ResolvedAgent,
  clocks: Clocks,
): Ended {
  const reason: unknown = response?.stopReason;
  request.onEvent({ type: "stopped", reason: String(reason) });
  switch (reason) {
    case "end_turn":
      return finishedTurn(record, request, sessionId, agent, clocks);
    case "cancelled":
      // Some agents give the whole turn up when one request is refused. That is not a cancel by a person.
      if (record.rejected.length > 0) return finishedTurn(record, request, sessionId, agent, clocks);
      return {
        outcome: structural("crash", "The agent ended its turn as cancelled without being asked to."),
      };
    case "max_tokens":
      return { outcome: structural("malformed_output", "The answer was cut off at the model's limit of tokens.") };
    case "max_turn_requests":
      return {
        outcome: {
          kind: "resource",
          what: "api_calls",
          message: "The agent reached its own limit of calls in one turn.",
        },
      };
    case "refusal":
      return { outcome: { kind: "quality", message: `The model refused the task. ${record.output}`.trim() } };
    default:
      return {
        outcome: structural("malformed_output", `The agent stopped for an unknown reason: ${String(reason)}.`),
      };
  }
}

function finishedTurn(
  record: TurnRecord,
  request: AttemptRequest,
  sessionId: string,
  agent: ResolvedAgent,
  clocks: Clocks,
): Ended {
  const { output } = record;
  const hindered = limitInOutput(output, clocks) ?? loginInOutput(agent, output);
  if (hindered !== null) return { outcome: hindered };
  const question = record.questions[0] ?? questionIn(output);
  if (question !== null) return { outcome: { kind: "clarification", question } };
  const completed: AttemptOutcome = { kind: "completed", output_ref: `session:${sessionId}` };
  if (request.output_schema === undefined) return { outcome: completed };
  // One that was refused something may have found another way, so its answer counts as anybody's.
  const answer = readStructured(output, request.output_schema);
  if (answer.ok) return { outcome: completed, structured: answer.value };
  // Without one, the request for more scope says why there is none.
  if (record.scopeRequest !== null) return { outcome: completed };
  const message = `The answer does not match its schema: ${answer.message}.${lastRefusal(record)}`;
  return { outcome: structural("malformed_output", message) };
}

/** Some agents give their turn up when they are refused something: that, and no slip of form, is why they say nothing. */
function lastRefusal({ rejected }: TurnRecord): string {
  const last = rejected.at(-1);
  if (last === undefined) return "";
  const { use, judgement } = last;
  const what = use.command ?? use.paths.map(({ path }) => path).join(", ");
  return ` It had been refused ${[use.kind, what].filter((part) => part !== "").join(" ")}: ${judgement.reason}`;
}

/** Decides the outcome of a conversation that broke off. `exit` is null while the program still runs. */
export function describeBrokenOff(
  error: unknown,
  exit: Exit | null,
  lines: LineStream,
  stderr: string,
  agent: ResolvedAgent,
  clocks: Clocks,
): AttemptOutcome {
  if (error instanceof WrongMode) return wrongMode(agent, error.message);
  if (error instanceof WrongModel) return modelUnavailable(agent, error.message);
  if (error instanceof MalformedAnswer)
    return structural("malformed_output", `The agent is not understood: ${error.message}.`);
  if (error instanceof RequestError) return refusalOutcome(error, agent, clocks);
  const overrun = lines.overrun();
  if (overrun !== null) return structural("malformed_output", `The agent was stopped: ${overrun}.`);
  const { lines: bad, first } = lines.garbage();
  const said = bad === 0 ? "" : ` It printed ${bad} lines that are not a message, the first: ${first}`;
  if (exit === null) return structural("lost_connection", `The agent closed its output and went on running.${said}`);
  const tail = stderr.trim() === "" ? "" : ` Its last words: ${stderr.trim()}`;
  if (exit.limit !== undefined) return limitOutcome(exit.limit, tail);
  if (exit.error !== undefined) return structural("crash", `The agent could not be started: ${exit.error}.${tail}`);
  const hindered = limitFailure(stderr, undefined, clocks) ?? loginFailure(agent, stderr);
  if (hindered !== null && exit.code !== 0) return hindered;
  const how = exit.signal === null ? `with code ${exit.code}` : `by ${exit.signal}`;
  if (exit.code === 0 && bad > 0) return structural("malformed_output", `The agent ended without an answer.${said}`);
  return structural("crash", `The agent ended ${how} before it answered.${said}${tail}`);
}

/** The agent is not used with another model than the one that was decided. */
function modelUnavailable({ name, model }: ResolvedAgent, problem: string): AttemptOutcome {
  return structural(
    "model_unavailable",
    `${name} cannot use the model ${model ?? "?"}: ${problem}. coordinator doctor --agent ${name} lists those it has; name ` +
      `one under agents.${name}.models.`,
  );
}

/** It was started, and a limit of its sandbox ended it. */
export function limitOutcome(limit: NonNullable<SandboxedExit["limit"]>, tail: string): AttemptOutcome {
  switch (limit) {
    case "minutes":
      return structural("timeout", `The agent was stopped: it took longer than it may.${tail}`);
    case "output_bytes":
      return structural("malformed_output", `The agent was stopped: it printed more than it may.${tail}`);
    case "memory":
      return structural("crash", `The agent was stopped: it used more memory than sandbox.memory_mb allows.${tail}`);
  }
}

const NO_CONNECTION =
  /ECONN|ENOTFOUND|EAI_AGAIN|socket hang up|fetch failed|network|connection (?:refused|reset|error)/i;

/** Messages of providers about a model they do not have. */
const NO_SUCH_MODEL =
  /\bmodel_not_found\b|\bmodel\b[^.\n]{0,120}\b(?:not found|does not exist|is not available|is not supported|not_found_error)\b|\bunknown model\b/i;

/** The code of the protocol for "authentication required". */
const AUTH_REQUIRED = -32_000;

function refusalOutcome(error: RequestError, agent: ResolvedAgent, clocks: Clocks): AttemptOutcome {
  const detail = error.data === undefined ? "" : ` ${JSON.stringify(error.data).slice(0, 1000)}`;
  const limit = limitFailure(error.message, error.data, clocks);
  if (limit !== null) return limit;
  if (error.code === AUTH_REQUIRED) return notLoggedIn(agent, error.message);
  const login = loginFailure(agent, error.message + detail);
  if (login !== null) return login;
  if (NO_SUCH_MODEL.test(error.message + detail)) return modelUnavailable(agent, `${error.message}${detail}`);
  const kind = NO_CONNECTION.test(error.message + detail) ? "lost_connection" : "crash";
  return structural(kind, `The agent answered with an error: ${error.message}${detail}`);
}
