/**
 * One step of a glob.
 * - a number: this code point
 * - `one`: one character inside a segment; `run`: any number of them
 * - `segments`: nothing, or anything up to and including a slash (`**` followed by `/`)
 * - `below`: nothing, or a slash and anything after it (`/` followed by a closing `**`)
 * - `anything`: any characters, slashes included (`**` alone)
 * - a list of lists: one of the alternatives
 */
export type GlobToken = number | "one" | "run" | "segments" | "below" | "anything" | readonly GlobToken[][];

/** Contract: total; what is not an operator is a literal. The number of tokens is linear in the length. */
export function tokenizeGlob(pattern: string): GlobToken[] {
  const text = withoutRepeatedGlobstars(pattern);
  const tokens: GlobToken[] = [];
  let at = 0;
  while (at < text.length) {
    const segmentStart = at === 0 || text[at - 1] === "/";
    if (segmentStart && text.startsWith("**/", at)) {
      tokens.push("segments");
      at += 3;
    } else if (segmentStart && text.startsWith("**", at) && at + 2 === text.length) {
      tokens.push("anything");
      at += 2;
    } else if (text.startsWith("/**", at) && at + 3 === text.length) {
      tokens.push("below");
      at += 3;
    } else if (text[at] === "*") {
      tokens.push("run");
      while (text[at] === "*") at += 1;
    } else if (text[at] === "?") {
      tokens.push("one");
      at += 1;
    } else if (text[at] === "{" && opensGroup(text, at)) {
      const close = text.indexOf("}", at);
      const alternatives = text.slice(at + 1, close).split(",");
      tokens.push(alternatives.map((alternative) => tokenizeGlob(alternative)));
      at = close + 1;
    } else {
      const code = text.codePointAt(at) ?? 0;
      tokens.push(code);
      at += code > 0xffff ? 2 : 1;
    }
  }
  return tokens;
}

/** Contract: true if the brace at `at` opens `{a,b}`. Groups do not nest; any other brace is a literal. */
export function opensGroup(text: string, at: number): boolean {
  const close = text.indexOf("}", at);
  if (close === -1) return false;
  const inner = text.slice(at + 1, close);
  return inner.includes(",") && !inner.includes("{");
}

// `a/**/**/b` means `a/**/b`: hostile patterns repeat it thousands of times.
function withoutRepeatedGlobstars(pattern: string): string {
  if (!pattern.includes("**/**")) return pattern;
  const segments = pattern.split("/");
  return segments.filter((segment, index) => segment !== "**" || segments[index - 1] !== "**").join("/");
}
