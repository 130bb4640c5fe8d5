import { readFileSync } from "../../../foundation/files/read-files.js";
import type { ProcessIdentity } from "../../../foundation/processes/process-identity.js";

/** Which process an older version says has the store for itself. Contract: null when there is no such file, or another. */
export function readLock(path: string): ProcessIdentity | null {
  try {
    const { pid, start_time, boot_id } = JSON.parse(readFileSync(path, "utf8")) as Partial<ProcessIdentity>;
    return pid === undefined || start_time === undefined || boot_id === undefined ? null : { pid, start_time, boot_id };
  } catch {
    return null;
  }
}
