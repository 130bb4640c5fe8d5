import type { FactPack, MemoryPack } from "../../../model/settings/packs.js";
import { blockGuard, type Guard, passGuard } from "../transition.js";
import type { ParsedIntent } from "../parse-intent.js";

/** Without what is known and what is remembered of the project there is nothing to plan on. */
export function contextGuards({ intent }: ParsedIntent, facts: FactPack | null, memory: MemoryPack | null): Guard[] {
  return [
    packGuard("memory_pack_available", "memory pack", memory, intent.scope.project_id, "coordinator memory build"),
    packGuard("fact_pack_available", "fact pack", facts, intent.scope.project_id, "coordinator facts collect"),
  ];
}

function packGuard(
  name: string,
  what: string,
  pack: FactPack | MemoryPack | null,
  projectId: string,
  make: string,
): Guard {
  const recovery = [`Make one with \`${make} --project ${projectId}\`, or name its file on the command line.`];
  if (pack === null) return blockGuard(name, `There is no ${what}`, { type: "constraint_violation", recovery });
  if (pack.project_id !== projectId)
    return blockGuard(name, `The ${what} ${pack.pack_id} is of project ${pack.project_id}, not ${projectId}`, {
      type: "constraint_violation",
      recovery,
    });
  return passGuard(name, `The ${what} ${pack.pack_id} is there`, [pack.pack_id]);
}
