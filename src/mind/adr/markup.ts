/*
 * Records are read as Markdown. Records in AsciiDoc, reStructuredText or Org mode are put into its form first,
 * line by line, so that every line keeps its number.
 */

/** Put a record into Markdown, by the ending of its file. Contract: pure, total, linear; as many lines as before. */
export function asMarkdown(text: string, file: string): string {
  const ending = /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? "";
  const turn = TURNS.get(ending);
  return turn === undefined ? text : turn(text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/)).join("\n");
}

type Turn = (lines: readonly string[]) => readonly string[];

const FENCE = "```";

const asciidoc: Turn = (lines) => {
  let until: string | null = null;
  return lines.map((line) => {
    const mark = /^(?:-{4,}|\.{4,}|\/{4,}|\+{4,})\s*$/.test(line) ? line.trim() : null;
    if (until !== null) {
      if (mark !== until) return until.startsWith("/") ? "" : line;
      until = null;
      return mark.startsWith("/") ? "" : FENCE;
    }
    if (mark !== null) {
      until = mark;
      return mark.startsWith("/") ? "" : FENCE;
    }
    return asciidocLine(line);
  });
};

function asciidocLine(line: string): string {
  // Comments, attributes of a block, its borders and continuations say nothing.
  if (/^(?:\/\/.*|\[[^\]]*\]|[=*_]{4,}|\|={3,}|\+)\s*$/.test(line)) return "";
  const [, equals, title] = /^(={1,6})\s+(\S.*)$/.exec(line) ?? [];
  if (equals !== undefined) return `${"#".repeat(equals.length)} ${links(title ?? "")}`;
  const [, name, value] = /^:([\w-]{1,40}):(?:\s+(.*))?$/.exec(line) ?? [];
  if (name !== undefined) return `${name}: ${value ?? ""}`;
  const [, label] = /^\.(\w[^.]{0,80})$/.exec(line) ?? [];
  if (label !== undefined) return `**${label}**`;
  const [, first, second, more] = /^\|\s?([^|]*)\|\s?([^|]*)(\|.*)?$/.exec(line) ?? [];
  if (first !== undefined && more === undefined) return `${first.trim()}: ${(second ?? "").trim()}`;
  const [, space = "", marks, item] = /^(\s*)(\*{1,5}|\.{1,5})\s+(\S.*)$/.exec(line) ?? [];
  if (marks === undefined) return links(line);
  const indent = Math.max(space.length, 2 * marks.length - 2);
  return `${" ".repeat(indent)}${marks.startsWith("*") ? "-" : "1."} ${links((item ?? "").replace(/^\[\*\]/, "[x]"))}`;
}

function links(text: string): string {
  return text.replaceAll(
    /(?:\b(?:link|xref):|(?=https?:\/\/))([^\s[\]]{1,500})\[([^\][]{0,300})\]/g,
    (_, target: string, words: string) => `[${words === "" ? target : words}](${target})`,
  );
}

const UNDERLINE = /^([=\-~^"'`#*+.:_])\1{2,}\s*$/;

const readRestructured: Turn = (lines) => {
  const levels: string[] = [];
  const out = lines.map(restructuredLine);
  let hidden = false;
  for (const [at, line] of lines.entries()) {
    const text = (lines[at - 1] ?? "").trim();
    const mark = UNDERLINE.exec(line)?.[1];
    if (hidden && /^\s+\S/.test(line)) out[at] = "";
    if (line.trim() !== "") hidden = line.startsWith(".. ") ? !SAID.test(line) : hidden && /^\s/.test(line);
    if (mark === undefined || text === "" || UNDERLINE.test(text) || /^\s/.test(lines[at - 1] ?? "")) continue;
    const over = UNDERLINE.exec(lines[at - 2] ?? "")?.[1] === mark;
    const style = over ? `${mark}${mark}` : mark;
    if (!levels.includes(style)) levels.push(style);
    out[at - 1] = `${"#".repeat(Math.min(6, levels.indexOf(style) + 1))} ${restructuredLine(text)}`;
    out[at] = "";
    if (over) out[at - 2] = "";
  }
  return out;
};

/** Blocks whose content addresses the reader. */
const SAID = /^\.\. (?:admonition|attention|caution|danger|hint|important|note|tip|warning)::/;

function restructuredLine(line: string): string {
  if (line.startsWith(".. ")) return "";
  return line
    .replace(/^:([^:`]{1,40}):\s+/, "$1: ")
    .replace(/^(\s*)#\.\s/, (_, space: string) => `${space}1. `)
    .replaceAll(/`([^`<>]{1,200}) <([^<>`]{1,500})>`__?/g, "[$1]($2)")
    .replaceAll(/(?<!`)`([^`]{1,200})`_\b/g, "$1")
    .replaceAll(/``([^`]{1,300})``/g, "`$1`");
}

const org: Turn = (lines) => lines.map(orgLine);

function orgLine(line: string): string {
  if (/^\s*#\+(?:begin|end)_/i.test(line)) return FENCE;
  if (/^\s*:(?:properties|end|logbook):\s*$/i.test(line)) return "";
  const [, key, value] = /^\s*(?:#\+|:)([\w-]{1,40}):(?:\s+(.*))?$/.exec(line) ?? [];
  if (key !== undefined) return key.toLowerCase() === "title" ? `# ${value ?? ""}` : `${key}: ${value ?? ""}`;
  const [, stars, title] = /^(\*{1,5})\s+(\S.*)$/.exec(line) ?? [];
  const words = stars === undefined ? line : `${"#".repeat(stars.length + 1)} ${title ?? ""}`;
  return words.replaceAll(/\[\[([^\][]{1,500})\]\[([^\][]{1,300})\]\]/g, "[$2]($1)");
}

const TURNS: ReadonlyMap<string, Turn> = new Map([
  ["adoc", asciidoc],
  ["asciidoc", asciidoc],
  ["asc", asciidoc],
  ["rst", readRestructured],
  ["org", org],
]);
