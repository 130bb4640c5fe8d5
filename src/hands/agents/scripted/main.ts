#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import {
  agent,
  type AgentContext,
  type ContentBlock,
  type McpServer,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type SessionConfigOption,
} from "@agentclientprotocol/sdk";
import { VERSION } from "../../../version.js";
import { promiseAskedIn } from "../../../mind/scope/promise.js";
import { type Arguments, readArguments } from "./arguments.js";
import { findScript } from "./script.js";
import { keep, knownSession, newSession, type Session } from "./sessions.js";
import { type CommandContext, modelOption, print, Turn } from "./turn.js";

/*
 * The scripted agent: a program that speaks the Agent Client Protocol and does what a script says. It uses no model, no
 * key and no network, so everything around an agent can be tried and tested with it.
 */

/** How a prompt begins that goes on in the same session. */
const LATER = /^## Iteration (\d+) of \d+$/m;

const args = readArguments(process.argv.slice(2), process.env);
if (typeof args === "string") {
  process.stderr.write(`${args}\n`);
  process.exitCode = 2;
} else if (args.version) process.stdout.write(`${VERSION}\n`);
else await serve(args);

async function serve({ profile, faults, script, mode, models, models_by }: Arguments): Promise<void> {
  const has = (fault: Arguments["faults"][number]) => faults.includes(fault);
  if (has("exit")) process.exit(3);
  if (has("garbage")) await print('Welcome!\n{"half": \n[1]\n');
  if (has("silent")) setInterval(() => undefined, 60_000);

  const sessions = new Map<string, { session: Session; place: CommandContext }>();
  const running = new Map<string, AbortController>();
  /** The first prompt of each session: later ones do not repeat the task. */
  const first = new Map<string, string>();
  const modes = (session: Session) => {
    const ids = has("mode-missing") ? ["other"] : profile.modes.map(({ id }) => id);
    const option: SessionConfigOption = {
      id: "mode",
      name: "Mode",
      category: "mode",
      type: "select",
      currentValue: session.mode,
      options: ids.map((id) => ({ value: id, name: id })),
    };
    const others = Object.entries(session.options).map(([id, value]) => ({
      ...option,
      id,
      name: id,
      category: "permissions",
      currentValue: value,
      options: ["on", "off"].map((each) => ({ value: each, name: each })),
    }));
    const model_options = session.model === null || models_by !== "option" ? [] : [modelOption(session.model, models)];
    const by_option = profile.mode_by === "option";
    const configOptions = [...(by_option ? [option, ...others] : []), ...model_options];
    return {
      ...(configOptions.length === 0 ? {} : { configOptions }),
      ...(by_option
        ? {}
        : { modes: { currentModeId: session.mode, availableModes: ids.map((id) => ({ id, name: id })) } }),
      ...(session.model === null || models_by !== "models"
        ? {}
        : {
            models: {
              currentModelId: session.model,
              availableModels: models.map((each) => ({ modelId: each, name: each })),
            },
          }),
    };
  };
  const changeModel = (session: Session, to: string) => {
    if (!models.includes(to)) throw RequestError.invalidParams(undefined, `there is no model ${to}`);
    if (!has("model-ignored")) session.model = to;
    keep(session);
  };
  const open = (session: Session, { cwd, mcpServers }: { cwd: string; mcpServers?: McpServer[] }) => {
    sessions.set(session.id, { session, place: { cwd, servers: mcpServers ?? [] } });
    return modes(session);
  };
  const find = (id: string) => {
    const found = sessions.get(id);
    if (found === undefined) throw RequestError.sessionNotFound(id);
    return found;
  };
  const requireSession = (id: string) => {
    const session = knownSession(id);
    if (session === null) throw RequestError.sessionNotFound(id);
    return session;
  };
  const changeMode = async (client: AgentContext, session: Session, to: string) => {
    if (!has("mode-ignored")) session.mode = to;
    keep(session);
    const update = { sessionUpdate: "current_mode_update" as const, currentModeId: session.mode };
    await client.notify(methods.client.session.update, { sessionId: session.id, update });
  };

  const app = agent({ name: "scripted" })
    .onRequest(methods.agent.initialize, () => {
      if (has("silent")) return new Promise<never>(() => undefined);
      return {
        protocolVersion: has("protocol") ? 99 : PROTOCOL_VERSION,
        agentInfo: { name: "scripted", version: VERSION },
        agentCapabilities: {
          loadSession: profile.load,
          promptCapabilities: { image: profile.images },
          sessionCapabilities: { close: {}, ...(profile.resume ? { resume: {} } : {}) },
        },
      };
    })
    .onRequest(methods.agent.session.new, ({ params }) => {
      if (has("no-session")) return {} as never;
      const options = Object.fromEntries(profile.options.map(({ id, value }) => [id, value]));
      const session = newSession(mode ?? profile.modes[0]?.id ?? "ask", options, models[0] ?? null);
      return { sessionId: session.id, ...open(session, params) };
    })
    .onRequest(methods.agent.session.resume, ({ params }) => {
      if (!profile.resume) throw RequestError.methodNotFound(methods.agent.session.resume);
      return open(requireSession(params.sessionId), params);
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      if (!profile.load) throw RequestError.methodNotFound(methods.agent.session.load);
      const session = requireSession(params.sessionId);
      for (const text of session.said)
        await client.notify(methods.client.session.update, {
          sessionId: session.id,
          update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
        });
      return open(session, params);
    })
    .onRequest(methods.agent.session.close, ({ params }) => {
      sessions.delete(params.sessionId);
    })
    .onRequest(methods.agent.session.setMode, async ({ params, client }) => {
      await changeMode(client, find(params.sessionId).session, params.modeId);
    })
    .onRequest(methods.agent.session.setConfigOption, async ({ params, client }) => {
      const { session } = find(params.sessionId);
      if (params.configId === "mode") await changeMode(client, session, String(params.value));
      else if (params.configId === "model") changeModel(session, String(params.value));
      else session.options[params.configId] = String(params.value);
      return { configOptions: modes(session).configOptions ?? [] };
    })
    .onRequest("*", ({ method, params }) => {
      if (method !== "session/set_model") throw RequestError.methodNotFound(method);
      const { sessionId, modelId } = params as { sessionId: string; modelId: string };
      changeModel(find(sessionId).session, modelId);
      return {};
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => running.get(params.sessionId)?.abort())
    .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
      const { session, place } = find(params.sessionId);
      const prompt = params.prompt.map(textOfBlock).join("\n");
      const file = script === null ? null : { name: script, text: readFileSync(script, "utf8") };
      const iteration = Number(LATER.exec(prompt)?.[1] ?? "1");
      if (iteration === 1) first.set(session.id, prompt);
      const attempt = Number(process.env["COORDINATOR_ATTEMPT"] ?? "1");
      // Later prompts do not repeat the task: a script knows one by the words of both.
      const task =
        iteration > 1 && !prompt.includes("```script") ? `${first.get(session.id) ?? ""}\n${prompt}` : prompt;
      const found = findScript(task, file, { attempt, iteration });
      if (!found.ok) throw RequestError.invalidParams(undefined, found.message);
      session.prompts++;
      keep(session);
      const abort = new AbortController();
      running.set(session.id, abort);
      return new Turn(client, session, profile, place, abort.signal, promiseAskedIn(prompt)).follow(found.steps);
    });

  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), input));
  await connection.closed;
  process.exit(0);
}

/** A script may look for an image by its kind and its size. */
function textOfBlock(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  return block.type === "image" ? `[seen ${block.mimeType} of ${block.data.length} characters]` : "";
}
