import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { readdirSync, readFileSync } from "../../foundation/files/read-files.js";
import { ownSettings } from "../../hands/settings/load-configuration.js";
import { CoordinatorError } from "../../model/errors.js";
import { keyOfPem, type PublicKey } from "../project/open-runs.js";

/*
 * The public keys of people whose clones may carry out runs that this person verifies. They lie beside the person's own settings, where
 * nothing but the person puts them: a key that came with a log, a store or a repository must prove nothing.
 */

/** The folder of trusted keys. */
const teamFolder = (environment: NodeJS.ProcessEnv) => join(dirname(ownSettings(environment)), "team-keys");

/** Contract: throws FILE_NOT_FOUND or DOCUMENT_INVALID; none where there is no folder. */
export function teamKeys(environment: NodeJS.ProcessEnv): readonly PublicKey[] {
  const folder = teamFolder(environment);
  return existsSync(folder) ? keysAt(folder) : [];
}

/** The public keys in a file, or in the *.pem files of a folder. Contract: throws FILE_NOT_FOUND or DOCUMENT_INVALID. */
export function keysAt(place: string): readonly PublicKey[] {
  try {
    if (!statSync(place).isDirectory()) return [keyIn(place)];
    const names = readdirSync(place).filter((name) => name.endsWith(".pem"));
    return names.sort().map((name) => keyIn(join(place, name)));
  } catch (cause) {
    if (cause instanceof CoordinatorError) throw cause;
    throw new CoordinatorError("FILE_NOT_FOUND", `The key ${place} cannot be read`, { cause });
  }
}

function keyIn(file: string): PublicKey {
  const key = keyOfPem(readFileSync(file, "utf8"));
  if (key !== null) return key;
  throw new CoordinatorError("DOCUMENT_INVALID", `${file} holds no ed25519 public key`, {
    fix: "It is the public_key of an exported tape, or what openssl pkey -in .coordinator/signing-key.pem -pubout prints there.",
  });
}
