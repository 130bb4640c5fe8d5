import {
  client,
  type ClientContext,
  type ContentBlock,
  type InitializeResponse,
  methods,
  PROTOCOL_VERSION,
  type PromptResponse,
  RequestError,
} from "@agentclientprotocol/sdk";
import type { AttemptOutcome } from "../../../model/run.js";
import { Account } from "../accounting.js";
import { tailOf } from "../../../foundation/secrets/tail-of.js";
import type { AgentEnding, AttemptRequest } from "../agent.js";
import type { Clocks } from "../limit-errors.js";
import { withFiles } from "../private-home.js";
import { IdleTimer } from "../idle-timer.js";
import type { ResolvedAgent } from "../resolve-agent.js";
import { Watch } from "../stop-watch.js";
import { type LineStream, lineStream } from "./line-stream.js";
import { drainUpdates, MalformedAnswer, openSession, WrongMode, WrongModel } from "./open-session.js";
import { describeBrokenOff, type Ended, endOfTurn, notesOf } from "./outcome.js";
import { ensureMode } from "./session-mode.js";
import { ensureModel } from "./session-model.js";
import { ensureTitle } from "./session-title.js";
import { waitForExit } from "./wait-for-exit.js";
import { TurnRecord } from "./turn-record.js";

const MOST_LINE_BYTES = 32 * 1024 * 1024;
const MOST_STDERR = 2000;
/** How many updates of an agent that is being stopped are still taken. */
const MOST_LATE = 64;
/** How long the output of a program that has ended may still be read: anyone who escaped it may hold it open for ever. */
const LAST_WORDS_MS = 500;

/** One attempt with an agent that speaks the Agent Client Protocol. Contract: as `Agent.attempt`. */
export async function acpAttempt(agent: ResolvedAgent, request: AttemptRequest, clocks: Clocks): Promise<AgentEnding> {
  const account = new Account(agent, request.budget);
  const process = request.sandbox.spawn(withFiles({ argv: agent.argv, env: agent.env }, agent.files));
  let exit: Awaited<typeof process.exited> | null = null;
  let stderr = "";
  let cancel: (() => void) | null = null;
  let grace: NodeJS.Timeout | undefined;
  let sessionId: string | null = null;
  let structured: Pick<Ended, "structured"> = {};
  let late = 0;

  const kill = () => {
    process.kill();
    // A child that escaped may still hold the pipe; nobody listens to it any more.
    process.stdout.destroy();
  };
  const watch = new Watch(request, account, agent.limits.silence_seconds, {
    kill,
    wind_down: () => {
      record.cancelled = true;
      if (cancel === null) return kill();
      cancel();
      grace = setTimeout(kill, agent.limits.cancel_grace_seconds * 1000);
    },
  });
  const record = new TurnRecord(request, agent, account, (outcome) => watch.kill(outcome));
  const lastWords = new IdleTimer(LAST_WORDS_MS, () => process.stdout.destroy());
  const ended = process.exited.then((how) => {
    exit = how;
    lastWords.begin();
  });
  process.stdout.on("close", () => lastWords.end());
  process.stderr.on("data", (chunk: Buffer) => {
    stderr = tailOf(stderr + chunk.toString("utf8"), MOST_STDERR);
  });
  process.stderr.on("error", () => undefined);
  const lines: LineStream = lineStream(
    process.stdin,
    process.stdout,
    { lineBytes: MOST_LINE_BYTES, totalBytes: request.scope.output_bytes },
    () => {
      if (record.prompted) watch.noteActivity(silenceMeans);
    },
  );
  /** Half a message is an answer that nobody will ever understand, not one that is late. */
  const silenceMeans = () =>
    lines.garbage().lines > 0 ? describeBrokenOff(null, { code: 0, signal: null }, lines, "", agent, clocks) : null;

  const starting = setTimeout(() => {
    const message = `The agent was not ready within ${agent.limits.start_seconds} seconds.`;
    watch.kill({ kind: "structural", error: "timeout", message });
  }, agent.limits.start_seconds * 1000);

  const app = client({ name: "coordinator" })
    .onNotification(methods.client.session.update, ({ params }) => {
      // Uses of tools while it is stopped are judged, too; a flood that was on its way already is not.
      if (watch.cause !== null && ++late > MOST_LATE) return kill();
      record.update(params.update);
      if (record.replaying) return;
      if (params.update.sessionUpdate === "usage_update") watch.tellUsage();
      if (record.prompted) watch.spend();
    })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      const answer = record.permission(params);
      watch.spend();
      return answer;
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => {
      record.questions.push(params.message);
      return { action: "cancel" as const };
    })
    .onRequest("*", ({ method }) => {
      throw RequestError.methodNotFound(method);
    })
    .onNotification("*", () => undefined);

  /** One turn after the other in one session, as long as there is something to be said next. */
  const converse = async (context: ClientContext): Promise<Ended> => {
    const hello = await context.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: "coordinator", version: "1" },
    });
    if (hello?.protocolVersion !== PROTOCOL_VERSION)
      throw new MalformedAnswer(`it speaks version ${hello?.protocolVersion} of the protocol, not ${PROTOCOL_VERSION}`);
    const session = await openSession(context, hello, request, agent, record);
    sessionId = session.sessionId;
    request.onEvent({ type: "session", session_id: sessionId });
    const wish = { mode: agent.mode, options: agent.session_options };
    const problem = await ensureMode(context, sessionId, session.offered, wish, () => record.mode);
    if (problem !== null) throw new WrongMode(problem);
    const otherModel = await ensureModel(context, sessionId, session.offered, agent);
    if (otherModel !== null) throw new WrongModel(otherModel);
    const askedForTitle = agent.model === null ? null : await ensureTitle(context, sessionId, hello);
    if (askedForTitle !== null) throw new WrongModel(askedForTitle);
    clearTimeout(starting);
    record.prompted = true;
    cancel = () => void context.notify(methods.agent.session.cancel, { sessionId: session.sessionId }).catch(() => {});
    // Images are part of the first prompt; the session remembers them.
    let images = imagesFor(hello, request);
    for (let text = session.prompt; ;) {
      const ended = await takeTurn(context, session.sessionId, text, images);
      images = [];
      const next =
        watch.cause !== null || ended.outcome.kind !== "completed" ? null : await watch.nextPrompt(record.output);
      if (next === null) return ended;
      account.endTurn();
      record.beginTurn();
      watch.resume();
      text = next;
    }
  };
  const takeTurn = async (
    context: ClientContext,
    id: string,
    text: string,
    images: readonly ContentBlock[],
  ): Promise<Ended> => {
    account.countPrompt(text);
    // Stopped meanwhile: the prompt must not go out after the cancel.
    if (watch.cause !== null) throw new Error("stopped before the prompt");
    watch.noteActivity(silenceMeans);
    const prompt = [{ type: "text" as const, text }, ...images];
    const response: PromptResponse = await context.request(methods.agent.session.prompt, { sessionId: id, prompt });
    await drainUpdates();
    if (typeof response === "object" && response !== null) account.countAnswer({ ...response });
    watch.spend();
    return endOfTurn(response, record, request, id, agent, clocks);
  };

  let outcome: AttemptOutcome;
  try {
    watch.start();
    const turn = await app.connectWith(lines, converse);
    if (turn.structured !== undefined) structured = { structured: turn.structured };
    outcome = watch.cause ?? turn.outcome;
  } catch (error) {
    if (watch.cause === null && !(error instanceof RequestError)) await waitForExit(ended);
    outcome = watch.cause ?? describeBrokenOff(error, exit, lines, stderr, agent, clocks);
  } finally {
    clearTimeout(starting);
    clearTimeout(grace);
    watch.end();
    kill();
    await ended;
  }
  watch.tellUsage();
  return {
    outcome,
    usage: account.usage(watch.minutes),
    ...notesOf(account.describeImpossible(watch.minutes)),
    output: record.output,
    ...(outcome.kind === "completed" ? structured : {}),
    session_id: sessionId,
    ...(record.scopeRequest === null ? {} : { scope_request: record.scopeRequest }),
    ...(record.rejected.length === 0 ? {} : { rejected: record.rejected }),
    accounting: account.accounting(),
  };
}

/** The attached images, for an agent that says that it takes some. */
function imagesFor({ agentCapabilities }: InitializeResponse, { context }: AttemptRequest): ContentBlock[] {
  if (agentCapabilities?.promptCapabilities?.image !== true) return [];
  return context.flatMap(({ image }) =>
    image === undefined ? [] : [{ type: "image", mimeType: image.mime_type, data: image.data }],
  );
}
