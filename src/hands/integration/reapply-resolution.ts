import { objections, type LeftOut } from "./accept-resolution.js";
import { blobAt, type Git, mergeCommits, must } from "./merge.js";

/*
 * Applies the resolution of a conflict to a branch that has moved on since. It is merged like every change and judged
 * once more by the same rule as when it was made: against the sides as they are now. What does not hold any more is
 * not mended here: the conflict is then resolved again, on the branch as it is.
 */

/** A resolution of a conflict by an agent, accepted by rule. */
export interface Resolved {
  /** The commit of the branch it was made on. */
  readonly onto: string;
  readonly tree: string;
  /** The files that were in conflict. */
  readonly paths: readonly string[];
  readonly left_out: readonly LeftOut[];
}

/** Contract: the tree of the branch with the change in it; null when the resolution does not hold there. */
export async function reapplyResolution(
  git: Git,
  { resolved, commit, onto }: { readonly resolved: Resolved; readonly commit: string; readonly onto: string },
): Promise<string | null> {
  if ((await treeOf(git, onto)) === (await treeOf(git, resolved.onto))) return resolved.tree;
  const made = ["commit-tree", resolved.tree, "-p", resolved.onto, "-p", commit, "-F", "-"];
  const merge = (await must(git, made, { input: "A resolved conflict\n" })).trim();
  const merged = await mergeCommits(git, onto, merge);
  if (merged.status !== "clean") return null;
  const { tree } = merged;
  const known = await changedPaths(git, resolved.onto, resolved.tree);
  const isWithin = [...(await changedPaths(git, onto, tree))].every((path) => known.has(path));
  return isWithin && (await isWhole(git, { resolved, commit, onto, tree })) ? tree : null;
}

/** No marker, and every line of the branch and of the change is there or stands in a recorded reason. */
async function isWhole(
  git: Git,
  { resolved, commit, onto, tree }: { resolved: Resolved; commit: string; onto: string; tree: string },
): Promise<boolean> {
  const base = (await must(git, ["merge-base", onto, commit])).trim();
  const text = async (at: string, path: string) => (await blobAt(git, at, path)) ?? "";
  const files = await Promise.all(
    resolved.paths.map(async (path) => ({
      path,
      base: await text(base, path),
      ours: await text(onto, path),
      theirs: await text(commit, path),
      resolved: await blobAt(git, tree, path),
    })),
  );
  return objections({ files, changed: [], left_out: resolved.left_out }).length === 0;
}

async function changedPaths(git: Git, from: string, to: string): Promise<Set<string>> {
  const listed = await must(git, ["diff-tree", "-r", "-z", "--no-renames", "--name-only", from, to]);
  return new Set(listed.split("\0").filter((path) => path !== ""));
}

async function treeOf(git: Git, commit: string): Promise<string> {
  return (await must(git, ["rev-parse", `${commit}^{tree}`])).trim();
}
