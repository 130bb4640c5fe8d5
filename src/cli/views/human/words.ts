import type { Refusal } from "../../../model/scope.js";
import type { TaskWords } from "../../../app/inspect/overview.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { type Paint, wrap } from "./screen.js";

/* Last words of agents and their refused actions, for people. */

/** The refusals that the work may depend on; those that were settled are counted. */
export function refusedLines(refused: readonly Refusal[], most: number, indent: string): string[] {
  const open = refused.filter(({ settled }) => settled === undefined);
  const settled = refused.length - open.length;
  return [
    ...open
      .slice(0, most)
      .map(({ what, reason, rule_id }) =>
        wrap(`refused: ${oneLine(what).slice(0, 200)}. ${oneLine(reason).slice(0, 200)} (${rule_id})`, indent),
      ),
    ...(open.length > most ? [`${indent}refused: ${open.length - most} more`] : []),
    ...(settled === 0 ? [] : [`${indent}refused: ${settled}${open.length === 0 ? "" : " more"}, and done another way`]),
  ];
}

/** The end of what was said is what was said last. */
export function lastLine(said: string | null, most: number, indent: string): string[] {
  if (said === null) return [];
  const text = oneLine(said).trim();
  return [wrap(`said: ${text.length > most ? `… ${text.slice(-most)}` : text}`, indent)];
}

/** A section with the last words of tasks; those that were refused something first. */
export function lastWordsText(words: readonly TaskWords[], most: number, letters: number, paint: Paint): string[] {
  const isOpen = ({ refused }: TaskWords) => refused.some(({ settled }) => settled === undefined);
  const ordered = words.toSorted((a, b) => Number(isOpen(b)) - Number(isOpen(a)));
  if (ordered.length === 0 || most === 0) return [];
  return [
    "",
    paint.bold("Last words"),
    ...ordered
      .slice(0, most)
      .flatMap(({ task_id, attempt, said, refused }) => [
        `  ${oneLine(task_id)}, attempt ${attempt}`,
        ...lastLine(said, letters, "    "),
        ...refusedLines(refused, 3, "    "),
      ]),
    ...(ordered.length > most ? [`  and ${ordered.length - most} more; --json lists all`] : []),
  ];
}
