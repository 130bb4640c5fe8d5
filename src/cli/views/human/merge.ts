import type { DiffShown, RunMerged } from "../../../app/run-reports.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { count, type Paint } from "./screen.js";

/** Shows the outcome of a merge. */
export function mergeText({ run_id, outcome }: RunMerged, paint: Paint): string[] {
  if (outcome.status === "refused")
    return [
      `${paint.bad("x not merged")}  ${run_id}: ${oneLine(outcome.reason)}`,
      "Nothing of yours was changed.",
      `Fix: ${oneLine(outcome.fix)}`,
    ];
  const { how, into, to, verdict, requirements, reviews, checkout } = outcome;
  const short = to.slice(0, 12);
  const what = {
    fast_forward: `${into} is at ${short}, forward from where it was`,
    merge_commit: `${into} is at ${short}, a merge of both`,
    exported: `the branch ${into} is made at ${short}`,
    already: `${into} has it already, at ${short}`,
  }[how];
  return [
    `${paint.good("+ merged")}  ${run_id}: ${what}`,
    ...(verdict === null ? [] : [`  checks on the merged tree: ${verdict.verdict}`]),
    ...requirementsLine(requirements),
    ...reviews.map(({ gate_id, by }) => `  review ${oneLine(gate_id)}: ${oneLine(by)}`),
    ...(checkout === null ? [] : [`  your files in ${checkout} are up to date with it`]),
    ...(how === "already" ? [] : [`  proof: git notes --ref=coord show ${short}`]),
  ];
}

function requirementsLine(requirements: Extract<RunMerged["outcome"], { status: "merged" }>["requirements"]): string[] {
  if (requirements === null) return [];
  const { results } = requirements;
  const others = results.filter(({ holds }) => holds !== true).map(({ id }) => id);
  const not = others.length === 0 ? "" : `, not ${others.join(", ")}`;
  return [`  requirements: ${results.length - others.length} of ${results.length} hold${not}`];
}

/** Coloured line by line as git does; what agents wrote keeps no colours of its own. */
export function diffText({ run_id, task_id, files, text }: DiffShown, paint: Paint): string[] {
  if (files.length === 0) return [`${task_id ?? run_id} changed nothing.`];
  const added = files.reduce((sum, file) => sum + (file.added ?? 0), 0);
  const removed = files.reduce((sum, file) => sum + (file.removed ?? 0), 0);
  return [
    ...(text ?? "").split("\n").map((line) => colourLine(line, paint)),
    `${count(files.length, "file")}, ${added} added, ${removed} removed`,
  ];
}

function colourLine(line: string, paint: Paint): string {
  if (/^(diff|index|---|\+\+\+|new file|deleted file|old mode|new mode|similarity|rename) ?/.test(line))
    return paint.bold(line);
  if (line.startsWith("@@")) return paint.dim(line);
  if (line.startsWith("+")) return paint.good(line);
  return line.startsWith("-") ? paint.bad(line) : line;
}
