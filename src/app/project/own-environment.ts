import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { pathOutside } from "../../hands/attempts/agent-program.js";
import { isBelow } from "../../foundation/files/is-below.js";
import { findBounds } from "../../foundation/files/project-bounds.js";

/** Folders of the person. Empty or relative they would name a folder of the project somebody stands in. */
const FOLDERS = ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"];

/**
 * From now on the environment names nothing that depends on where somebody stands, and no program of the project: people
 * have `node_modules/.bin` or `.` on their PATH, and a clone can hold a program that is called git, or settings in the
 * place of theirs.
 */
export function keepProjectOut(environment: NodeJS.ProcessEnv, cwd: string): void {
  for (const name of FOLDERS) if (!isAbsolute(environment[name] ?? "/")) delete environment[name];
  const { PATH, HOME = homedir() } = environment;
  const bounds = findBounds(cwd);
  // A home that is a project holds the person's own programs.
  const isHome = bounds !== null && isBelow(HOME, bounds);
  if (PATH !== undefined) environment["PATH"] = pathOutside(PATH, isHome ? null : bounds);
}
