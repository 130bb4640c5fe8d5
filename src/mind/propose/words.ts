import { codePoints } from "../../model/primitives.js";
import { unsafePath } from "../../model/plan/registry.js";

/* Names and texts made of what people wrote. Everything here is total: any text gives something that is allowed. */

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** The text with half characters replaced: nothing else has bytes, and so no checksum. */
export function replaceHalfCharacters(text: string): string {
  return text.replaceAll(LONE_SURROGATE, "\uFFFD");
}

/** At most so many characters, as people count them. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = Array.from(text);
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}

export function oneLine(text: string): string {
  return replaceHalfCharacters(text).replaceAll(/\s+/g, " ").trim();
}

const LEAST_TITLE = 5;
const MOST_TITLE = 120;

/** The first sentence of a request, as a title. */
export function titleOf(text: string): string {
  const lines = replaceHalfCharacters(text).split(/\r?\n/).map(oneLine);
  const first = lines.find((line) => /[\p{L}\p{N}]/u.test(line))?.replace(/^[#>*\-\s]+/, "") ?? "";
  const sentence = /^.{4,}?[.!?](?=\s)/su.exec(first)?.[0] ?? first;
  const title = cutText(sentence.replace(/[.!]+$/, "").trim(), MOST_TITLE);
  return codePoints(title) >= LEAST_TITLE ? title : `Request: ${title}`;
}

const NO_NAME = new Set(
  "a an and are as at be by for from in into is it its of on or our so that the their them then this to us we with you your please add make create implement write build fix update use using which what how should can could would investigate research evaluate compare document test tests".split(
    " ",
  ),
);
const MOST_SLUG = 36;

/** A short name of ASCII letters, digits and hyphens that says what a text is about. */
export function slugOf(text: string): string {
  const words = titleOf(text)
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, " ")
    .trim()
    .split(" ")
    .filter((word) => word !== "");
  const telling = words.filter((word) => !NO_NAME.has(word));
  let slug = "";
  for (const word of telling.length > 0 ? telling : words) {
    const longer = slug === "" ? word.slice(0, MOST_SLUG) : `${slug}-${word}`;
    if (longer.length > MOST_SLUG) break;
    slug = longer;
  }
  return slug === "" ? "request" : slug;
}

const MOST_PATHS = 50;

/** Paths that may stand in a scope: inside the repository, each once. */
export function safePaths(paths: readonly string[]): string[] {
  const safe = paths.filter((path) => path !== "" && path.length <= 512 && unsafePath(path) === null);
  return [...new Set(safe)].slice(0, MOST_PATHS);
}
