import { join } from "node:path";
import { appendFile, mkdir, writeFile } from "../../foundation/files/write-files.js";
import { survey } from "./watch/survey.js";
import type { Quarantine } from "./quarantine.js";
import type { View } from "./view.js";

/* The files hold the bytes of the objects, whatever attributes say: what is read back later is what was there. */
const AS_IT_IS = "* -text !eol -ident !filter !working-tree-encoding\n";

/**
 * A repository of its own for one attempt, with the view and nothing else: one commit, no remote, no tag, no other
 * branch, no object that is not in the view, and no file shared with another repository.
 */
export async function cloneView(
  { git, gitDir, objectFormat }: Quarantine,
  view: View,
  path: string,
): Promise<{ gitFiles: string[]; bytes: number }> {
  const own = join(path, ".git");
  await mkdir(path, { recursive: true, mode: 0o700 });
  await git.must("Making a workspace", {
    args: ["init", "--quiet", "--template=", "--initial-branch=work", `--object-format=${objectFormat}`, path],
  });
  await mkdir(join(own, "info"), { recursive: true });
  await writeFile(join(own, "info", "attributes"), AS_IT_IS);
  await appendFile(join(own, "config"), "[user]\n\tname = agent\n\temail = agent@localhost\n");
  await git.must("Copying the view into a workspace", {
    gitDir: own,
    transfer: true,
    // The history is the user's own and is not checked: old ones have malformed objects.
    config: ["transfer.fsckObjects=false", "fetch.fsckObjects=false", "core.fsync=none"],
    args: [
      "fetch",
      "--quiet",
      "--no-tags",
      "--no-write-fetch-head",
      "--update-head-ok",
      `file://${gitDir}`,
      `refs/views/${view.key}:refs/heads/work`,
    ],
    timeoutMs: 600_000,
  });
  await git.must("Checking out a workspace", {
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
