import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { readFileSync } from "../../foundation/files/read-files.js";
import { writeFileSync } from "../../foundation/files/write-files-sync.js";
import { knownSecrets } from "../../foundation/files/known-secrets.js";
import type { RunEvent } from "../../model/event.js";
import { createRedactor } from "../../hands/store/chain/redact.js";
import { sha256 } from "../../hands/store/sha256.js";

/**
 * Creates a redactor that replaces the keys of this process in events, each by a salted hash of itself.
 *
 * Contract: keys that settings name later count from then on. While there is none to hide, no salt is made either.
 */
export function redactorFor(folder: string): (event: RunEvent) => RunEvent {
  let known: ReadonlyMap<string, string> | null = null;
  let redact = (event: RunEvent): RunEvent => event;
  return (event) => {
    const secrets = knownSecrets();
    if (secrets !== known && secrets.size > 0) redact = createRedactor([...secrets.keys()], saltIn(folder), sha256);
    known = secrets;
    return redact(event);
  };
}

const FILE = "redaction-salt";

/** Made on first use; anyone who has it can show that a given secret stood in a log, and nobody else can. */
function saltIn(folder: string): string {
  const path = join(folder, FILE);
  try {
    writeFileSync(path, randomBytes(32).toString("hex"), { flag: "wx", mode: 0o600, flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readFileSync(path, "utf8");
}
