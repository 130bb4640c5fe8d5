import type { HostReport, RunPublished } from "../../../app/host-reports.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import type { Paint } from "./screen.js";

export function hostText(report: HostReport, paint: Paint): string[] {
  return publishedText(report, paint);
}

const HOW = {
  created: "opened",
  adopted: "was there and stays",
  updated: "was there and has the new text",
  merged: "was merged already",
} as const;

function publishedText({ run_id, repository, status, waits, parts, drafts }: RunPublished, paint: Paint): string[] {
  const done = parts.flatMap(({ pull, address, branch, base, head, how, notes }) => [
    `${paint.good("+ published")}  #${pull} ${HOW[how]}: ${oneLine(address)}`,
    `  ${branch} onto ${base}, head ${head.slice(0, 12)}, status coordinator/verified`,
    ...notes.map((note) => `  ${paint.bad("!")} ${oneLine(note)}`),
  ]);
  const shown = drafts.flatMap(({ branch, base, head, title, body }) => [
    `Would push ${head.slice(0, 12)} to ${branch} of ${repository} and open a pull request onto ${base}:`,
    "",
    `# ${title}`,
    "",
    ...body.split("\n"),
  ]);
  const left =
    status !== "waiting" || waits === null
      ? []
      : [
          `${paint.bad("~ waits")}  ${run_id}: ${oneLine(waits.reason)}`,
          `Fix: coordinator publish ${run_id}${waits.until === null ? " sends the rest, when the host answers." : ` after ${waits.until} sends the rest.`}`,
        ];
  return [...done, ...shown, ...left, ...(status === "dry_run" ? ["", "Nothing was sent."] : [])];
}
