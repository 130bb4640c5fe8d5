import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { readFileSync } from "../../../foundation/files/read-files.js";
import { registerSecrets } from "../../../foundation/files/known-secrets.js";
import { CoordinatorError } from "../../../model/errors.js";

/*
 * The password of a store: a variable of the person who works on the project, or a file of its own that a variable names. It is in no setting of a
 * project, and from the moment it is read it is taken out of everything that is written.
 */

const PASSWORD = "COORDINATOR_STORE_PASSWORD";
const PASSWORD_FILE = "COORDINATOR_STORE_PASSWORD_FILE";

/** Contract: empty where none is given. Throws STORE_ADDRESS for two that contradict each other, and for a file that is unfit. */
export function readStorePassword(environment: NodeJS.ProcessEnv): string {
  const { [PASSWORD]: given = "", [PASSWORD_FILE]: file = "" } = environment;
  if (given !== "" && file !== "")
    throw new CoordinatorError("STORE_ADDRESS", `Both ${PASSWORD} and ${PASSWORD_FILE} are set`, {
      fix: "Unset one of them: only one can be meant.",
    });
  const password = file === "" ? given : passwordIn(file);
  registerSecrets([[PASSWORD, password]]);
  return password;
}

/**
 * The password as these variables give it. Contract: throws at once what is wrong with it; what it returns reads it again at each
 * connection, so that a file may change.
 */
export function passwordFrom(environment: NodeJS.ProcessEnv): () => string {
  const read = () => readStorePassword(environment);
  read();
  return read;
}

function passwordIn(file: string): string {
  const unfit = (why: string, fix: string) =>
    new CoordinatorError("STORE_ADDRESS", `The file that ${PASSWORD_FILE} names ${why}: ${file}`, { fix });
  if (!isAbsolute(file)) throw unfit("is not written from the root", "Give its absolute path.");
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true) throw unfit("is not there", "Make it, or correct the variable.");
  if ((found.mode & 0o077) !== 0) throw unfit("can be read by others", `chmod 600 ${file}`);
  return readFileSync(file, "utf8").replace(/\r?\n$/, "");
}
