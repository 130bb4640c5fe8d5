import { AgentPreset, AgentSettings } from "../../model/settings/agent-config.js";
import type { Configuration } from "../../model/settings/configuration.js";

/** As it is configured, or the preset of that name; null when there is neither. */
export function namedAgent(name: string, { agents }: Pick<Configuration, "agents">): AgentSettings | null {
  const own = Object.hasOwn(agents, name) ? agents[name] : undefined;
  const preset = AgentPreset.safeParse(name);
  return own ?? (preset.success ? AgentSettings.parse({ preset: preset.data }) : null);
}

/** The settings with the model that was chosen. A price that was given for another model is not that of this one. */
export function withModel(settings: AgentSettings, model: string | null): AgentSettings {
  if (model === null || model === settings.model) return settings;
  const isFirst = settings.model === undefined && (settings.models ?? [model])[0] === model;
  const { prices, ...rest } = settings;
  return { ...rest, model, ...(prices === undefined || !isFirst ? {} : { prices }) };
}
