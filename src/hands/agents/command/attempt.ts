import type { AttemptOutcome } from "../../../model/run.js";
import { tailOf } from "../../../foundation/secrets/tail-of.js";
import { Account } from "../accounting.js";
import type { AgentEnding, AttemptRequest } from "../agent.js";
import { type Clocks, limitFailure } from "../limit-errors.js";
import { loginFailure, loginInOutput } from "../login.js";
import { withFiles } from "../private-home.js";
import { againPrompt, promptFor, questionIn } from "../prompt.js";
import type { ResolvedAgent } from "../resolve-agent.js";
import { IdleTimer } from "../idle-timer.js";
import type { SandboxedExit } from "../../sandbox/sandbox.js";
import { limitOutcome, notesOf } from "../acp/outcome.js";
import { readStructured } from "../structured-output.js";
import { Watch } from "../stop-watch.js";
import { answerIn } from "./answer-in.js";

/*
 * A program that takes a prompt, works and ends. It asks for nothing and reports nothing on its way, so its scope is
 * held by the sandbox and by what its changes look like afterwards, and by nothing in between.
 */

const MOST_STDERR = 4000;
/** How long the output of a program that has ended may still be read. */
const LAST_WORDS_MS = 500;

/**
 * Contract: as `Agent.attempt`. The prompt goes where `{prompt}` stands in the command, else to its standard input. Such a
 * program remembers nothing: each further turn is a process of its own that gets the task, and the words said before.
 */
export async function commandAttempt(
  agent: ResolvedAgent,
  request: AttemptRequest,
  clocks: Clocks,
): Promise<AgentEnding> {
  const account = new Account(agent, request.budget);
  let kill = () => undefined as void;
  const watch = new Watch(request, account, agent.limits.silence_seconds, {
    kill: () => kill(),
    wind_down: () => kill(),
  });
  watch.start();
  const setKill = (how: () => void) => (kill = how);
  const first = promptFor(request);
  let turn: TurnEnd;
  for (let prompt = first; ;) {
    account.countPrompt(prompt);
    turn = await oneTurn(prompt, { agent, request, clocks, account, watch, setKill });
    const next = watch.cause !== null || turn.outcome.kind !== "completed" ? null : await watch.nextPrompt(turn.text);
    if (next === null) break;
    account.endTurn();
    watch.resume();
    prompt = againPrompt(first, turn.text, next);
  }
  watch.end();
  watch.tellUsage();
  const { text, ...ended } = turn;
  return {
    ...(watch.cause === null ? ended : { outcome: watch.cause }),
    usage: account.usage(watch.minutes),
    ...notesOf(account.describeImpossible(watch.minutes)),
    output: text,
    session_id: null,
    accounting: account.accounting(),
  };
}

interface TurnParts {
  readonly agent: ResolvedAgent;
  readonly request: AttemptRequest;
  readonly clocks: Clocks;
  readonly account: Account;
  readonly watch: Watch;
  readonly setKill: (kill: () => void) => void;
}

interface TurnEnd {
  readonly outcome: AttemptOutcome;
  readonly structured?: unknown;
  readonly text: string;
}

/** One process from its start to its end. */
async function oneTurn(prompt: string, parts: TurnParts): Promise<TurnEnd> {
  const { agent, request, clocks, account, watch } = parts;
  const asArgument = agent.argv.some((part) => part.includes("{prompt}"));
  const [program, ...args] = agent.argv.map((part) => part.replaceAll("{prompt}", () => prompt));
  const process = request.sandbox.spawn(withFiles({ argv: [program ?? "", ...args], env: agent.env }, agent.files));
  const kill = () => {
    process.kill();
    process.stdout.destroy();
  };
  parts.setKill(kill);
  // Stopped before it was there to be stopped.
  if (watch.cause !== null) kill();
  process.stdin.on("error", () => undefined);
  process.stdin.end(asArgument ? "" : prompt);

  let bytes = 0;
  const chunks: Buffer[] = [];
  let stderr = "";
  const lastWords = new IdleTimer(LAST_WORDS_MS, () => process.stdout.destroy());
  process.stdout.on("data", (chunk: Buffer) => {
    watch.noteActivity();
    bytes += chunk.length;
    if (bytes > request.scope.output_bytes) return watch.kill(floodedOutcome(request.scope.output_bytes));
    chunks.push(chunk);
    account.countOutput(chunk.toString("latin1"));
    request.onEvent({ type: "message", text: chunk.toString("utf8") });
    watch.spend();
  });
  process.stdout.on("error", () => undefined);
  process.stderr.on("data", (chunk: Buffer) => {
    watch.noteActivity();
    stderr = tailOf(stderr + chunk.toString("utf8"), MOST_STDERR);
  });
  process.stderr.on("error", () => undefined);

  const read = new Promise<void>((resolve) => process.stdout.once("close", () => resolve()));
  watch.noteActivity();
  const exit = await process.exited;
  // A child of it may hold the pipe open for ever: what it prints after the end is not the answer.
  if (!process.stdout.closed) lastWords.begin();
  await read;
  lastWords.end();
  watch.quiet();
  kill();

  const { text, response } = answerIn(Buffer.concat(chunks).toString("utf8"));
  if (response !== null) account.countAnswer(response);
  request.onEvent({ type: "stopped", reason: exit.signal ?? `exit ${exit.code}` });
  return { ...outcomeOf(exit, text, stderr, agent, request, clocks), text };
}

const floodedOutcome = (most: number): AttemptOutcome => ({
  kind: "structural",
  error: "malformed_output",
  message: `The agent was stopped: it printed more than the ${most} bytes it may.`,
});

function outcomeOf(
  exit: Pick<SandboxedExit, "code" | "signal" | "error" | "limit">,
  text: string,
  stderr: string,
  agent: ResolvedAgent,
  request: AttemptRequest,
  clocks: Clocks,
): { outcome: AttemptOutcome; structured?: unknown } {
  const tail = stderr.trim() === "" ? "" : ` Its last words: ${tailOf(stderr.trim(), 2000)}`;
  if (exit.limit !== undefined) return { outcome: limitOutcome(exit.limit, tail) };
  if (exit.error !== undefined)
    return {
      outcome: { kind: "structural", error: "crash", message: `The agent could not be started: ${exit.error}.` },
    };
  if (exit.code !== 0) {
    const said = tailOf(`${stderr} ${text}`, MOST_STDERR);
    const hindered = limitFailure(said, undefined, clocks) ?? loginFailure(agent, said);
    const how = exit.signal === null ? `with code ${exit.code}` : `by ${exit.signal}`;
    return { outcome: hindered ?? { kind: "structural", error: "crash", message: `The agent ended ${how}.${tail}` } };
  }
  const login = loginInOutput(agent, text);
  if (login !== null) return { outcome: login };
  const question = questionIn(text);
  if (question !== null) return { outcome: { kind: "clarification", question } };
  const completed: AttemptOutcome = { kind: "completed", output_ref: "command" };
  if (request.output_schema === undefined) return { outcome: completed };
  const answer = readStructured(text, request.output_schema);
  if (answer.ok) return { outcome: completed, structured: answer.value };
  const message = `The answer does not match its schema: ${answer.message}.`;
  return { outcome: { kind: "structural", error: "malformed_output", message } };
}
