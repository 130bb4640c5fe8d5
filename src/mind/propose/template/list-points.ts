import { oneLine, replaceHalfCharacters } from "../words.js";

/* Points that a request lists one under another. */

export interface ListPoints {
  readonly texts: readonly string[];
  /** Numbered: the one before it comes first. */
  readonly ordered: boolean;
}

/** More points than these are detail of one thing, and no part of them says where all of it goes. */
export const MOST_POINTS = 8;
const POINT = /^\s{0,8}(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ x]\]\s+)?(\S.*)$/;

export function listPoints(text: string): ListPoints {
  const found = pointLines(text);
  const texts = found.map((line) => oneLine(POINT.exec(line)?.[1] ?? "")).filter((point) => /\p{L}{2}/u.test(point));
  return { texts, ordered: found.every((line) => /^\s*\d/.test(line)) };
}

function pointLines(text: string): string[] {
  return replaceHalfCharacters(text)
    .split(/\r?\n/)
    .filter((line) => POINT.test(line));
}

/** Verbs by which a point of a list asks for work. "Open the page" and "Click" say how a defect is seen. */
export const WORK_VERB =
  "(?:add|adjust|allow|build|change|clean|correct|create|delete|deprecate|disable|document|drop|enable|ensure|explain|export|extend|extract|fix|format|handle|implement|improve|introduce|let|limit|log|make|mention|migrate|move|prevent|print|raise|refactor|reject|remove|rename|replace|return|rewrite|round|say|simplify|skip|sort|split|stop|support|switch|update|validate|write)";
const ASKS = new RegExp(`^\\W*(?:(?:please|then|also)\\s+)*${WORK_VERB}\\b`, "i");
const ORDER_TO_LIST = new RegExp(
  `^\\W*(?:(?:please|we need to|we want to|we have to|i want to|i need to|let'?s|can you|could you)\\s+)*${WORK_VERB}\\b.*:$`,
  "i",
);
const LIST_OF_WORK = /^(?:we|i|it|there)?\b.{0,60}\b(?:need|needs|want|wants|tasks?|to ?do|changes?)\b.{0,40}:$/i;
/** A report of a defect, a form that was filled in, or code: what it lists is not work. */
const REPORTS =
  /^#{1,6}\s|```|^\s*\*\*[^*\n]+\*\*\s*:?\s*$|\b(?:steps to reproduce|to reproduce|expected behaviou?r|actual behaviou?r|environment|versions?:)/im;

/**
 * Whether what a text lists are things to do: each point asks for something, or the line above them orders them. Steps
 * that show a defect, versions and check boxes of a form are none. Contract: pure.
 */
export function listsWork(text: string): boolean {
  const points = listPoints(text).texts;
  if (points.length === 0) return false;
  if (points.every((point) => ASKS.test(point))) return true;
  if (REPORTS.test(text)) return false;
  const lines = replaceHalfCharacters(text).split(/\r?\n/);
  const first = lines.findIndex((line) => POINT.test(line));
  const intro = oneLine(lines.slice(0, first).findLast((line) => line.trim() !== "") ?? "");
  return ORDER_TO_LIST.test(intro) || LIST_OF_WORK.test(intro);
}

/** Returns the text around the points: it holds for all of them. */
export function textAroundPoints(text: string): string {
  return text
    .split(/\r?\n/)
    .filter((line) => !POINT.test(line))
    .join("\n");
}

export function hasManyPoints(text: string): boolean {
  return listPoints(text).texts.length > MOST_POINTS;
}
