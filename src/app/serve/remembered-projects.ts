import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { ownSettings } from "../../hands/settings/load-configuration.js";
import { realOf } from "../../foundation/files/project-bounds.js";
import { CoordinatorError } from "../../model/errors.js";
import { findRoot } from "../project/state-folder.js";
import { readOwnJson, writeOwnJson } from "./own-json.js";

/* The projects that `coordinator serve` serves when none is named: a list of folders beside the person's own settings. */

const ProjectsFile = z.strictObject({ schema_version: z.literal("1.0.0"), projects: z.array(z.string().min(1)) });

export function projectsFile(environment: NodeJS.ProcessEnv): string {
  return join(dirname(ownSettings(environment)), "projects.json");
}

export function rememberedProjects(environment: NodeJS.ProcessEnv): readonly string[] {
  return readOwnJson(projectsFile(environment), ProjectsFile)?.projects ?? [];
}

/** Contract: throws FILE_NOT_FOUND for a folder that is not there. Returns its root, and whether it is new in the list. */
export function rememberProject(
  folder: string,
  cwd: string,
  environment: NodeJS.ProcessEnv,
): { readonly root: string; readonly added: boolean } {
  const real = realOf(resolve(cwd, folder));
  if (real === null)
    throw new CoordinatorError("FILE_NOT_FOUND", `There is no directory ${folder}`, {
      fix: "Name the folder of a project.",
    });
  const root = findRoot(real);
  const known = rememberedProjects(environment);
  if (known.includes(root)) return { root, added: false };
  writeProjects([...known, root], environment);
  return { root, added: true };
}

/** Contract: throws NOT_FOUND for a folder that is not in the list; also one that is gone from the disk can be removed. */
export function forgetProject(folder: string, cwd: string, environment: NodeJS.ProcessEnv): string {
  const path = resolve(cwd, folder);
  const real = realOf(path);
  const known = rememberedProjects(environment);
  const found = known.find((root) => root === path || (real !== null && root === findRoot(real)));
  if (found === undefined)
    throw new CoordinatorError("NOT_FOUND", `${folder} is not in the list of projects`, {
      fix: "coordinator projects list",
    });
  writeProjects(
    known.filter((root) => root !== found),
    environment,
  );
  return found;
}

function writeProjects(projects: readonly string[], environment: NodeJS.ProcessEnv): void {
  writeOwnJson(projectsFile(environment), { schema_version: "1.0.0", projects });
}
