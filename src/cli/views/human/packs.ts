import type { EstimateRatio } from "../../../model/settings/packs.js";
import type { FactsCollected, MemoryBuilt } from "../../../app/registry-reports.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { count, type Paint } from "./screen.js";

export function factsText({ pack, kept, unknown, writtenTo }: FactsCollected, paint: Paint): string[] {
  const lines = Object.entries(pack.facts).map(([name, stated]) => {
    const [first] = Array.isArray(stated) ? stated : [stated];
    const value = oneLine(JSON.stringify(first?.value ?? null));
    const how = kept.includes(name) ? "kept" : "seen";
    return `  ${name.padEnd(20)} ${value.padEnd(28)} ${paint.dim(`${how}, ${oneLine(first?.evidence_ref ?? "")}`)}`;
  });
  return [
    `Facts of ${oneLine(pack.project_id)}`,
    ...lines,
    ...(unknown.length === 0 ? [] : ["", `Not known: ${unknown.join(", ")}. A plan asks when a rule needs one.`]),
    "",
    `Written: ${writtenTo} (${pack.pack_id}, ${count(lines.length, "fact")})`,
  ];
}

export function memoryText({ pack, learned, writtenTo }: MemoryBuilt, _paint: Paint): string[] {
  return [
    `Memory of ${oneLine(pack.project_id)}: ${count(pack.notes.length, "note")}, history of ${count(pack.history.length, "command")}, ${count(pack.answers.length, "remembered answer")}`,
    `Learned from ${count(learned.observations, "observation")} and ${count(learned.plans, "plan")}`,
    ...(pack.ratios === undefined ? [] : [`Estimates corrected by runs: ${pack.ratios.map(ratioText).join(", ")}`]),
    `Written: ${writtenTo} (${pack.pack_id})`,
  ];
}

/** `implement_feature tokens × 1.8 (12 tasks)`. */
function ratioText({ name, tokens, token_samples, minutes, minute_samples }: EstimateRatio): string {
  const parts = [
    ...(tokens === null ? [] : [`tokens × ${tokens} (${count(token_samples, "task")})`]),
    ...(minutes === null ? [] : [`time × ${minutes} (${count(minute_samples, "task")})`]),
  ];
  return `${oneLine(name)} ${parts.join(" and ")}`;
}
