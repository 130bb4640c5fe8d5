import { existsSync } from "node:fs";
import type { CommandContext } from "../command-context.js";
import { EXIT } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import type { ProjectsListed } from "../serve-reports.js";
import { forgetProject, projectsFile, rememberedProjects, rememberProject } from "./remembered-projects.js";
import { projectId } from "./project-id.js";

/**
 * The projects that `coordinator serve` serves.
 *
 * Contract: changes nothing.
 */
export async function listProjects({ project: { environment } }: CommandContext): Promise<Finished> {
  return reportProjects("listed", null, environment);
}

/**
 * Adds a project to those that are served.
 *
 * Contract: throws FILE_NOT_FOUND for a folder that is not there. Adding one twice changes nothing.
 */
export async function addProject(folder: string, { cwd, project: { environment } }: CommandContext): Promise<Finished> {
  const { root, added } = rememberProject(folder, cwd, environment);
  return reportProjects(added ? "added" : "known", root, environment);
}

/**
 * Removes a project from those that are served; its files stay.
 *
 * Contract: throws NOT_FOUND for one that is not in the list.
 */
export async function removeProject(
  folder: string,
  { cwd, project: { environment } }: CommandContext,
): Promise<Finished> {
  return reportProjects("removed", forgetProject(folder, cwd, environment), environment);
}

function reportProjects(done: ProjectsListed["done"], root: string | null, environment: NodeJS.ProcessEnv): Finished {
  const projects = rememberedProjects(environment).map((each) => ({
    id: projectId(each),
    root: each,
    there: existsSync(each),
  }));
  return finish(EXIT.done, { type: "projects", done, root, projects, file: projectsFile(environment) });
}
