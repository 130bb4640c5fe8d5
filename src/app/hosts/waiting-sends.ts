import { existsSync } from "node:fs";
import { join } from "node:path";
import { readdirSync, readFileSync } from "../../foundation/files/read-files.js";
import type { WaitingSend } from "../host-reports.js";
import type { StateFolder } from "../project/state-folder.js";
import type { Outbox } from "./outbox.js";

/** Without the schemas: the inbox is asked for often, and has to be there at once. Contract: a file that is not ours says nothing. */
export function listWaitingSends({ folder }: StateFolder): WaitingSend[] {
  const hosts = join(folder, "hosts");
  const names = existsSync(hosts) ? readdirSync(hosts).sort() : [];
  return names.filter((name) => /^publish-.+\.json$/.test(name)).flatMap((name) => waitingIn(join(hosts, name)));
}

function waitingIn(path: string): WaitingSend[] {
  try {
    const { schema_version, run_id, repository, waits, is_done } = JSON.parse(
      readFileSync(path, "utf8"),
    ) as Partial<Outbox>;
    if (schema_version !== "1.0.0" || run_id === undefined || repository === undefined) return [];
    if (is_done === true || waits == null) return [];
    return [{ run_id, repository, reason: waits.reason, until: waits.until, command: "coordinator sync" }];
  } catch {
    return [];
  }
}
