import { CoordinatorError } from "../../model/errors.js";

/** Work in another directory from here on; `said` is where it was named. */
export function changeDirectory(host: NodeJS.Process, directory: string, said: string): void {
  try {
    host.chdir(directory);
  } catch (cause) {
    throw new CoordinatorError("FILE_NOT_FOUND", `There is no directory ${directory} to work in.`, {
      cause,
      fix: `Check what ${said} names.`,
    });
  }
}
