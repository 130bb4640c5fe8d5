import { join } from "node:path";
import { readFile } from "../../foundation/files/read-files.js";
import { createCgit } from "../git/cgit.js";
import { submodulesOf } from "./submodules.js";

/**
 * Describes a checkout whose files are not all files of its commit, for people; empty when there is nothing.
 *
 * Contract: only looks. `path` is where git is searched.
 */
export async function repositoryNotices(root: string, path: string): Promise<string[]> {
  const git = createCgit({ path, cwd: root, ceilings: [] });
  const ask = async (...args: string[]) => {
    const { code, stdout } = await git.call({ args, cwd: root });
    return code === 0 ? stdout.toString("utf8").trim() : null;
  };
  const gitDir = await ask("rev-parse", "--path-format=absolute", "--git-common-dir");
  if (gitDir === null || (await ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}")) === null) return [];
  const holder = { git, gitDir, modulesOf: gitDir, checkout: root };
  const missing = (await submodulesOf(holder, "HEAD")).filter((each) => each.gitDir === null).map((each) => each.path);
  const notices: string[] = [];
  if (missing.length > 0)
    notices.push(
      `${missing.length === 1 ? "The submodule" : "The submodules"} ${missing.join(", ")} cannot be put into workspaces: ` +
        `the commit is not on this machine. Fetch it: git submodule update --init --recursive ${missing.join(" ")}`,
    );
  const attributes = await readFile(join(root, ".gitattributes"), "utf8").catch(() => "");
  if (/(?:^|\s)filter=lfs(?:\s|$)/m.test(attributes))
    notices.push(
      "Files of Git LFS are pointers in workspaces, not what they point to: checks that need their content fail there. " +
        "Name what fetches it in workspace.setup, or take such checks out.",
    );
  if ((await ask("config", "--type=bool", "core.sparseCheckout")) === "true")
    notices.push("This checkout is sparse; workspaces hold every file of the commit.");
  if ((await ask("config", "--get-regexp", "^remote\\..*\\.(promisor|partialclonefilter)$")) !== null)
    notices.push(
      "This is a partial clone: a workspace needs every file of the commit, and git fetches none for it. " +
        "Fetch what is missing: git fetch --refetch --no-filter",
    );
  return notices;
}
