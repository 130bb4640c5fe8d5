import { isDeepStrictEqual } from "node:util";
import { parse as parseToml } from "smol-toml";
import { type JsoncObject, type JsoncProperty, readJsonc } from "../../foundation/documents/jsonc.js";

/*
 * How a registration is taken out again. Where the file still holds the very text that was put in, that text goes. Some
 * programs write their file anew in a format of their own: then the entry goes that says what was put in, wherever it
 * stands. Either way the rest of the file says exactly what it said before.
 */

/** One server in a file of a client: in which list, by which name. */
interface Place {
  readonly form: "json" | "toml";
  readonly list: string;
  readonly name: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Contract: pure. Null where what was put in is not there any more, or says something else by now. */
export function withoutRegistration(place: Place, text: string, inserted: string): string | null {
  return withoutText(text, inserted) ?? (place.form === "json" ? withoutEntry : withoutTable)(place, text, inserted);
}

/**
 * Whether a document that a registration made says nothing any more. A program may have put the name of its schema into
 * it, which sets nothing.
 */
export function saysNothing(form: "json" | "toml", text: string): boolean {
  if (text.trim() === "") return true;
  if (form === "toml") return false;
  const read = readJsonc(text);
  if (!read.ok || read.value.kind !== "object") return false;
  const { start, end, properties } = read.value;
  const [first] = properties;
  if (properties.length > 1 || (first !== undefined && first.key !== "$schema")) return false;
  // Whatever else stands there is somebody's comment.
  const said = first === undefined ? "" : text.slice(first.start, first.value.end);
  const around = (text.slice(0, start + 1) + text.slice(start + 1, end).replace(said, "") + text.slice(end)).replace(
    ",",
    "",
  );
  return around.replaceAll(/[\s\uFEFF]/g, "") === "{}";
}

/** Null where the piece is not there, or more than once. */
function withoutText(text: string, inserted: string): string | null {
  const at = text.indexOf(inserted);
  if (at < 0 || text.includes(inserted, at + 1)) return null;
  return text.slice(0, at) + text.slice(at + inserted.length);
}

function withoutEntry({ list, name }: Place, text: string, inserted: string): string | null {
  const put = insertedEntry(list, name, inserted);
  const read = readJsonc(text);
  if (put === null || !read.ok || read.value.kind !== "object") return null;
  const servers = onlyOne(read.value, list);
  if (servers === null || servers.value.kind !== "object") return null;
  const entry = onlyOne(servers.value, name);
  if (entry === null || !isDeepStrictEqual(entry.value.data, put.entry)) return null;
  const alone = put.withList && servers.value.properties.length === 1 && hasNoComment(text, servers.value, entry);
  const after = alone ? withoutProperty(text, read.value, servers) : withoutProperty(text, servers.value, entry);
  const { [name]: _, ...others } = servers.value.data;
  const { [list]: __, ...rest } = read.value.data;
  const reread = readJsonc(after);
  const expected = alone ? rest : { ...rest, [list]: others };
  return reread.ok && isDeepStrictEqual(reread.value.data, expected) ? after : null;
}

/** The part of a file that was added: the entry, and whether the list around it too. */
function insertedEntry(list: string, name: string, inserted: string): { entry: unknown; withList: boolean } | null {
  const piece = inserted.trim().replace(/,$/, "");
  const read = readJsonc(piece.startsWith("{") ? piece : `{${piece}}`);
  if (!read.ok || read.value.kind !== "object") return null;
  const said: Fields = read.value.data;
  const servers = said[list];
  if (isFields(servers)) return { entry: servers[name], withList: true };
  return Object.hasOwn(said, name) ? { entry: said[name], withList: false } : null;
}

/** Null where there is none of that name, or several: nobody can tell which of them counts for the program. */
function onlyOne({ properties }: JsoncObject, key: string): JsoncProperty | null {
  const [found, ...more] = properties.filter((property) => property.key === key);
  return found !== undefined && more.length === 0 ? found : null;
}

const hasNoComment = (text: string, { start, end }: JsoncObject, entry: JsoncProperty) =>
  /^[\s,]*$/.test(text.slice(start + 1, entry.start) + text.slice(entry.value.end, end - 1));

/** The property, its line as far as it is its own, and one comma: that behind it, or for the last one that before it. */
function withoutProperty(text: string, { end, properties }: JsoncObject, { start, value }: JsoncProperty): string {
  const at = properties.findIndex((property) => property.start === start);
  const before = properties[at - 1];
  const behind = commaBetween(text, value.end, properties[at + 1]?.start ?? end - 1);
  const ahead = before === undefined ? null : commaBetween(text, before.value.end, start);
  const comma = at === properties.length - 1 && ahead !== null ? ahead : behind;
  const blank = /\r?\n[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0;
  const cuts = [{ from: start - blank, to: value.end }, ...(comma === null ? [] : [{ from: comma, to: comma + 1 }])];
  return cuts
    .toSorted((a, b) => b.from - a.from)
    .reduce((left, { from, to }) => left.slice(0, from) + left.slice(to), text);
}

const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

/** Where a comma stands between two places, outside of comments. */
function commaBetween(text: string, from: number, to: number): number | null {
  const plain = text.slice(from, to).replaceAll(COMMENT, (comment) => " ".repeat(comment.length));
  const at = plain.indexOf(",");
  return at < 0 ? null : from + at;
}

/**
 * The fewest lines from the head of the table on without which the document says all the rest. A program that wrote the
 * table in another form than one of its own is left to the person.
 */
function withoutTable({ list, name }: Place, text: string, inserted: string): string | null {
  const [now, put] = [tomlOf(text), tomlOf(inserted)];
  const servers = now?.[list];
  const wanted = put?.[list];
  if (now === null || !isFields(servers) || !isFields(wanted)) return null;
  if (!isDeepStrictEqual(plain(servers[name]), plain(wanted[name]))) return null;
  const { [name]: _, ...others } = servers;
  const { [list]: __, ...rest } = now;
  const expected = [plain({ ...rest, [list]: others }), ...(Object.keys(others).length === 0 ? [plain(rest)] : [])];
  const lines = text.split("\n");
  const head = lines.findIndex((line) => line.replaceAll(/[\s"']/g, "") === `[${list}.${name}]`);
  if (head < 0) return null;
  const ours = inserted.split("\n").find((line) => line.startsWith("#"));
  const from = head > 0 && lines[head - 1]?.trim() === ours ? head - 1 : head;
  for (let to = head + 1; to <= lines.length; to++) {
    const after = [...lines.slice(0, from), ...lines.slice(to)].join("\n");
    const said = tomlOf(after);
    if (said !== null && expected.some((one) => isDeepStrictEqual(plain(said), one))) return after;
  }
  return null;
}

function tomlOf(text: string): Fields | null {
  try {
    return parseToml(text);
  } catch {
    return null;
  }
}

/** Values alone: the tables that the parser makes have no prototype. */
const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
