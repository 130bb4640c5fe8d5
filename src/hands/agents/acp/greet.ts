import { client, type ClientContext, methods, PROTOCOL_VERSION, RequestError } from "@agentclientprotocol/sdk";
import { tailOf } from "../../../foundation/secrets/tail-of.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { withFiles } from "../private-home.js";
import type { ResolvedAgent } from "../resolve-agent.js";
import { lineStream } from "./line-stream.js";
import { MalformedAnswer, WrongMode, WrongModel } from "./open-session.js";
import { describeBrokenOff } from "./outcome.js";
import { ensureMode, modesIn } from "./session-mode.js";
import { ensureModel, modelsIn } from "./session-model.js";
import { waitForExit } from "./wait-for-exit.js";

/* Everything an attempt does before its first prompt, and nothing after it: no model is asked, nothing is spent. */

export interface Greeting {
  /** The version in its answer; null where it did not get that far. */
  readonly protocol_version: number | null;
  readonly says_it_is: string | null;
  readonly modes: readonly string[];
  /** The permission mode that was set and read back. */
  readonly mode: string | null;
  /** The models that it offers to use. */
  readonly models: readonly string[];
  /** Why an attempt with it would fail; null when it would begin. */
  readonly problem: string | null;
}

const LINE = { lineBytes: 1024 * 1024, totalBytes: 16 * 1024 * 1024 };

/** Contract: never rejects, asks no model, and leaves nothing running. */
export async function greet(agent: ResolvedAgent, sandbox: Sandbox): Promise<Greeting> {
  const process = sandbox.spawn(withFiles({ argv: agent.argv, env: agent.env }, agent.files));
  let exit: Awaited<typeof process.exited> | null = null;
  let stderr = "";
  let late = false;
  let mode: string | null = null;
  const seen = {
    protocol_version: null as number | null,
    says_it_is: null as string | null,
    modes: [] as string[],
    models: [] as string[],
  };
  process.stderr.on("data", (chunk: Buffer) => {
    stderr = tailOf(stderr + chunk.toString("utf8"), 500);
  });
  process.stderr.on("error", () => undefined);
  const ended = process.exited.then((how) => {
    exit = how;
    process.stdout.destroy();
  });
  const timer = setTimeout(() => {
    late = true;
    process.kill();
    process.stdout.destroy();
  }, agent.limits.start_seconds * 1000);
  const lines = lineStream(process.stdin, process.stdout, LINE, () => undefined);

  const app = client({ name: "coordinator" })
    .onNotification(methods.client.session.update, ({ params: { update } }) => {
      if (update.sessionUpdate === "current_mode_update") mode = update.currentModeId;
    })
    .onRequest("*", ({ method }) => {
      throw RequestError.methodNotFound(method);
    })
    .onNotification("*", () => undefined);

  const begin = async (context: ClientContext): Promise<void> => {
    const hello = await context.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: "coordinator", version: "1" },
    });
    seen.protocol_version = typeof hello?.protocolVersion === "number" ? hello.protocolVersion : null;
    const { name, version } = hello?.agentInfo ?? {};
    seen.says_it_is = name === undefined ? null : `${name} ${version ?? ""}`.trim();
    if (seen.protocol_version !== PROTOCOL_VERSION)
      throw new MalformedAnswer(`it speaks version ${seen.protocol_version} of the protocol, not ${PROTOCOL_VERSION}`);
    const session = await context.request(methods.agent.session.new, { cwd: sandbox.root, mcpServers: [] });
    if (typeof session?.sessionId !== "string") throw new MalformedAnswer("its answer to session/new names no session");
    seen.modes = modesIn(session);
    seen.models = modelsIn(session);
    const wish = { mode: agent.mode, options: agent.session_options };
    const problem = await ensureMode(context, session.sessionId, session, wish, () => mode);
    if (problem !== null) throw new WrongMode(problem);
    const otherModel = await ensureModel(context, session.sessionId, session, agent);
    if (otherModel !== null) throw new WrongModel(otherModel);
  };

  let problem: string | null = null;
  try {
    await app.connectWith(lines, begin);
  } catch (error) {
    if (![RequestError, MalformedAnswer, WrongMode, WrongModel].some((known) => error instanceof known))
      await waitForExit(ended);
    problem = late
      ? `The agent was not ready within ${agent.limits.start_seconds} seconds.`
      : describeOutcome(describeBrokenOff(error, exit, lines, stderr, agent, { wall: Date.now, run: Date.now }));
  } finally {
    clearTimeout(timer);
    process.kill();
    process.stdout.destroy();
    await ended;
  }
  return { ...seen, mode: problem === null ? agent.mode : null, problem };
}

function describeOutcome(outcome: ReturnType<typeof describeBrokenOff>): string {
  if (outcome.kind === "clarification") return outcome.question;
  return "message" in outcome ? outcome.message : outcome.kind;
}
