import { dirname, join } from "node:path";
import { readFile } from "../../foundation/files/read-files.js";
import { appendFile, mkdir, rm, writeFile } from "../../foundation/files/write-files.js";
import { survey } from "./watch/survey.js";
import { type Quarantine, quotedAlternate } from "./quarantine.js";
import type { View } from "./view.js";

/* The files hold the bytes of the objects, whatever attributes say: what is read back later is what was there. */
const AS_IT_IS = "* -text !eol -ident !filter !working-tree-encoding\n";

/**
 * A repository of its own for one attempt, with the view and nothing else: one commit, no remote, no tag, no other
 * branch, no object that is not in the view, and no file shared with another repository.
 */
export async function cloneView(
  quarantine: Quarantine,
  view: Pick<View, "commit">,
  path: string,
): Promise<{ gitFiles: string[]; bytes: number }> {
  const own = join(path, ".git");
  await mkdir(path, { recursive: true, mode: 0o700 });
  await makeRepository(quarantine, path);
  await mkdir(join(own, "info"), { recursive: true });
  await writeFile(join(own, "info", "attributes"), AS_IT_IS);
  await appendFile(join(own, "config"), "[user]\n\tname = agent\n\temail = agent@localhost\n");
  await packView(quarantine, view, own);
  await writeFile(join(own, "refs", "heads", "work"), `${view.commit}\n`);
  await quarantine.git.must("Checking out a workspace", {
    gitDir: own,
    workTree: path,
    config: ["core.fsync=none", "advice.detachedHead=false"],
    args: ["reset", "--quiet", "--hard", "refs/heads/work"],
    timeoutMs: 600_000,
  });
  const found = await survey(own, []);
  found.close();
  return {
    gitFiles: found.entries.map(({ path: at }) => at).filter((at) => at.startsWith("objects/")),
    bytes: found.bytes,
  };
}

/** Settings as `git init` writes them, by the form of objects and the folder of workspaces: a disk decides some of them. */
const madeByGit = new Map<string, string>();
const HEAD = "ref: refs/heads/work\n";

/** An empty repository. Git makes the first of a folder, and the next ones have the same settings. */
async function makeRepository({ git, objectFormat }: Quarantine, path: string): Promise<void> {
  const own = join(path, ".git");
  const key = `${objectFormat} ${dirname(dirname(path))}`;
  const settings = madeByGit.get(key);
  if (settings !== undefined) {
    for (const folder of ["objects/info", "objects/pack", "refs/heads", "refs/tags"])
      await mkdir(join(own, folder), { recursive: true });
    await writeFile(join(own, "config"), settings);
    await writeFile(join(own, "HEAD"), HEAD);
    return;
  }
  await git.must("Making a workspace", {
    args: ["init", "--quiet", "--template=", "--initial-branch=work", `--object-format=${objectFormat}`, path],
  });
  if ((await readFile(join(own, "HEAD"), "utf8")) === HEAD)
    madeByGit.set(key, await readFile(join(own, "config"), "utf8"));
}

/**
 * The objects of a view in one pack. Git is started once for it; a fetch starts nine programs. Objects that the user's repository
 * has as deltas are taken as they are, and no others are looked for: the pack lives no longer than the attempt.
 *
 * INVARIANT: the repository reads the quarantine's objects for this call only. The checkout after it reads its own.
 */
async function packView({ git, gitDir }: Quarantine, { commit }: Pick<View, "commit">, own: string): Promise<void> {
  const alternates = join(own, "objects", "info", "alternates");
  await writeFile(alternates, `${quotedAlternate(join(gitDir, "objects"))}\n`);
  await git.must("Copying the view into a workspace", {
    gitDir: own,
    config: ["core.fsync=none", "pack.window=0"],
    args: ["pack-objects", "--quiet", "--revs", "--delta-base-offset", join(own, "objects", "pack", "pack")],
    input: `${commit}\n`,
    timeoutMs: 600_000,
  });
  await rm(alternates);
}
