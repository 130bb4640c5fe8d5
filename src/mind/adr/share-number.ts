import type { ParsedAdr } from "./parse-adr.js";
import { nameOf, readFileName, slugOf } from "./adr-names.js";

/** Names of tasks have room for this much of a label. */
const LONGEST_LABEL = 44;

/** The other records among `names` that carry the number of this file. Contract: pure; records filed by date share none. */
export function filesSharingNumber(file: string, names: readonly string[]): readonly string[] {
  const own = readFileName(file);
  if (own.number === null) return [];
  const { series } = own;
  const number = nameOf(own.number);
  const last = file.split(/[/\\]/).at(-1);
  return names.filter((name) => {
    const other = readFileName(name);
    return name !== last && other.number !== null && nameOf(other.number) === number && other.series === series;
  });
}

/**
 * A record whose number others have too, called by its number and its words, with a diagnostic. Contract: the name hangs
 * on its file alone, so each of them keeps its own, and so do its tasks, whichever is read first.
 */
export function nameApart(adr: ParsedAdr, others: readonly string[]): ParsedAdr {
  if (others.length === 0) return adr;
  const { words, slug } = readFileName(adr.file);
  const twins = others.some((other) => slugOf(readFileName(other).words) === slugOf(words));
  const ending = /\.([a-z]+)$/i.exec(adr.file)?.[1] ?? "";
  const end = twins ? slugOf(`${trace(slug)} ${ending}`) : slugOf(words);
  const label = `${adr.label}-${end.slice(0, Math.max(8, LONGEST_LABEL - adr.label.length))}`.replace(/-+$/, "");
  return {
    ...adr,
    label,
    diagnostics: [
      ...adr.diagnostics,
      {
        code: "ADR_NUMBER_SHARED",
        path: "",
        message: `has the number of ${others.join(", ")} too; it is called ${label}`.slice(0, 400),
        file: adr.file,
        line: 1,
        column: 1,
        fix: "Give each record a number of its own.",
      },
    ],
  };
}

/** A few letters that stand for any name, also one in letters that no task is named with. */
function trace(name: string): string {
  let hash = 0;
  for (let at = 0; at < name.length; at++) hash = (hash * 31 + name.charCodeAt(at)) >>> 0;
  return hash.toString(36);
}
