import { type ClientContext, type InitializeResponse, type McpServer, methods } from "@agentclientprotocol/sdk";
import type { AttemptRequest } from "../agent.js";
import { GO_ON, handoffPrompt, promptFor } from "../prompt.js";
import type { ResolvedAgent } from "../resolve-agent.js";
import type { OfferedModels } from "./session-model.js";
import type { OfferedModes } from "./session-mode.js";
import type { TurnRecord } from "./turn-record.js";

export interface OpenSession {
  readonly sessionId: string;
  readonly offered: OfferedModes & OfferedModels;
  readonly prompt: string;
}

/** The agent answered with something that is not a session. */
export class MalformedAnswer extends Error {}

/** The agent does not work with the model that was set. */
export class WrongModel extends Error {}

/** The agent is not in the mode that was set, and so may act without asking. */
export class WrongMode extends Error {}

/**
 * A session for this attempt: the one it names, resumed or loaded, else a new one. What an agent remembers is a help and
 * never relied on: a session that cannot be had again is replaced by a new one with a handoff.
 */
export async function openSession(
  agent: ClientContext,
  { agentCapabilities }: InitializeResponse,
  request: AttemptRequest,
  resolved: ResolvedAgent,
  record: TurnRecord,
): Promise<OpenSession> {
  const cwd = request.sandbox.root;
  const mcpServers = [...resolved.mcp_servers, ...request.mcp_servers].map(
    ({ name, argv: [command, ...args], env }): McpServer => ({ name, command, args, env: valuesOf(env ?? []) }),
  );
  const sessionId = request.session_id;
  if (sessionId !== undefined) {
    const prompt = `${GO_ON}\n\n${promptFor(request)}`;
    const resumes = resolved.resume && Boolean(agentCapabilities?.sessionCapabilities?.resume);
    const loads = resolved.load && agentCapabilities?.loadSession === true;
    const ways = [...(resumes ? [methods.agent.session.resume] : []), ...(loads ? [methods.agent.session.load] : [])];
    for (const way of ways) {
      record.replaying = way === methods.agent.session.load;
      try {
        const offered = (await agent.request(way, { sessionId, cwd, mcpServers })) as OfferedModes | null;
        await drainUpdates();
        return { sessionId, offered: offered ?? {}, prompt };
      } catch {
        await drainUpdates();
      } finally {
        record.replaying = false;
      }
    }
  }
  const made = await agent.request(methods.agent.session.new, { cwd, mcpServers });
  if (typeof made?.sessionId !== "string") throw new MalformedAnswer("its answer to session/new names no session");
  return { sessionId: made.sessionId, offered: made, prompt: promptOf(request) };
}

function valuesOf(names: readonly string[]): { name: string; value: string }[] {
  return names.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [{ name, value }];
  });
}

const promptOf = (request: AttemptRequest) =>
  request.session_id === undefined ? promptFor(request) : handoffPrompt(request);

/** Until every update that came before an answer has been taken: the answer itself is handed over sooner. */
export function drainUpdates(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
