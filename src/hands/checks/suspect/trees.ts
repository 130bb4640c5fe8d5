import { CoordinatorError } from "../../../model/errors.js";
import { readBlobs, readTree, shownPath, type Tree, type TreeEntry } from "../../git/records.js";
import type { Quarantine } from "../../workspace/quarantine.js";
import { writeTree } from "../../workspace/view.js";
import type { FileChange, ProjectView } from "./examined.js";

/* Trees of the quarantine: their files as text, and new trees put together from others. */

/** Larger files are not source that anybody wrote. */
const MOST_BYTES = 1024 * 1024;
const isRegular = ({ mode }: TreeEntry) => mode === "100644" || mode === "100755";

export interface Trees {
  readonly open: (tree: string) => Promise<OpenTree>;
  /** A tree of these files; `texts` are written instead of what the entries hold. */
  readonly write: (entries: Tree, texts: ReadonlyMap<string, string>) => Promise<string>;
}

export interface OpenTree extends ProjectView {
  readonly entries: Tree;
}

export function quarantineTrees(quarantine: Quarantine): Trees {
  const { git, gitDir } = quarantine;
  const texts = new Map<string, string | null>();
  const textOf = async (oid: string): Promise<string | null> => {
    const known = texts.get(oid);
    if (known !== undefined) return known;
    const text = asText(await blobOf(git, gitDir, oid));
    texts.set(oid, text);
    return text;
  };
  return {
    open: async (tree) => {
      const entries = await readTree(git, gitDir, tree);
      const byName = new Map([...entries].map(([path, entry]) => [shownPath(path), entry]));
      return {
        entries,
        paths: new Set(byName.keys()),
        read: async (path) => {
          const entry = byName.get(path);
          return entry === undefined || !isRegular(entry) ? null : textOf(entry.oid);
        },
      };
    },
    write: async (entries, instead) => {
      const all = new Map(entries);
      for (const [path, text] of instead) {
        const key = Buffer.from(path, "utf8").toString("latin1");
        const oid = (await git.must("Writing a file", { gitDir, args: ["hash-object", "-w", "--stdin"], input: text }))
          .toString("latin1")
          .trim();
        all.set(key, { mode: all.get(key)?.mode ?? "100644", oid });
      }
      return writeTree(quarantine, all, "judged");
    },
  };
}

/** Null when it is too large. */
async function blobOf(git: Quarantine["git"], gitDir: string, oid: string): Promise<Buffer | null> {
  try {
    return (await readBlobs(git, gitDir, [oid], MOST_BYTES)).get(oid) ?? null;
  } catch (error) {
    if (error instanceof CoordinatorError && error.code === "WORKSPACE_FAILED") return null;
    throw error;
  }
}

function asText(bytes: Buffer | null): string | null {
  return bytes === null || bytes.subarray(0, 8000).includes(0) ? null : bytes.toString("utf8");
}

/** Lists the differences between two trees, file by file, in the order of paths. */
export async function changesBetween(base: OpenTree, result: OpenTree): Promise<FileChange[]> {
  const paths = new Set([...base.entries.keys(), ...result.entries.keys()]);
  const changes: FileChange[] = [];
  for (const path of [...paths].sort()) {
    const [from, to] = [base.entries.get(path), result.entries.get(path)];
    if (from?.oid === to?.oid && from?.mode === to?.mode) continue;
    const name = shownPath(path);
    const kind = from === undefined ? "added" : to === undefined ? "deleted" : "modified";
    changes.push({ path: name, kind, before: await base.read(name), after: await result.read(name) });
  }
  return changes;
}
