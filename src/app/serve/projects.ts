import { existsSync } from "node:fs";
import type { CommandContext } from "../command-context.js";
import { EXIT } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import type { ProjectsListed } from "../serve-reports.js";
import { forgetProject, projectsFile, rememberedProjects, rememberProject } from "./remembered-projects.js";
import { projectId } from "./project-id.js";

/** The projects that `coordinator serve` serves. */
export async function listProjects({ project: { environment } }: CommandContext): Promise<Finished> {
  return reportProjects("listed", null, environment);
}

export async function addProject(folder: string, { cwd, project: { environment } }: CommandContext): Promise<Finished> {
  const { root, added } = rememberProject(folder, cwd, environment);
  return reportProjects(added ? "added" : "known", root, environment);
}

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
