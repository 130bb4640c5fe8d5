import { fold, plain } from "./fold.js";

/*
 * How decision records are called. A name is a number ("7", however many zeros it is written with) or, where there is no
 * number, the slug of the file: `2026-06-10-new-name`. It is compared in this form and shown as `ADR-007`.
 */

const KIND = String.raw`(?:[A-Z]{2,8}[-_ ]){0,4}(?:MADR|LADR|ADR|RFC|DDR|TDR|EDR|PDR|AD|DR|Decision Record|Architectur(?:e|al) Decision(?: Record)?|Decision|Entscheidung|D[ée]cision|Decisi[óo]n|Decis[ãa]o|Decisione|Beslissing)(?:-[A-Z][A-Za-z]{0,15}(?=-\d))?`;
const NUMBERED = new RegExp(
  String.raw`^\[?${KIND}[-_ #.]{0,3}(?:n[°ºo]\.?\s*)?(\d{1,6}(?:-\d{2,3}(?!\d))?)\]?(?![\d-])\s*(.*)$`,
  "i",
);
const BARE = /^\[?#?(\d{1,6})\]?(?:\s*[.:)、．]\s*|\s+[-–—|]\s+|-(?=\p{L}))(\S.*)$/u;
const KIND_ONLY = new RegExp(
  String.raw`^\[?(?:[A-Z]{2,8}[-_ ]){0,4}(?:MADR|ADR|RFC|DDR|TDR|Architectur(?:e|al) Decision(?: Record)?|Decision Record)\]?\s*[:–—-]\s+(\S.*)$`,
  "i",
);

export interface TitleParts {
  readonly number: string | null;
  readonly title: string;
}

/** A code of some series in front of a title: `CLI-002: …`, `KEP-753: …`, `ADR WEB 0014. …`. */
const CODED = /^\[?((?:ADR[-_ ])?\p{L}[\p{L}\d]{1,11})[-_ ]?(\d{1,6})\]?\s*(?:[:：.·|]|\s[–—-](?=\s))\s*(\S.*)$/u;

/**
 * `ADR-023: Title`, `# 5. Title`, `ADR: Title` and their like, cut in number as it is written and title. Codes that are
 * not known are taken for one where the file carries them too.
 */
export function cutTitle(heading: string, file: FileName | null = null): TitleParts {
  const text = plain(heading)
    .replace(/^\p{Extended_Pictographic}\uFE0F?\s*/u, "")
    .replace(/\s*\{#[^{}]*\}$/, "")
    .replace(/^\d{4}-\d{2}-\d{2}[.:]?\s+(?:[–—-]\s+)?(?=\S)/, "")
    .replace(/^(?:ADR|RFC)[-_ ](?:(?:19|20)\d{2}-\d{2}-\d{2}|(?:19|20)\d{6})(?:[-_:.]\s*|\s+(?:[–—-]\s+)?)(?=\S)/i, "");
  const numbered = NUMBERED.exec(text) ?? BARE.exec(text) ?? matchFileName(text, file);
  if (numbered !== null) {
    const title = (numbered[2] ?? "").replace(/^[\s:：.·)|\]–—-]+/, "").trim();
    return { number: numbered[1] ?? null, title };
  }
  const [, code = "", number = "", title = ""] = CODED.exec(text) ?? [];
  if (code !== "" && (/^ADR[-_ ]/.test(code) || (file?.number != null && nameOf(file.number) === nameOf(number))))
    return { number, title: title.trim() };
  return { number: null, title: (KIND_ONLY.exec(text)?.[1] ?? text).trim() };
}

/** "0001 Use one queue" in a file that counts so. */
function matchFileName(text: string, file: FileName | null): RegExpExecArray | null {
  const match = /^(\d{1,6})\s+(\S.*)$/.exec(text);
  return match !== null && file?.number != null && nameOf(match[1] ?? "") === nameOf(file.number) ? match : null;
}

export function titleNumber(heading: string): string | null {
  return cutTitle(heading).number;
}

/** The facts about a record that follow from the place of its file. */
export interface FileName {
  readonly number: string | null;
  /** The number with the series it counts in, where there are several: `SHOP-ADR-Web-0007`. */
  readonly series: string | null;
  /** The file's own name, or its folder's where the file is only called README or index. */
  readonly slug: string;
  /** The slug without its number. */
  readonly words: string;
}

/** `SHOP-ADR-Web-0007`, and `CLI-002` where a folder counts in a code of its own. */
const SERIES =
  /^(?:(?=(?:[A-Za-z]+-)*(?:ADR|RFC)-)(?:[A-Za-z]+-){2,4}|(?!(?:MADR|LADR|ADR|RFC|AD|DR)-)[A-Z]{2,8}-)\d{1,6}(?=[-_. ]|$)/;
/** No file system has longer ones, and patterns are slow on them. */
const LONGEST_NAME = 255;
const GENERIC = /^(?:readme|index|adr|decision|record)$/i;

export function readFileName(path: string): FileName {
  // Exports flatten folders with two underscores.
  const parts = path.split(/[/\\]|__/).filter((part) => part !== "" && part !== ".");
  const names = parts.map((part, at) =>
    at === parts.length - 1 ? part.replace(/\.(?:md|markdown|mdx|txt|adoc|asciidoc|asc|rst|org)$/i, "") : part,
  );
  const own = (names.toReversed().find((name) => !GENERIC.test(name)) ?? names.at(-1) ?? "").slice(0, LONGEST_NAME);
  // "ADR-2025-05-14-one-queue" is filed by date too: that it is a record is not a part of its name.
  const bare = own.replace(/^(?:adr|rfc)[-_ ]/i, "");
  const slug = isDated(bare) ? bare : own;
  // A day is not a number: records that are filed by date are called by their whole name.
  const unnumbered = { number: null, series: null, slug, words: slug };
  if (isDated(slug)) return unnumbered;
  const [, number, words] =
    /^(?:[A-Za-z]{1,30}[-_ ]){0,6}?(?:[A-Za-z]{1,30})?[-_ .]?(\d{1,6})(?=[-_. ]|$)[-_. ]*(.*)$/.exec(slug) ?? [];
  const [series = null] = SERIES.exec(slug) ?? [];
  return number === undefined || isWord(slug, number) ? unnumbered : { number, series, slug, words: words ?? "" };
}

/** `move-to-http2`, `use-java-21`: the digits belong to what it is about, unless something says that they count. */
function isWord(slug: string, number: string): boolean {
  const before = slug.slice(0, slug.indexOf(number));
  if (!/[a-z]/.test(before) || /^0\d|^\d{3}$/.test(number)) return false;
  if (/(?:^|[-_ ])(?:m?adr|l?adr|rfc|[dtep]?dr|ad|kep|decisions?|entscheidung|record)[-_ .]?$/i.test(before))
    return false;
  return /[A-Za-z]$/.test(before) || /[-_ ]\S*[-_ .]$/.test(before);
}

export function isDated(slug: string): boolean {
  return /^\d{4}-\d{2}-\d{2}(?!\d)|^(?:19|20)\d{6}(?:\d{4}(?:\d{2})?)?(?!\d)/.test(slug);
}

/** A number in the form in which names are compared. */
export function nameOf(number: string): string {
  return number.replace(/^0+(?=\d)/, "");
}

/** Words as they may stand in the name of a task. */
export function slugOf(words: string): string {
  const letters = fold(words).replaceAll(/[^a-z0-9]+/g, "-");
  return (
    letters
      .replaceAll(/^-+|-+$/g, "")
      .slice(0, 40)
      .replace(/-+$/, "") || "unnamed"
  );
}

const TEXT_REFERENCE =
  /(?<![\w-])(?:[A-Z]{2,8}-){0,4}(ADR|RFC|MADR)s?[-_ ]?(?:[A-Z][A-Za-z]{1,12}-)?#?\s?(\d{1,6})\b(?!-\d{2}-\d{2})/g;
const LINK = /\[([^\][]{0,500})\]\(\s?<?([^()\s>]{1,2000})>?[^()]{0,300}\)|\[\[([^\][|#]{1,200})[^\][]{0,200}\]\]/g;

export interface Reference {
  readonly name: string;
  readonly at: number;
}

export type Kind = "ADR" | "RFC";

/** The records a text points to, by links to their files and by their names, in the order of the text. */
export function referencesIn(text: string, kind: Kind): readonly Reference[] {
  const found: Reference[] = [];
  // Links are read first and then blanked out, so that their words are not read again.
  const rest = text.replaceAll(LINK, (whole, words?: string, target?: string, wiki?: string, at?: number) => {
    const name = linkedName(words ?? "", target ?? wiki ?? "", wiki !== undefined);
    if (name === null) return whole;
    found.push({ name, at: typeof at === "number" ? at : 0 });
    return " ".repeat(whole.length);
  });
  for (const match of rest.matchAll(TEXT_REFERENCE))
    // An RFC is another series than the records, unless the record is one itself.
    if ((match[1] === "RFC") === (kind === "RFC")) found.push({ name: nameOf(match[2] ?? ""), at: match.index });
  return found.toSorted((a, b) => a.at - b.at);
}

/** A link is one to a record when its file is called like one and lies in a repository's folder of records. */
function linkedName(words: string, target: string, wiki: boolean): string | null {
  const path = target.replace(/[?#].*$/, "");
  if (path === "") return null;
  const remote = /^[a-z][a-z+.-]*:/i.test(path);
  if (remote && !/\/(?:adrs?|decisions?|decision-records?|architecture)\//i.test(path)) return null;
  if (!wiki && !/\.(?:md|markdown|mdx|adoc|rst|org|html)$/i.test(path)) return null;
  const file = readFileName(safeDecode(path));
  if (file.series !== null) return file.series;
  if (file.number !== null && file.slug !== file.number) return nameOf(file.number);
  if (isDated(file.slug)) return file.slug;
  const named = cutTitle(words).number;
  return named === null || !/adr|rfc|^\s*\d/i.test(words) ? null : nameOf(named);
}

function safeDecode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
