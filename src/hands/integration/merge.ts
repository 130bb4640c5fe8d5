import type { GitProcesses } from "./merging/git-objects.js";
import { hasConflictMarkers, lostLines, type LostLine } from "./kept-lines.js";
import { type MergeConflict, type MergeOutput, readMergeOutput } from "./merging/merge-output.js";
import { LINK_MODE } from "./merging/object-bytes.js";
import { structuredMerge } from "./merging/structured-merge.js";
import type { Trees } from "./merging/trees.js";

/*
 * Three-way merges in memory: no checkout, no index of anybody, no hook. Git merges by lines; what it cannot, a merge by
 * keys may. Whatever comes out is checked once more for lines that somebody wrote and that are gone.
 */

/** Git on the quarantine repository. Contract: an exit code is a value; it throws only when git cannot be run. */
export interface Git {
  readonly run: (
    args: readonly string[],
    options?: { readonly input?: string; readonly index?: string },
  ) => Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
  /** Runs with an index of its own, which is gone afterwards. */
  readonly withIndex: <T>(use: (index: string) => Promise<T>) => Promise<T>;
  /** Processes that stay open: with them a merge of what nobody else touched starts no process at all. */
  readonly processes?: GitProcesses;
}

export type Merged =
  | { readonly status: "clean"; readonly tree: string; readonly by_keys: readonly string[] }
  /** The tree holds git's markers in the files of the conflicts, and nowhere else. */
  | {
      readonly status: "conflict";
      readonly tree: string;
      readonly conflicts: readonly MergeConflict[];
      readonly by_keys: readonly string[];
    }
  /** Merged without a conflict, and yet something is gone. It is not taken. */
  | {
      readonly status: "lossy";
      readonly tree: string;
      readonly lost: readonly (LostLine & { readonly path: string })[];
    };

/** Larger texts are left to git alone. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Known facts about the two commits; git then need not be started to ask for them. */
export interface KnownBase {
  /** The one best commit both have in common. */
  readonly base: string;
  readonly trees: Trees;
}

export async function mergeCommits(git: Git, ours: string, theirs: string, known?: KnownBase): Promise<Merged> {
  const { code, stdout, stderr } = await git.run(["merge-tree", "--write-tree", "-z", "--messages", ours, theirs]);
  if (code !== 0 && code !== 1) throw new Error(`git merge-tree: ${stderr.trim()}`);
  const output = readMergeOutput(stdout);
  const { tree } = output;
  if (code === 0) return withoutLoss(git, { ours, theirs, tree, by_keys: [], known });
  const found = [...output.conflicts, ...(await withoutPlace(git, output))];
  // Where git says that it could not, and not at what, the whole is in conflict.
  const whole: MergeConflict = { path: ".", base: null, ours: null, theirs: tree, special: true };
  return byKeys(git, { ours, theirs, tree, conflicts: found.length === 0 ? [whole] : found, known });
}

/** Files that the other side added where one side's files went to several places. Only a person knows where they belong. */
async function withoutPlace(git: Git, { tree, unplaced }: MergeOutput): Promise<MergeConflict[]> {
  if (unplaced.length === 0) return [];
  const folders = unplaced.map((folder) => `${folder}/`);
  const listed = await must(git, ["--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", tree, "--", ...folders]);
  return listed.split("\0").flatMap((entry): MergeConflict[] => {
    const [, object, path] = /^\d+ \w+ ([0-9a-f]+)\t(.+)$/s.exec(entry) ?? [];
    if (object === undefined || path === undefined) return [];
    return [{ path, base: null, ours: null, theirs: object, special: true }];
  });
}

interface Unmerged {
  readonly ours: string;
  readonly theirs: string;
  readonly tree: string;
  readonly conflicts: readonly MergeConflict[];
  readonly known: KnownBase | undefined;
}

async function byKeys(git: Git, { ours, theirs, tree, conflicts, known }: Unmerged): Promise<Merged> {
  const solved: { path: string; object: string }[] = [];
  const open: MergeConflict[] = [];
  for (const conflict of conflicts) {
    const text = await keyMerge(git, conflict);
    if (text === null) open.push(conflict);
    else solved.push({ path: conflict.path, object: await writeBlob(git, text) });
  }
  const merged = solved.length === 0 ? tree : await withBlobs(git, tree, solved);
  const by_keys = solved.map(({ path }) => path);
  if (open.length > 0) return { status: "conflict", tree: merged, conflicts: open, by_keys };
  return withoutLoss(git, { ours, theirs, tree: merged, by_keys, known });
}

async function keyMerge(git: Git, { path, base, ours, theirs, special }: MergeConflict): Promise<string | null> {
  if (base === null || ours === null || theirs === null || special === true) return null;
  const [b, o, t] = [await readBlob(git, base), await readBlob(git, ours), await readBlob(git, theirs)];
  if (b === null || o === null || t === null) return null;
  // Text that is not UTF-8 would be written back changed, and under another name.
  if ([path, b, o, t].some((text) => text.includes("\uFFFD"))) return null;
  const merged = structuredMerge(path, { base: b, ours: o, theirs: t });
  return merged === null || lostLines(asLines(b), asLines(o), asLines(t), asLines(merged)).length > 0 ? null : merged;
}

/** A comma at the end of a line comes and goes with the line below it. */
function asLines(text: string): string {
  return text.replaceAll(/,[ \t]*$/gm, "");
}

/** Put blobs into a tree. Contract: the paths are there already, or their folders are. */
async function withBlobs(
  git: Git,
  tree: string,
  blobs: readonly { readonly path: string; readonly object: string }[],
): Promise<string> {
  return git.withIndex(async (index) => {
    await must(git, ["read-tree", tree], { index });
    const modes = await modesOf(
      git,
      tree,
      blobs.map(({ path }) => path),
    );
    const lines = blobs.map(({ path, object }) => `${modes.get(path) ?? "100644"} ${object}\t${path}\0`).join("");
    await must(git, ["update-index", "-z", "--index-info"], { index, input: lines });
    return (await must(git, ["write-tree"], { index })).trim();
  });
}

async function modesOf(git: Git, tree: string, paths: readonly string[]): Promise<Map<string, string>> {
  const listed = await must(git, ["--literal-pathspecs", "ls-tree", "-z", "--full-tree", tree, "--", ...paths]);
  return new Map(
    listed.split("\0").flatMap((entry): [string, string][] => {
      const match = /^(\d+) \w+ [0-9a-f]+\t(.+)$/s.exec(entry);
      return match === null ? [] : [[match[2] as string, match[1] as string]];
    }),
  );
}

async function withoutLoss(git: Git, candidate: Candidate): Promise<Merged> {
  const { tree, by_keys } = candidate;
  const lost = await findLostLines(git, candidate);
  return lost.length === 0 ? { status: "clean", tree, by_keys } : { status: "lossy", tree, lost };
}

interface Candidate {
  readonly ours: string;
  readonly theirs: string;
  readonly tree: string;
  readonly by_keys: readonly string[];
  readonly known?: KnownBase | undefined;
  /** Files that are judged elsewhere. */
  readonly except?: ReadonlySet<string>;
}

/** Look at every file that both sides changed: nothing that either added may be missing from the merged tree. */
export async function findLostLines(git: Git, candidate: Candidate): Promise<(LostLine & { path: string })[]> {
  const { known } = candidate;
  if (known !== undefined) return findLostAmong(await findMeetingsInTrees(known, candidate), candidate);
  const bases = (await must(git, ["merge-base", "--all", candidate.ours, candidate.theirs])).trim().split("\n");
  // Where histories cross there are several, and a line that one of them has was not added by anybody since.
  const found = await Promise.all(
    bases.map(async (base) => findLostAmong(await findMeetings(git, base, candidate), candidate)),
  );
  const [first = [], ...others] = found;
  return first.filter(({ path, line }) =>
    others.every((each) => each.some((other) => other.path === path && other.line === line)),
  );
}

async function findLostAmong(
  files: readonly Met[],
  { by_keys, except }: Candidate,
): Promise<(LostLine & { path: string })[]> {
  const lost: (LostLine & { path: string })[] = [];
  for (const { path, texts } of files) {
    if (except?.has(path) === true) continue;
    const [b, o, t, merged] = await texts();
    if (b === null || o === null || t === null || merged === null) continue;
    const tidy = by_keys.includes(path) ? asLines : (text: string) => text;
    for (const line of lostLines(tidy(b), tidy(o), tidy(t), tidy(merged))) lost.push({ ...line, path });
    if (hasConflictMarkers(merged) && !hasConflictMarkers(o) && !hasConflictMarkers(t))
      lost.push({ path, line: "<<<<<<<", side: "both", expected: 0, found: 1 });
  }
  return lost;
}

/** A file that both sides changed, each in its own way; its texts are those of base, ours, theirs and merged. */
interface Met {
  readonly path: string;
  readonly texts: () => Promise<readonly [string | null, string | null, string | null, string | null]>;
}

async function findMeetings(git: Git, base: string, { ours, theirs, tree }: Candidate): Promise<Met[]> {
  const both = sharedPaths(await changedBlobs(git, base, ours), await changedBlobs(git, base, theirs));
  return both.map(({ path, before, mine, yours }) => ({
    path,
    texts: async () => [
      await readBlob(git, before),
      await readBlob(git, mine),
      await readBlob(git, yours),
      await blobAt(git, tree, path),
    ],
  }));
}

async function findMeetingsInTrees({ base, trees }: KnownBase, { ours, theirs, tree }: Candidate): Promise<Met[]> {
  const from = await trees.ofCommit(base);
  const mine = await trees.changes(from, await trees.ofCommit(ours));
  const yours = await trees.changes(from, await trees.ofCommit(theirs));
  const textOf = (object: string | null, absent: string | null) =>
    object === null ? absent : trees.text(object, MOST_BYTES);
  return [...mine].flatMap(([name, { before, after }]): Met[] => {
    const other = yours.get(name)?.after ?? null;
    if (after === null || other === null || after === other) return [];
    const texts = async () =>
      [
        await textOf(before, ""),
        await textOf(after, ""),
        await textOf(other, ""),
        await textOf(await trees.fileAt(tree, name), null),
      ] as const;
    return [{ path: Buffer.from(name, "latin1").toString("utf8"), texts }];
  });
}

interface ChangedBlob {
  readonly before: string;
  readonly after: string;
}

async function changedBlobs(git: Git, one: string, other: string): Promise<Map<string, ChangedBlob>> {
  const listed = (await must(git, ["diff-tree", "-r", "-z", "--no-renames", one, other])).split("\0");
  const found = new Map<string, ChangedBlob>();
  for (let i = 0; i + 1 < listed.length; i += 2) {
    const [from = "", to = "", before = "", after = ""] = (listed[i] as string).split(" ");
    // Another repository's commit is none of this one's objects.
    if (!from.endsWith(LINK_MODE) && to !== LINK_MODE) found.set(listed[i + 1] as string, { before, after });
  }
  return found;
}

function sharedPaths(mine: ReadonlyMap<string, ChangedBlob>, yours: ReadonlyMap<string, ChangedBlob>) {
  return [...mine].flatMap(([path, { before, after }]) => {
    const other = yours.get(path);
    const gone = /^0+$/;
    if (other === undefined || after === other.after || gone.test(after) || gone.test(other.after)) return [];
    return [{ path, before, mine: after, yours: other.after }];
  });
}

/** The text a tree has at a path; null where it has none, or it is not text. */
export async function blobAt(git: Git, tree: string, path: string): Promise<string | null> {
  const { code, stdout } = await git.run(["--literal-pathspecs", "ls-tree", "-z", "--full-tree", tree, "--", path]);
  const object = /^\d+ blob ([0-9a-f]+)\t/.exec(stdout)?.[1];
  return code === 0 && object !== undefined ? readBlob(git, object) : null;
}

/** The text of a blob; empty for none, null for what is too large or no text. */
export async function readBlob(git: Git, object: string): Promise<string | null> {
  if (/^0+$/.test(object)) return "";
  const size = Number((await must(git, ["cat-file", "-s", object])).trim());
  if (size > MOST_BYTES) return null;
  const text = await must(git, ["cat-file", "blob", object]);
  return text.includes("\0") ? null : text;
}

async function writeBlob(git: Git, text: string): Promise<string> {
  return (await must(git, ["hash-object", "-w", "--stdin"], { input: text })).trim();
}

export async function must(
  git: Git,
  args: readonly string[],
  options: { input?: string; index?: string } = {},
): Promise<string> {
  const { code, stdout, stderr } = await git.run(args, options);
  if (code !== 0) throw new Error(`git ${args[0]}: exit code ${code}: ${stderr.trim()}`);
  return stdout;
}
