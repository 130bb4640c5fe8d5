import { isMap, parseDocument } from "yaml";
import { mergeBlocks, mergeEntries } from "./block-merge.js";
import { joinLines } from "./join-lines.js";

/*
 * Two sides that each added a key beside the other's are a conflict for a merge by lines and none for one by keys. Only
 * for JSON, YAML and lockfiles, and only when every change is to a key of its own: whatever is doubtful stays a conflict.
 */

type Path = readonly string[];
type Edit =
  | { readonly path: Path; readonly value: unknown; readonly after: string | null }
  | { readonly path: Path; readonly removed: true };
type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface MergeSides {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** The merged text, or null when it cannot be merged by keys without a doubt. Contract: pure; never throws. */
export function structuredMerge(path: string, sides: MergeSides): string | null {
  try {
    if (/\.(json|jsonc|webmanifest)$/.test(path)) return mergeJson(sides);
    if (/(^|\/)go\.sum$/.test(path)) return mergeEntries(sides);
    if (/(^|\/)(Cargo|poetry|uv|yarn)\.lock$/.test(path)) return mergeBlocks(sides);
    return /\.ya?ml$/.test(path) ? mergeYaml(sides) : null;
  } catch {
    return null;
  }
}

function mergeJson({ base, ours, theirs }: MergeSides): string | null {
  const [b, o, t] = [base, ours, theirs].map((text) => JSON.parse(text) as Json) as [Json, Json, Json];
  const edits = compatibleEdits(b, o, t);
  if (edits === null) return null;
  const merged = edits.reduce((value, edit) => applyEdit(value, edit.path, edit), o);
  const joined = joinLines(base, ours, theirs);
  if (joined !== null && means(joined, merged)) return joined;
  const indent = /^([ \t]+)"/m.exec(ours)?.[1] ?? "";
  return JSON.stringify(merged, null, indent) + (ours.endsWith("\n") ? "\n" : "");
}

/** Whether a text says exactly this, each key once. Contract: total. */
function means(text: string, value: Json): boolean {
  const { errors } = parseDocument(text, { uniqueKeys: true });
  if (errors.length > 0) return false;
  try {
    return editsOf(value, JSON.parse(text) as Json)?.length === 0;
  } catch {
    return false;
  }
}

/** Their changes are put into our document, so that our comments and order stay. Theirs that are comments do not come. */
function mergeYaml({ base, ours, theirs }: MergeSides): string | null {
  const documents = [base, ours, theirs].map((text) => parseDocument(text, { uniqueKeys: true }));
  if (documents.some(({ errors, contents }) => errors.length > 0 || !isMap(contents))) return null;
  const [b, o, t] = documents.map((document) => document.toJS() as Json) as [Json, Json, Json];
  const edits = compatibleEdits(b, o, t);
  const document = documents[1];
  if (edits === null || document === undefined) return null;
  for (const edit of edits) {
    if ("removed" in edit) document.deleteIn(edit.path);
    else document.setIn(edit.path, document.createNode(edit.value));
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** Returns their edits, if we changed none of those places in another way. */
function compatibleEdits(base: Json, ours: Json, theirs: Json): Edit[] | null {
  const [mine, yours] = [editsOf(base, ours), editsOf(base, theirs)];
  if (mine === null || yours === null) return null;
  for (const edit of yours) {
    const meets = mine.find((other) => startsWith(edit.path, other.path) || startsWith(other.path, edit.path));
    if (meets !== undefined && JSON.stringify(meets) !== JSON.stringify(edit)) return null;
  }
  const known = new Set(mine.map((edit) => JSON.stringify(edit.path)));
  return yours.filter((edit) => !known.has(JSON.stringify(edit.path)));
}

/** The keys that changed from one value to the other; null when it is not a change of keys. Lists are one value each. */
function editsOf(from: Json, to: Json, path: Path = []): Edit[] | null {
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  if (!isObject(from) || !isObject(to)) return path.length === 0 ? null : [{ path, value: to, after: null }];
  const edits: Edit[] = [];
  let after: string | null = null;
  for (const key of Object.keys(to)) {
    const inner = [...path, key];
    if (Object.hasOwn(from, key)) edits.push(...(editsOf(from[key] as Json, to[key] as Json, inner) ?? []));
    else edits.push({ path: inner, value: to[key], after });
    after = key;
  }
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) edits.push({ path: [...path, key], removed: true });
  return edits;
}

function applyEdit(value: Json, [key, ...rest]: Path, edit: Edit): Json {
  if (key === undefined || !isObject(value)) return value;
  const entries = Object.entries(value);
  const at = entries.findIndex(([name]) => name === key);
  if (rest.length > 0)
    return Object.fromEntries(entries.map(([k, v]) => [k, k === key ? applyEdit(v, rest, edit) : v]));
  if ("removed" in edit) return Object.fromEntries(entries.filter(([k]) => k !== key));
  if (at >= 0) return Object.fromEntries(entries.map(([k, v]) => [k, k === key ? (edit.value as Json) : v]));
  const place = edit.after === null ? -1 : entries.findIndex(([k]) => k === edit.after);
  entries.splice(place < 0 && edit.after !== null ? entries.length : place + 1, 0, [key, edit.value as Json]);
  return Object.fromEntries(entries);
}

function startsWith(path: Path, prefix: Path): boolean {
  return prefix.every((part, i) => path[i] === part);
}

function isObject(value: Json): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
