import { createHash, randomUUID } from "node:crypto";
import { rm } from "../../foundation/files/write-files.js";
import { crashPoint } from "../../foundation/processes/crash-points.js";
import { withoutKeys } from "../../foundation/files/known-secrets.js";
import { compileGlob } from "../../foundation/globs/glob.js";
import { readTree, shownPath, type Tree } from "../git/records.js";
import type { Quarantine } from "./quarantine.js";

/*
 * A view is what an attempt gets to see of the base: a commit without parents whose tree holds what the read scope
 * matches and none of what is hidden. A workspace is made from a view, so what is left out is not in it at all: no file,
 * no object, no history, no other branch.
 */

export interface ViewRequest {
  readonly read: readonly string[];
  /** Globs of what must not be seen, from the root; a folder hides all that is in it. */
  readonly hidden: readonly string[];
  /** Paths that must not be seen either, by name and not by pattern: a document may be called `a{1,2}.md`. */
  readonly withheld?: readonly string[];
}

export interface View {
  readonly base: string;
  readonly commit: string;
  readonly key: string;
}

/** Whether a path of the base is in the view: what is hidden takes with it all that lies below it. */
export function compileVisibility({ read, hidden, withheld = [] }: ViewRequest): (path: string) => boolean {
  const matchers = read.map(compileGlob);
  const hiding = hidden.map((glob) => compileGlob(glob.replace(/\/+$/, "")));
  const names = new Set(withheld.map(plainName));
  const hides = (path: string) => names.has(path) || hiding.some((matches) => matches(path));
  const isHidden = (path: string) => {
    if (hiding.length === 0 && names.size === 0) return false;
    for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1))
      if (hides(path.slice(0, at))) return true;
    return hides(path);
  };
  return (path) => matchers.some((matches) => matches(path)) && !isHidden(path);
}

/** A reference as git names the file: `./docs//plan.md` is `docs/plan.md`. */
function plainName(ref: string): string {
  return ref
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".")
    .join("/");
}

/** Contract: the same base and request give the same view. Submodules are never in it: nothing of them is here. */
export async function makeView(quarantine: Quarantine, base: string, request: ViewRequest): Promise<View> {
  const { git, gitDir } = quarantine;
  const sortUnique = (values: readonly string[]) => [...new Set(values)].sort();
  // Named by how it is read, too: a view that was made when patterns were taken for names shows more.
  const { withheld = [] } = request;
  const names = withheld.length === 0 ? [] : [sortUnique(withheld)];
  const text = JSON.stringify(["globs", base, sortUnique(request.read), sortUnique(request.hidden), ...names]);
  const key = createHash("sha256").update(text).digest("hex").slice(0, 24);
  const ref = `refs/views/${key}`;
  const known = await git.call({ gitDir, args: ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`] });
  if (known.code === 0) return { base, commit: known.stdout.toString("latin1").trim(), key };

  const tree = await writeSeenTree(quarantine, base, request);
  const commit = await commitTree(quarantine, tree, [], "The base of this task");
  await git.must("Keeping a view", { gitDir, args: ["update-ref", ref, commit] });
  crashPoint("workspace.view_made");
  return { base, commit, key };
}

/** A view of a whole tree, for checks. Contract: no ref names it, so it is for a workspace that is made at once. */
export async function viewOfTree(quarantine: Quarantine, tree: string): Promise<View> {
  const whole = await readTree(quarantine.git, quarantine.gitDir, tree);
  const files = new Map([...whole].filter(([, { mode }]) => mode !== "160000"));
  const seen = files.size < whole.size ? await writeTree(quarantine, files, `tree-${tree}-${randomUUID()}`) : tree;
  const commit = await commitTree(quarantine, seen, [], "A tree to be checked");
  return {
    base: commit,
    commit,
    key: createHash("sha256")
      .update(JSON.stringify(["tree", tree]))
      .digest("hex")
      .slice(0, 24),
  };
}

/** The tree of a commit without what a view leaves out of it; the commit's own tree where that is nothing. */
export async function writeSeenTree(quarantine: Quarantine, commit: string, request: ViewRequest): Promise<string> {
  const { git, gitDir } = quarantine;
  const whole = await readTree(git, gitDir, commit);
  const sees = compileVisibility(request);
  const kept = new Map([...whole].filter(([path, { mode }]) => mode !== "160000" && sees(shownPath(path))));
  if (kept.size < whole.size) return writeTree(quarantine, kept, `view-${commit}-${randomUUID()}`);
  const call = { gitDir, args: ["rev-parse", `${commit}^{tree}`] };
  return (await git.must("Reading a tree", call)).toString("latin1").trim();
}

/** A tree of these entries, made in an index of its own. */
export async function writeTree(quarantine: Quarantine, entries: Tree, name: string): Promise<string> {
  const { git, gitDir } = quarantine;
  const indexFile = quarantine.temporary(`index-${name}`);
  try {
    await updateIndex(
      quarantine,
      indexFile,
      [...entries].map(([path, { mode, oid }]) => `${mode} ${oid} 0\t${path}`),
    );
    return (await git.must("Writing a tree", { gitDir, indexFile, args: ["write-tree"] })).toString("latin1").trim();
  } finally {
    await rm(indexFile, { force: true });
  }
}

export async function updateIndex(quarantine: Quarantine, indexFile: string, lines: readonly string[]): Promise<void> {
  await quarantine.git.must("Writing an index", {
    gitDir: quarantine.gitDir,
    indexFile,
    args: ["update-index", "--add", "--replace", "-z", "--index-info"],
    input: Buffer.from(lines.map((line) => `${line}\0`).join(""), "latin1"),
  });
}

export async function commitTree(
  { git, gitDir }: Quarantine,
  tree: string,
  parents: readonly string[],
  message: string,
  author?: { readonly name: string; readonly email: string },
): Promise<string> {
  const args = ["commit-tree", ...parents.flatMap((parent) => ["-p", parent]), "-F", "-", tree];
  const call = { gitDir, args, input: withoutKeys(message), ...(author === undefined ? {} : { author }) };
  return (await git.must("Making a commit", call)).toString("latin1").trim();
}
