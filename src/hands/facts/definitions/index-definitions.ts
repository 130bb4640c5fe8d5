import { dirname } from "node:path";
import { readFile } from "../../../foundation/files/read-files.js";
import { mkdir, rename, writeFile } from "../../../foundation/files/write-files.js";
import { readBlobs } from "../read-blobs.js";
import { languageOf } from "./languages.js";
import { readSource, type SourceNames } from "./read-source.js";

/*
 * The index of definitions: which source file of a commit defines which names and uses which files. The definitions of a file
 * follow from its blob alone, so the index is kept by blob, and a new commit reads only what changed since.
 */

export interface IndexedFile {
  readonly path: string;
  readonly blob: string;
  readonly bytes: number;
}

export type DefinitionIndex = ReadonlyMap<string, SourceNames>;

/** Beyond these nobody waits for an index; without one, names narrow no scope. */
const MOST_FILES = 60_000;
const MOST_BYTES = 1024 * 1024 * 1024;
const LARGEST_FILE = 512 * 1024;
/** Raised when the same blob would be read differently. */
const HEADER = "coordinator definitions 1";

/**
 * Contract: the repository is only read. A cache that cannot be read or written costs time and is not a failure. Null when
 * there is too much to read, or git failed: an index with holes would call a name unique that is not.
 */
export async function indexDefinitions(
  repo: string,
  environment: NodeJS.ProcessEnv,
  files: readonly IndexedFile[],
  cache: string | null,
): Promise<DefinitionIndex | null> {
  const known = files.filter(({ path, bytes }) => languageOf(path) !== null && bytes <= LARGEST_FILE);
  if (known.length > MOST_FILES || known.reduce((sum, { bytes }) => sum + bytes, 0) > MOST_BYTES) return null;
  const kept = cache === null ? new Map<string, string>() : await readKept(cache);
  const unread = [
    ...new Map(known.filter((file) => !kept.has(keyOf(file))).map((file) => [keyOf(file), file])).values(),
  ];
  const read = await readBlobs(
    repo,
    environment,
    unread.map(({ blob }) => blob),
    LARGEST_FILE,
    (at, text) => {
      const file = unread[at];
      if (file !== undefined) kept.set(keyOf(file), lineOf(readSource(file.path, text)));
    },
  );
  if (!read) return null;
  if (cache !== null && unread.length > 0) await keep(cache, known, kept);
  return new Map(known.map((file) => [file.path, namesOf(kept.get(keyOf(file)))]));
}

/** Equal bytes mean something else in another language. */
function keyOf({ path, blob }: IndexedFile): string {
  return `${blob}${path.slice(path.lastIndexOf(".")).toLowerCase()}`;
}

const BETWEEN = "\u001F";

function lineOf({ names, imports }: SourceNames): string {
  return `${names.join(" ")}\t${imports.join(BETWEEN)}`;
}

const NOTHING: SourceNames = { names: [], imports: [] };

function namesOf(line: string | undefined): SourceNames {
  if (line === undefined) return NOTHING;
  const tab = line.indexOf("\t");
  const imports = line.slice(tab + 1);
  return {
    names: tab <= 0 ? [] : line.slice(0, tab).split(" "),
    imports: imports === "" ? [] : imports.split(BETWEEN),
  };
}

async function readKept(file: string): Promise<Map<string, string>> {
  const kept = new Map<string, string>();
  const text = await readFile(file, "utf8").catch(() => "");
  const lines = text.split("\n");
  // A file that was cut off has no empty last line: what is left of its last entry must not count.
  if (lines[0] !== HEADER || lines.at(-1) !== "") return kept;
  for (let at = 1; at < lines.length - 1; at++) {
    const line = lines[at] ?? "";
    const tab = line.indexOf("\t");
    if (tab > 0) kept.set(line.slice(0, tab), line.slice(tab + 1));
  }
  return kept;
}

/** Only what this commit has: the cache stays as large as the source. */
async function keep(file: string, known: readonly IndexedFile[], kept: ReadonlyMap<string, string>): Promise<void> {
  const keys = [...new Set(known.map(keyOf))].sort();
  const lines = keys.flatMap((key) => (kept.has(key) ? [`${key}\t${kept.get(key) ?? ""}`] : []));
  try {
    await mkdir(dirname(file), { recursive: true });
    const draft = `${file}.${process.pid}.next`;
    await writeFile(draft, `${[HEADER, ...lines].join("\n")}\n`);
    await rename(draft, file);
  } catch {
    // Only time is lost: it is made anew the next time.
  }
}
