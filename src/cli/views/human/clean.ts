import type { CleanDone } from "../../../app/setup-reports.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { count, type Paint } from "./screen.js";

const WORDS = { remove: "remove", salvage_and_remove: "salvage", keep: "keep" };

export function cleanText({ repository, entries, cleaned }: CleanDone, paint: Paint): string[] {
  const lines = entries.map(({ name, action, reason }) => {
    const failed = cleaned?.kept.find((kept) => kept.name === name && action !== "keep");
    const mark = failed === undefined ? (action === "keep" ? paint.dim("- ") : paint.good("+ ")) : paint.bad("x ");
    return `${mark}${WORDS[action].padEnd(8)} ${oneLine(name)}  ${paint.dim(oneLine(failed?.reason ?? reason))}`;
  });
  const going = entries.filter(({ action }) => action !== "keep").length;
  const summary =
    cleaned === null
      ? `${count(going, "thing")} of ${oneLine(repository)} would go, ${entries.length - going} would stay. Nothing was changed.`
      : `${count(cleaned.removed.length, "thing")} of ${oneLine(repository)} removed, ${cleaned.kept.length} kept.`;
  return [...lines, ...(lines.length === 0 ? [] : [""]), summary];
}
