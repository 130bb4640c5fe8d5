import type { FoundAgent } from "../../hands/agents/find-agents.js";
import { PRESETS } from "../../hands/agents/presets/presets.js";
import type { DraftedAgent } from "../../hands/settings/draft-configuration.js";
import type { AgentPreset } from "../../model/settings/agent-config.js";

/* Which agents of this machine a new coordinator.yaml names, and what is said of them. */

/** The script of the scripted agent, for rehearsals. */
const SCRIPT = "rehearsal.json";

/** Chooses agents that are installed and logged in; else those that only lack a login; or the one that was asked for. */
export function agentsFor(found: readonly FoundAgent[], chosen: AgentPreset | undefined): DraftedAgent[] {
  const real = found.filter(({ preset }) => preset !== "scripted");
  const ready = real.filter((agent) => agent.ready);
  const usable = ready.length > 0 ? ready : real.filter(({ program }) => program !== null);
  return (chosen === undefined ? usable : found.filter(({ preset }) => preset === chosen)).map(
    ({ name, preset, title, login, keys_set, login_files, program, fix }) => {
      const known = PRESETS[preset ?? "scripted"];
      if (known.name === "scripted")
        return {
          name,
          settings: { preset: known.name, env: { COORDINATOR_SCRIPT: SCRIPT } },
          note: `${title}: it does what ${SCRIPT} in the repository says, and asks no model.`,
        };
      const [key] = keys_set;
      if (login !== "key" || key === undefined || known.upstream === null) {
        const note =
          login === "login_file"
            ? `${title}, with the login of the person who agrees to it (logins: [${known.name}]): it can read ${login_files.join(", ")}.`
            : program !== null && login === "none"
              ? `${title} is installed, but not logged in. ${fix ?? ""}`
              : `${title}.`;
        return { name, settings: { preset: known.name }, note, login: login === "login_file" };
      }
      const { url, routes, header } = known.upstream;
      const auth = { type: "proxy" as const, upstream: url, routes: [...routes], key_env: key, header };
      return {
        name,
        settings: { preset: known.name, auth },
        note: `${title}. The key in ${key} is added outside; it never sees it.`,
      };
    },
  );
}

export function describeAgents(found: readonly FoundAgent[], drafted: readonly DraftedAgent[]): string {
  if (drafted.length === 0) return "none is installed; coordinator doctor says how to install each";
  return drafted
    .map(({ name }) => {
      const agent = found.find((each) => each.name === name);
      if (agent?.program === null) return `${name} (not installed)`;
      return agent?.login === "none" ? `${name} (installed, but not logged in)` : name;
    })
    .join(", ");
}
