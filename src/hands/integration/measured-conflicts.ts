import type { VerdictReport } from "../../model/settings/check.js";
import type { FileConflict } from "../../model/plan/level.js";
import type { PlanRef } from "../../model/run.js";
import { detectConflicts } from "./detect-conflicts.js";
import type { AttemptResult } from "../attempts/attempt-order.js";
import type { IntegrationRecord } from "./integration-record.js";
import type { ResolutionRecord } from "./resolve-conflict.js";
import type { ReviewParts } from "./review-level.js";

/* Measurements of an integrated task: whom it met in which files, and reasons to doubt it. */

interface Landed {
  readonly result: AttemptResult | null;
  readonly integration: IntegrationRecord | null;
  readonly resolution: ResolutionRecord | null;
}

/** Files this task changed that another one, on the branch since this one began, changed too. */
export async function conflictsOf(
  parts: Pick<ReviewParts, "layout" | "resultOf" | "landedBetween">,
  index: number,
  { result, integration, resolution }: Landed,
): Promise<FileConflict[]> {
  if (result === null || integration?.outcome.status !== "integrated") return [];
  const { commit, by_keys } = integration.outcome;
  const others: { index: number; changes: ReturnType<typeof asChanges> }[] = [];
  for (const { task_id, attempt } of await parts.landedBetween(result.base, commit)) {
    const other = parts.layout.indexOf.get(task_id) ?? -1;
    const theirs = await parts.resultOf(task_id, attempt);
    if (other >= 0 && other !== index && theirs !== null) others.push({ index: other, changes: asChanges(theirs) });
  }
  const how = (path: string) => {
    if (resolution?.paths.includes(path) === true)
      return `resolved by an agent: ${resolution.answer?.fixes_applied.join("; ") ?? ""}`;
    return by_keys.includes(path) ? "merged by keys" : "merged by lines, all kept, and verified together";
  };
  return detectConflicts([{ index, changes: asChanges(result) }, ...others])
    .filter(({ ac_indices }) => ac_indices.includes(index))
    .map((conflict) => ({
      ...conflict,
      ...(resolution?.paths.includes(conflict.file_path) === true && conflict.kind === "same_file"
        ? { kind: "same_lines" as const }
        : {}),
      resolved: true,
      resolution_description: how(conflict.file_path),
    }));
}

function asChanges({ changes }: AttemptResult) {
  return changes.map(({ path, change }) => ({
    path,
    change: change === "typechanged" ? ("modified" as const) : change,
  }));
}

export function warningOf({ tasks }: PlanRef, { file_path, ac_indices }: FileConflict, self: number): string {
  const others = ac_indices.filter((i) => i !== self).map((i) => tasks[i]?.task_id ?? String(i));
  return `${file_path} was changed by ${others.join(", ")} at the same time; look at it as it is now`;
}

/** Lists doubts about the quality that prove nothing: they are reported and are not reasons to refuse. */
export function concerns(
  result: AttemptResult | null,
  verdict: VerdictReport | null,
  integration: IntegrationRecord | null,
): string[] {
  const together = integration?.outcome.status === "integrated" ? integration.outcome.report : null;
  const flaky = [...(verdict?.flaky ?? []), ...(together?.flaky ?? [])];
  const names = [...new Set(flaky.map(({ check, finding }) => `${check}: ${finding.name}`))];
  const alone = verdict?.pre_existing.length ?? 0;
  const grown = together === null ? 0 : together.pre_existing.length - alone;
  // Records of earlier versions know nothing of security.
  const unsafe = (verdict?.security ?? []).map(
    ({ kind, path, rule_id }) => `${kind.replaceAll("_", " ")}${path === null ? "" : ` in ${path}`} (${rule_id})`,
  );
  return [
    ...mismatches(result),
    ...(names.length === 0 ? [] : [`passes only sometimes: ${names.slice(0, 5).join(", ")}`]),
    ...(unsafe.length === 0 ? [] : [`may be unsafe: ${[...new Set(unsafe)].slice(0, 5).join(", ")}`]),
    ...(grown > 0 ? [`${grown} more fail on the branch than when it was verified alone, and failed there before`] : []),
  ];
}

/** Compares the edits that an agent reports with those git sees, in both directions: git decides. */
function mismatches(result: AttemptResult | null): string[] {
  if (result === null || result.reported.length === 0) return [];
  const said = new Set(result.reported);
  const silent = result.changes.map(({ path }) => path).filter((path) => !said.has(path));
  // Records of earlier versions know nothing of edits that were never made.
  const unmade = result.unmade ?? [];
  return [
    ...(silent.length === 0 ? [] : [`changed without saying so: ${silent.slice(0, 5).join(", ")}`]),
    ...(unmade.length === 0 ? [] : [`said to be changed, and it is not: ${unmade.slice(0, 5).join(", ")}`]),
  ];
}
