import type { Initialised } from "../../../app/setup-reports.js";
import { checkLines, triedLines } from "./doctor.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { type Paint } from "./screen.js";

export function initText(
  { seen, text, file, status, contract, context, checks, tried, next }: Initialised,
  paint: Paint,
): string[] {
  const marks = { written: `Written: ${file}`, drafted: "Nothing was written.", declined: "Nothing was written." };
  const open = checks.filter(({ status }) => status !== "good");
  return [
    ...seen.map(({ name, detail }) => `${name.padEnd(10)}  ${oneLine(detail)}`),
    "",
    ...text
      .trimEnd()
      .split("\n")
      .map((line) => paint.dim(`  ${line}`.trimEnd())),
    "",
    marks[status],
    ...(contract === null ? [] : [`Written: ${contract}, what the Coordinator may do by itself`]),
    ...(context === null ? [] : [`Written: ${context}, the documents that agents may be given; correct it`]),
    ...(open.length === 0 && tried.lines.every(({ status }) => status !== "bad")
      ? ["Doctor finds nothing to fix."]
      : open.flatMap((check) => checkLines(check, paint))),
    ...triedLines(tried, paint),
    ...(tried.commit === null ? [] : [""]),
    ...next.map((command) => `Next: ${command}`),
  ];
}
