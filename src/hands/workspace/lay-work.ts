import { dirname, join } from "node:path";
import { chmod, mkdir, rm, symlink, writeFile } from "../../foundation/files/write-files.js";
import { plainWay } from "./path-safety.js";
import type { Quarantine } from "./quarantine.js";

/*
 * The work of an earlier attempt, laid into a new workspace as if its agent had just done it: changed files that nobody has
 * committed. So an attempt goes on where the other one stopped, and its result is still judged as a whole against the base.
 */

interface Work {
  /** The commit the workspace was made from. */
  readonly onto: string;
  /** The commit that the earlier attempt left. */
  readonly commit: string;
}

/**
 * Contract: before any agent is in the workspace. The paths it holds now; null when the branch has moved on so that the
 * work does not fit any more, and nothing is laid then.
 */
export async function layWork(
  quarantine: Quarantine,
  workspace: string,
  { onto, commit }: Work,
): Promise<ReadonlySet<string> | null> {
  const tree = await mergedTree(quarantine, onto, commit);
  if (tree === null) return null;
  const changes = await changesBetween(quarantine, onto, tree);
  const places = await Promise.all(changes.map(({ path }) => plainWay(workspace, path)));
  if (places.some((place) => place === null)) return null;
  for (const { path, status } of changes) if (status === "D") await rm(join(workspace, path), { force: true });
  for (const change of changes) if (change.status !== "D") await putEntry(quarantine, workspace, change);
  return new Set(changes.map(({ path }) => path));
}

async function mergedTree({ git, gitDir }: Quarantine, onto: string, commit: string): Promise<string | null> {
  const { code, stdout } = await git.call({ gitDir, args: ["merge-tree", "--write-tree", "-z", onto, commit] });
  return code === 0 ? (stdout.toString("latin1").split("\0")[0] ?? "").trim() : null;
}

interface Laid {
  readonly path: string;
  readonly mode: string;
  readonly oid: string;
  readonly status: string;
}

async function changesBetween({ git, gitDir }: Quarantine, from: string, to: string): Promise<Laid[]> {
  const listed = await git.must("Reading the work of an attempt", {
    gitDir,
    args: ["diff-tree", "-r", "-z", "--no-renames", from, to],
  });
  const parts = listed.toString("utf8").split("\0");
  const found: Laid[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode = "", , oid = "", status = ""] = (parts[at] as string).split(" ");
    found.push({ path: parts[at + 1] as string, mode, oid, status });
  }
  return found;
}

async function putEntry({ git, gitDir }: Quarantine, workspace: string, { path, mode, oid }: Laid): Promise<void> {
  const place = join(workspace, path);
  const bytes = await git.must("Reading a file of an attempt", { gitDir, args: ["cat-file", "blob", oid] });
  await mkdir(dirname(place), { recursive: true });
  await rm(place, { force: true });
  if (mode === "120000") return symlink(bytes, place);
  await writeFile(place, bytes);
  if (mode === "100755") await chmod(place, 0o755);
}
