import { existsSync } from "node:fs";
import { join } from "node:path";
import { readdirSync, readFileSync } from "../../foundation/files/read-files.js";
import type { RunFeedback, WaitingSend } from "../host-reports.js";
import { makeStateFolder, type StateFolder } from "../project/state-folder.js";
import { writeOwnJson } from "../serve/own-json.js";
import type { Outbox } from "./outbox.js";

/* Remarks and checks of pull requests as they were last read from the host, for the inbox. Nothing is decided by it. */

interface Feedback {
  readonly schema_version: "1.0.0";
  readonly read_at: string;
  readonly runs: readonly RunFeedback[];
}

/** `key`: of the repository. Contract: durable when it returns. */
export function keepFeedback(at: StateFolder, key: string, runs: readonly RunFeedback[], now: string): void {
  makeStateFolder(at);
  const open = runs.filter(({ remarks, checks }) => remarks.length + checks.length > 0);
  const kept: Feedback = { schema_version: "1.0.0", read_at: now, runs: open };
  writeOwnJson(join(at.folder, "hosts", `feedback-${key}.json`), kept);
}

/** The remarks and checks that wait on a person there, as far as they are known. Contract: a file that is not ours says nothing. */
export function readKeptFeedback({ folder }: StateFolder): RunFeedback[] {
  const hosts = join(folder, "hosts");
  const names = existsSync(hosts) ? readdirSync(hosts) : [];
  return names.filter((name) => /^feedback-.+\.json$/.test(name)).flatMap((name) => runsIn(join(hosts, name)));
}

/** Without the schemas that other records are read with: the inbox is asked for often, and has to be there at once. */
function runsIn(path: string): readonly RunFeedback[] {
  try {
    const { schema_version, runs } = JSON.parse(readFileSync(path, "utf8")) as Partial<Feedback>;
    const isWhole = schema_version === "1.0.0" && Array.isArray(runs);
    return isWhole ? runs.filter(({ remarks, checks }) => Array.isArray(remarks) && Array.isArray(checks)) : [];
  } catch {
    return [];
  }
}

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
