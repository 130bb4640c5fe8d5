import type { AgentEntry } from "../../../model/plan/registry.js";
import type { ScopePolicy } from "../../../model/settings/scope-policy.js";
import { serverReach } from "./governance-reaches.js";
import { reachId } from "./reach.js";
import { hostReaches } from "./settings-reaches.js";
import type { TrustStatus } from "./trust-status.js";

/* The governance folder of a project without parts that a person has not agreed to: they have no effect. */

type Standing = Pick<TrustStatus, "reaches">;

/** The roles with the servers that a person agreed to, and without the others. */
export function trustedRoles(roles: readonly AgentEntry[], { reaches }: Standing): AgentEntry[] {
  const agreed = new Set(reaches.filter(({ status }) => status === "agreed").map(({ id }) => id));
  return roles.map((role) => {
    if (role.mcp_servers === undefined || role.mcp_servers.length === 0) return role;
    const kept = role.mcp_servers.filter((server) => agreed.has(reachId(serverReach(role.id, server))));
    return { ...role, mcp_servers: kept };
  });
}

/** The policy with the hosts that belong to presets or that a person allowed, and without the others. */
export function trustedPolicy(policy: ScopePolicy, { reaches }: Standing): ScopePolicy {
  const allowed = reaches.filter(({ status }) => status === "agreed" || status === "own").map(({ name }) => name);
  const beyond = hostReaches(policy.network, "policy_host", "", NOBODYS).map(({ name }) => name);
  return { ...policy, network: policy.network.filter((host) => !beyond.includes(host) || allowed.includes(host)) };
}

const NOBODYS = { hosts: [], scope: { read: [], commands: [], network: [] } };
