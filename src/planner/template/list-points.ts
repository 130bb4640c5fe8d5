import { oneLine, whole } from "../words.js";

/* What a request lists one under another. */

export interface ListPoints {
  readonly texts: readonly string[];
  /** Numbered: the one before it comes first. */
  readonly ordered: boolean;
}

/** More points than these are detail of one thing, and no part of them says where all of it goes. */
export const MOST_POINTS = 8;
const POINT = /^\s{0,8}(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ x]\]\s+)?(\S.*)$/;

export function listPoints(text: string): ListPoints {
  const found = whole(text)
    .split(/\r?\n/)
    .filter((line) => POINT.test(line));
  const texts = found.map((line) => oneLine(POINT.exec(line)?.[1] ?? "")).filter((point) => /\p{L}{2}/u.test(point));
  return { texts, ordered: found.every((line) => /^\s*\d/.test(line)) };
}

/** What stands around the points: it holds for all of them. */
export function textAroundPoints(text: string): string {
  return text
    .split(/\r?\n/)
    .filter((line) => !POINT.test(line))
    .join("\n");
}

export function hasManyPoints(text: string): boolean {
  return listPoints(text).texts.length > MOST_POINTS;
}
