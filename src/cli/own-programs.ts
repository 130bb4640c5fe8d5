import { pathOutside } from "../execute/agent-program.js";
import { findBounds } from "../files/project-bounds.js";

/**
 * From now on no program is looked for in the project, nor where it depends on the folder somebody stands in: people have
 * `node_modules/.bin` or `.` on their PATH, and a clone can hold a program that is called git.
 */
export function leaveOutProject(environment: NodeJS.ProcessEnv, cwd: string): void {
  const { PATH } = environment;
  if (PATH !== undefined) environment["PATH"] = pathOutside(PATH, findBounds(cwd));
}
