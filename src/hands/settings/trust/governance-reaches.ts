import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ReadBytes } from "../../../foundation/files/read-once.js";
import { readDocument } from "../../../foundation/documents/read-document.js";
import type { Configuration } from "../../../model/settings/configuration.js";
import type { AgentEntry } from "../../../model/plan/registry.js";
import { ScopePolicy } from "../../../model/settings/scope-policy.js";
import { readEntries } from "../../registry/read-entries.js";
import { findRegistryFiles } from "../../registry/registry-files.js";
import { describeServer } from "./agent-reach.js";
import type { Reach } from "./reach.js";
import { hostReaches } from "./settings-reaches.js";

/* Requests of a project's governance folder that reach beyond the project: servers of roles, and hosts of the scope policy. */

const REGISTRY = "governance/registry";
const SCOPE_FILES = ["governance/scope.yaml", "governance/scope.yml", "governance/scope.json"];

/** Contract: reads only. What cannot be read asks for nothing here; anyone who needs it says what is wrong with it. */
export async function governanceReaches(
  root: string,
  own: Pick<Configuration, "hosts" | "scope">,
  read?: ReadBytes,
): Promise<Reach[]> {
  const [registry, policy] = [nearest(root, [REGISTRY]), nearest(root, SCOPE_FILES)];
  return [
    ...(registry === null ? [] : await roleReaches(registry, read)),
    ...(policy === null
      ? []
      : hostReaches(await networkIn(policy, read), "policy_host", "governance/scope.yaml: network", own)),
  ];
}

/** One server of one role, as it is agreed to. */
export function serverReach(role: string, server: NonNullable<AgentEntry["mcp_servers"]>[number]): Reach {
  return {
    kind: "server",
    name: `${role}/${server.name}`,
    where: `${REGISTRY}: ${role}`,
    says: `role '${role}' ${describeServer(server)}`,
    content: server,
    allowedBy: "agreement",
    isOwn: false,
  };
}

async function roleReaches(registry: string, read: ReadBytes | undefined): Promise<Reach[]> {
  const { files } = await findRegistryFiles(registry, { optional: true });
  const reaches: Reach[] = [];
  for (const file of files.filter(({ kind }) => kind === "agent"))
    for (const { entry } of (await readEntries(file, { read })).entries)
      if (entry.kind === "agent")
        reaches.push(...(entry.mcp_servers ?? []).map((server) => serverReach(entry.id, server)));
  return reaches;
}

async function networkIn(file: string, read: ReadBytes | undefined): Promise<readonly string[]> {
  const document = await readDocument(file, { read }).catch(() => null);
  const parsed = ScopePolicy.safeParse(document?.ok === true ? document.value : null);
  return parsed.success ? parsed.data.network : [];
}

/** The first of these files, in the project's root or above it in the repository. */
function nearest(root: string, files: readonly string[]): string | null {
  for (let at = root; ; at = dirname(at)) {
    const found = files.map((file) => join(at, file)).find((file) => existsSync(file));
    if (found !== undefined) return found;
    if (existsSync(join(at, ".git")) || dirname(at) === at) return null;
  }
}
