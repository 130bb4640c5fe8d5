import { accessSync, constants, realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { mkdir } from "../../foundation/files/write-files.js";
import { CoordinatorError } from "../../model/errors.js";
import { unsuitableError } from "./checkout.js";

/* Where things are kept outside of every repository: the state of all projects, and what lives as long as a sandbox. */

/** Null where the user's system names none. */
export function stateDirectory({ XDG_STATE_HOME, HOME }: NodeJS.ProcessEnv): string | null {
  if (XDG_STATE_HOME?.startsWith("/") === true) return join(XDG_STATE_HOME, "coordinator");
  return HOME === undefined || HOME === "" ? null : resolve(HOME, ".local", "state", "coordinator");
}

/** Contract: throws REPOSITORY_UNSUITABLE where there is no place for it, WORKSPACE_FAILED where it cannot be made. */
export async function makeStateDirectory({
  stateDirectory: named,
  environment,
}: {
  readonly stateDirectory?: string;
  readonly environment: NodeJS.ProcessEnv;
}): Promise<string> {
  const directory = named === undefined ? stateDirectory(environment) : resolve(named);
  if (directory === null)
    throw unsuitableError("There is no home directory to keep state in.", "Set HOME or XDG_STATE_HOME.");
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return await realpath(directory);
  } catch (cause) {
    throw new CoordinatorError(
      "WORKSPACE_FAILED",
      `The state directory ${directory} cannot be made: ${(cause as Error).message}`,
      { cause, fix: "Set XDG_STATE_HOME to a folder that can be written to." },
    );
  }
}

/** Contract: throws WORKSPACE_FAILED where nothing can be put there. */
export function temporaryDirectory(): string {
  const directory = tmpdir();
  try {
    const real = realpathSync(directory);
    accessSync(real, constants.W_OK | constants.X_OK);
    return real;
  } catch (cause) {
    throw new CoordinatorError(
      "WORKSPACE_FAILED",
      `The folder for temporary files, ${directory}, cannot be used: ${(cause as Error).message}`,
      { cause, fix: "Set TMPDIR to a folder that can be written to." },
    );
  }
}
