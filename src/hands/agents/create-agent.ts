import type { AgentSettings } from "../../model/settings/agent-config.js";
import { acpAttempt } from "./acp/attempt.js";
import type { Agent } from "./agent.js";
import { commandAttempt } from "./command/attempt.js";
import type { Clocks } from "./limit-errors.js";
import { resolveAgent, type ResolveOptions } from "./resolve-agent.js";

export interface AgentOptions extends ResolveOptions {
  /** The run's clock, in which waits are measured; the wall clock when absent. */
  readonly runClock?: () => number;
}

/** The agent a configuration describes. */
export function createAgent(name: string, settings: AgentSettings, options: AgentOptions = {}): Agent {
  const agent = resolveAgent(name, settings, options);
  const clocks: Clocks = { wall: Date.now, run: options.runClock ?? Date.now };
  const attempt = agent.protocol === "acp" ? acpAttempt : commandAttempt;
  return { name, attempt: (request) => attempt(agent, request, clocks) };
}
