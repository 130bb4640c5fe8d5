import { join } from "node:path";
import { agentPace } from "../../hands/attempts/agent-pace.js";
import { agentSettings } from "../../hands/attempts/agents-of.js";
import type { AttemptParts } from "../../hands/attempts/run-attempts.js";
import type { ExecuteOptions } from "./execute-options.js";

/** The pace of agents on this machine, as the settings of each have it. */
export function paceHere(
  stateFolder: string,
  { configuration, models }: Pick<ExecuteOptions, "configuration" | "models">,
): NonNullable<AttemptParts["untilMayBegin"]> {
  const pace = agentPace(join(stateFolder, "pace"), Date.now);
  return async ({ agent, model }, signal, waits) => {
    const { starts_per_minute: perMinute } = agentSettings(agent, configuration, models, model).settings;
    if (perMinute === undefined) return;
    await pace.take({ agent, perMinute }, signal, () =>
      waits(`waits: ${agent} may begin ${perMinute} times a minute (starts_per_minute)`),
    );
  };
}
