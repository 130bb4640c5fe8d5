import type { MemoryPack } from "../../model/settings/packs.js";
import type { ExecutionPolicy } from "../../model/plan/policy.js";
import { UNKNOWN_PRICE } from "../../model/settings/prices.js";
import type { Proposal } from "../../model/proposal.js";
import type { CommandEntry, Registry } from "../../model/plan/registry.js";
import { estimateOf, type WorkEstimate } from "./estimates.js";

/** The limits that the person who asks has set. */
export interface Limits {
  readonly tokens: number | null;
  readonly seconds: number | null;
}

/** Twice for what is set aside at the start, and as much again for tries that fail: no estimate is exact. */
const ROOM = 4;
const FILES_OF_PATTERN = 50;

/**
 * Budgets that hold what the tasks will take with room to fail, and never more than the person has allowed. Where nobody
 * set a limit there is room for what the registry says of each command, if that is more than the estimate.
 */
export function budgetsOf(
  proposal: Proposal,
  commands: ReadonlyMap<string, CommandEntry>,
  known: {
    readonly registry: Registry;
    readonly memory: MemoryPack | null;
    readonly policy: ExecutionPolicy;
    readonly request: { readonly limits: Limits };
    readonly work?: WorkEstimate;
  },
) {
  let tokens = 0;
  let files = 0;
  for (const task of proposal.tasks) {
    const command = commands.get(task.command_id);
    if (command === undefined) continue;
    const usual = known.work?.at_most.get(task.id) ?? estimateOf(command, task.type, known.memory, null);
    tokens += Math.max(usual.tokens, known.work?.expected.get(task.id)?.tokens ?? 0);
    const named = [...command.writes, ...task.files, ...task.tests];
    // Who names nothing may write what its builder may.
    const owner = known.registry.agents.find(({ id }) => id === command.owner);
    for (const path of named.length > 0 ? named : (owner?.writes ?? []))
      files += /[*?{]/.test(path) ? FILES_OF_PATTERN : 1;
  }
  const room = Math.round(tokens * ROOM);
  const allowed = Math.min(room, known.request.limits.tokens ?? room);
  return {
    max_files: files * 2 + 10,
    max_commits: proposal.tasks.length * ROOM,
    max_tokens: allowed,
    max_cost_usd: cents((allowed * dearest(known)) / 1_000_000),
  };
}

/** The price of a million tokens that is never too low: of those who will work, else of every model that could. */
function dearest({ registry, policy }: { readonly registry: Registry; readonly policy: ExecutionPolicy }): number {
  const { workers } = policy;
  const prices =
    workers === undefined
      ? registry.models.filter(({ status }) => status === "active").map(({ price }) => price)
      : [workers.default, ...Object.values(workers.builders)].map(({ price }) => price ?? UNKNOWN_PRICE);
  return Math.max(1, ...prices.map((price) => Math.max(price.usd_per_million_in, price.usd_per_million_out)));
}

function cents(usd: number): number {
  return Math.max(1, Math.ceil(usd * 100) / 100);
}
