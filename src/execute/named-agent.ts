import { AgentPreset, AgentSettings } from "../model/agent-config.js";
import type { Configuration } from "../model/configuration.js";

/** As it is configured, or the preset of that name; null when there is neither. */
export function namedAgent(name: string, { agents }: Pick<Configuration, "agents">): AgentSettings | null {
  const own = Object.hasOwn(agents, name) ? agents[name] : undefined;
  const preset = AgentPreset.safeParse(name);
  return own ?? (preset.success ? AgentSettings.parse({ preset: preset.data }) : null);
}
