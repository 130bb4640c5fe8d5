/** The metadata in front of a document, and the line behind it. */
export interface FrontMatter {
  readonly values: ReadonlyMap<string, string>;
  readonly next: number;
}

const MOST_LINES = 200;
const OWN = /^(?:adr|rfc|decision|record|meta|metadata)$/;

/**
 * Read `key: value` between two lines of dashes. Contract: total. People write front matter by hand and no tool of
 * theirs reads it, so lines that are not YAML are passed over one by one instead of being refused as a whole.
 */
export function readFrontMatter(lines: readonly string[]): FrontMatter {
  const none = { values: new Map<string, string>(), next: 0 };
  const begin = lines.findIndex((line) => line.trim() !== "");
  const mark = (lines[begin] ?? "").trim();
  if (mark !== "---" && mark !== "+++") return { ...none, values: preambleOf(lines) };
  const end = lines.slice(begin + 1, begin + MOST_LINES).findIndex((line) => isEnd(line.trim(), mark));
  if (end === -1) return none;
  const inner = lines.slice(begin + 1, begin + 1 + end);
  const values = valuesOf(inner);
  const next = begin + end + 2;
  // Two rules with a heading or prose between them are not front matter.
  return inner.some(isHeading) && !isCommented(inner, values, lines.slice(next)) ? none : { values, next };
}

/** Where a preamble may begin: under a title and a heading of its own. */
const PREAMBLE_BEFORE = 12;

/**
 * A fence at the top that holds nothing but `Key: value`, Status among them: the way of EIPs and their like. Any other
 * fence is an example.
 */
function preambleOf(lines: readonly string[]): Map<string, string> {
  const none = new Map<string, string>();
  const begin = lines.slice(0, PREAMBLE_BEFORE).findIndex((line) => /^(?:```|~~~)\w*\s*$/.test(line));
  if (begin === -1 || lines.slice(0, begin).some((line) => line.trim() !== "" && !/^#{1,2}\s/.test(line))) return none;
  const end = lines.slice(begin + 1, begin + MOST_LINES).findIndex((line) => /^(?:```|~~~)\s*$/.test(line));
  const inner = lines.slice(begin + 1, begin + 1 + end).filter((line) => line.trim() !== "");
  if (end === -1 || !inner.every((line) => /^[\p{L}][\p{L}\p{N} _()#.-]{0,40}:(?:\s|$)|^\s+\S/u.test(line)))
    return none;
  const values = valuesOf(inner);
  return values.size >= 2 && values.has("status") ? values : none;
}

function isHeading(line: string): boolean {
  return /^#{1,6}\s/.test(line) && !/^#\s*[\w-]+\s*[:=]/.test(line);
}

/** `# These are optional` between keys is a comment: the title stands elsewhere, or nothing parts it from the keys. */
function isCommented(inner: readonly string[], values: ReadonlyMap<string, string>, rest: readonly string[]): boolean {
  if (values.size === 0 || inner.some((line) => /^#{2,6}\s/.test(line))) return false;
  if (values.has("title") || rest.some((line) => /^#\s/.test(line))) return true;
  return inner.every((line, at) => !isHeading(line) || (inner[at + 1] ?? "").trim() !== "");
}

function isEnd(line: string, mark: string): boolean {
  return line === mark || (mark === "---" && line === "...");
}

function valuesOf(lines: readonly string[]): Map<string, string> {
  const values = new Map<string, string>();
  let key: string | null = null;
  for (const line of lines) {
    const [, name, value] = /^([\p{L}\p{N}_][\p{L}\p{N} _.-]*?)\s*[:=](?:\s+(.*)|)$/u.exec(line) ?? [];
    if (name !== undefined) {
      key = name.trim().toLowerCase().replaceAll(/[ _]/g, "-");
      values.set(key, removeQuotes(value ?? ""));
      continue;
    }
    const more = /^\s+(?:-\s+)?(.*)$|^-\s+(.*)$/.exec(line);
    if (key === null || more === null) continue;
    const before = values.get(key) ?? "";
    // Properties of a record may be one level in.
    const [, inner, said] = OWN.test(key) ? (/^\s+(status|id|number|title)\s*:\s+(.+)$/.exec(line) ?? []) : [];
    if (inner !== undefined && said !== undefined && !values.has(inner)) {
      values.set(inner, removeQuotes(said));
      continue;
    }
    const text = removeQuotes(more[1] ?? more[2] ?? "");
    // A folded or literal text begins on the next line.
    values.set(key, before === "" || /^[>|][+-]?$/.test(before) ? text : `${before}, ${text}`);
  }
  return values;
}

function removeQuotes(value: string): string {
  const text = value.replace(/\s+#.*$/, "").trim();
  const [, inner] = /^(?:"(.*)"|'.*')$/.exec(text) ?? [];
  return inner ?? (/^'.*'$/.test(text) ? text.slice(1, -1).replaceAll("''", "'") : text);
}
