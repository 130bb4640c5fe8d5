import type { AgentSettings } from "../../model/settings/agent-config.js";
import type { Configuration, WorkspaceSettings } from "../../model/settings/configuration.js";
import { CoordinatorError } from "../../model/errors.js";
import { resolveAgent } from "../agents/resolve-agent.js";
import { requireAgreement } from "../attempts/agreed-logins.js";
import type { AttemptOrder } from "../attempts/attempt-order.js";
import { withModel } from "../attempts/named-agent.js";
import { isPlainPreset } from "../settings/trust/agent-reach.js";

/*
 * The things of this machine that a piece of work gets: only those that the person who runs the worker has in their own settings. Work comes out of a
 * database, and anybody who can write there must not choose which folders, keys and logins of this machine an agent is given.
 */

/** The person's own settings on the worker's machine; nothing of any project is in them. */
export type OwnSettings = Configuration;

/** The agent of an order as this machine has it: its own settings count before those that came with the order. */
export function agentHere(asked: AttemptOrder["agent"], own: OwnSettings): AttemptOrder["agent"] {
  const mine = Object.hasOwn(own.agents, asked.name) ? own.agents[asked.name] : undefined;
  const settings = mine === undefined ? asked.settings : withModel(mine, asked.settings.model ?? null);
  const { auth } = resolveAgent(asked.name, settings);
  requireAgreement(asked.name, settings.preset, auth, own);
  if (mine === undefined && !isPlainPreset(settings) && givesAway(settings))
    throw new CoordinatorError(
      "NOT_TRUSTED",
      `The agent ${asked.name} would be given keys or variables of this machine`,
      {
        fix: `If it may have them, name ${asked.name} under agents in the worker's own settings, ~/.config/coordinator/config.yaml.`,
      },
    );
  return { ...asked, settings };
}

function givesAway({ auth, mcp_servers }: AgentSettings): boolean {
  return (auth !== undefined && auth.type !== "none") || mcp_servers.some(({ env }) => env.length > 0);
}

type Workspace = Pick<WorkspaceSettings, "setup" | "tools">;

/** Contract: no folder of this machine is shown that its own settings do not name. */
export function workspaceHere<Asked extends Workspace>(asked: Asked, { workspace: own }: OwnSettings): Asked {
  const { setup } = asked;
  const agreed = new Set((own.setup?.mounts ?? []).map((mount) => JSON.stringify(mount)));
  const mounts = (setup?.mounts ?? []).filter((mount) => agreed.has(JSON.stringify(mount)));
  return { ...asked, tools: [...own.tools], ...(setup === undefined ? {} : { setup: { ...setup, mounts } }) };
}

/** The variables that hold keys of this agent: the only secrets its shim is given. */
export function keysOf({ name, settings }: AttemptOrder["agent"]): string[] {
  const { auth } = resolveAgent(name, settings);
  const given = settings.mcp_servers.flatMap(({ env }) => env);
  return [...(auth.type === "proxy" ? [auth.key_env] : []), ...given];
}
