import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { isBelow } from "../../foundation/files/is-below.js";
import { CoordinatorError } from "../../model/errors.js";
import type { Quarantine } from "./quarantine.js";

/**
 * Where the workspaces of a repository are made: beside its quarantine, or in the folder a person named, apart from
 * those of other repositories.
 *
 * Contract: throws USAGE for a folder inside of the repository, also by way of a link: programs that look for a project
 * upwards would find the person's own.
 */
export async function workspacesRoot(
  { checkout, userGitDir, directory }: Pick<Quarantine, "checkout" | "userGitDir" | "directory">,
  folder: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  if (folder === undefined) return join(directory, "workspaces");
  const named = folder.startsWith("~/") ? join(environment["HOME"] ?? homedir(), folder.slice(2)) : join(folder);
  const real = await realPlace(named);
  for (const own of [checkout, userGitDir])
    if (isBelow(real, await realPlace(own)))
      throw new CoordinatorError("USAGE", `The folder for workspaces, ${folder}, lies inside of the repository`, {
        fix: "Name a folder outside of it under workspace.folder, or leave it out.",
      });
  return join(real, basename(directory));
}

/** The real path of a place of which the last parts may not be there yet. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || path === dirname(path)) throw error;
    return join(await realPlace(dirname(path)), basename(path));
  }
}
