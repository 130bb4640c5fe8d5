import { statSync } from "node:fs";
import { resolve } from "node:path";
import { enterBounds, realOf } from "../../foundation/files/project-bounds.js";
import { CoordinatorError } from "../../model/errors.js";
import type { CommandContext } from "../command-context.js";
import { requireCommand } from "./command-actions.js";
import { keepProjectOut } from "./own-environment.js";
import { requireOwnState } from "./own-state.js";
import type { Project } from "./project.js";

/* How every front, the command line and the library, comes to work in the folder of a project. */

/**
 * Refuse what no command may do, before anything of the command is loaded. `command` is named as in COMMAND_ACTIONS.
 *
 * Contract: changes the project's variables as keepProjectOut does, so a front that must not change its own variables gives a copy.
 * Throws as requireOwnState and requireCommand do. Nothing is written.
 */
export async function guardCommand(command: string, project: Project, approved: boolean): Promise<void> {
  keepProjectOut(project.environment, project.cwd);
  await requireOwnState(project);
  await requireCommand(command, project, approved);
}

/**
 * Returns the context in the folder of another project, with the guards of `command` passed there. `said` is where the folder
 * was named.
 *
 * Contract: throws FILE_NOT_FOUND for a folder that is not there, and as guardCommand does. The process stays where it is.
 */
export async function enterProject(
  folder: string,
  said: string,
  command: string,
  from: CommandContext,
): Promise<CommandContext> {
  const cwd = folderAt(resolve(from.cwd, folder), folder, said);
  enterBounds(cwd);
  const project = from.project.reopen(cwd);
  await guardCommand(command, project, from.approved);
  const { plansIn } = await import("../default-parts.js");
  const parts = { ...from.parts, plans: plansIn(cwd) };
  return { ...from, cwd, project, parts, coordinator: async () => (await import("../compose.js")).compose(parts) };
}

/** The folder by its real path, as the system names the directory of a process. */
function folderAt(path: string, shown: string, said: string): string {
  const real = realOf(path);
  if (real !== null && statSync(real).isDirectory()) return real;
  throw new CoordinatorError("FILE_NOT_FOUND", `There is no directory ${shown} to work in.`, {
    fix: `Check what ${said} names.`,
  });
}
