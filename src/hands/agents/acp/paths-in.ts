import { posix } from "node:path";

/*
 * The paths a tool call names, wherever the agent puts them. Agents spell their arguments as they like; all spellings
 * that were seen are looked for, in plain fields, in maps of changes and in patches.
 */

const PATH_KEYS = [
  "path",
  "file_path",
  "filePath",
  "filepath",
  "absolute_path",
  "notebook_path",
  "fileName",
  "filename",
  "file",
  "target_file",
  "abs_path",
];
const FROM_KEYS = ["source", "from", "old_path", "oldPath", "source_path"];
const TO_KEYS = ["destination", "to", "new_path", "newPath", "destination_path", "move_path"];
const LIST_KEYS = ["paths", "files", "file_paths"];
const PATCH_KEYS = ["diff", "patch", "input", "patchText", "unified_diff"];

export interface RawPaths {
  readonly named: readonly string[];
  readonly from: readonly string[];
  readonly to: readonly string[];
}

export function pathsInRaw(raw: unknown): RawPaths {
  if (typeof raw === "string") return { named: pathsInPatch(raw), from: [], to: [] };
  if (typeof raw !== "object" || raw === null) return { named: [], from: [], to: [] };
  const fields = raw as Readonly<Record<string, unknown>>;
  const texts = (keys: readonly string[]) =>
    keys.map((key) => fields[key]).filter((value): value is string => typeof value === "string" && value !== "");
  const lists = LIST_KEYS.flatMap((key) => (Array.isArray(fields[key]) ? (fields[key] as unknown[]) : [])).flatMap(
    (entry) => (typeof entry === "string" ? [entry] : pathsInRaw(entry).named),
  );
  const changes = fields["changes"];
  const changed = Array.isArray(changes)
    ? changes.flatMap((change) => pathsInRaw(change).named)
    : Object.keys(typeof changes === "object" && changes !== null ? changes : {});
  const patched = texts(PATCH_KEYS).flatMap(pathsInPatch);
  const named = [...new Set([...texts(PATH_KEYS), ...lists, ...changed])];
  // A patch beside a plain path says the same with a prefix in front of it.
  return { named: named.length > 0 ? named : [...new Set(patched)], from: texts(FROM_KEYS), to: texts(TO_KEYS) };
}

const PATCH_LINE = /^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |\+\+\+ |--- )([^\t\n]+)/gm;

/** The files of a unified diff or of a patch in the `*** Begin Patch` form. */
function pathsInPatch(text: string): string[] {
  if (!/^(?:\*\*\* |--- |\+\+\+ )/m.test(text)) return [];
  return [...text.matchAll(PATCH_LINE)]
    .map(([, path = ""]) => path.trim().replace(/^[ab]\//, ""))
    .filter((path) => path !== "/dev/null" && path !== "dev/null");
}

/** From the root of the workspace, `/` between the parts; one that leads outside as it came. The root itself is "". */
export function fromRoot(root: string, cwd: string, path: string): string {
  const clean = path.startsWith("file://") ? path.slice("file://".length) : path;
  const whole = posix.normalize(clean.startsWith("/") ? clean : posix.join(cwd, clean));
  const base = posix.normalize(root).replace(/\/$/, "");
  if (whole === base || whole === `${base}/`) return "";
  return whole.startsWith(`${base}/`) ? whole.slice(base.length + 1) : path;
}
