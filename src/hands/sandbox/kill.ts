import { lstatSync } from "node:fs";
import { basename, join } from "node:path";
import { readFileSync, readdirSync } from "../../foundation/files/read-files.js";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "../../foundation/files/write-files-sync.js";
import { MARK } from "./launch.js";
import { bootId } from "../../foundation/processes/proc.js";
import { isRunning, identityOf, type ProcessIdentity } from "../../foundation/processes/process-identity.js";
import { findMarked, killProcess } from "./processes.js";

/*
 * Running sandboxes are written down, so that a Coordinator that starts after a crash ends what the last one left. A
 * strong sandbox dies with its Coordinator by itself; the others do not.
 */

interface SandboxRecord {
  readonly id: string;
  /** The Coordinator that opened it. */
  readonly owner: ProcessIdentity | null;
  /** Files that the sandbox made outside of the workspace. */
  readonly state: string;
  readonly processes: readonly ProcessIdentity[];
  /** Paths of the workspace that were covered although they were not there. */
  readonly covered: readonly string[];
}

interface RecordKeeper {
  readonly cover: (paths: readonly string[]) => void;
  readonly note: (processes: readonly ProcessIdentity[]) => void;
  readonly remove: () => void;
}

export function keepRecord(folder: string, id: string, state: string): RecordKeeper {
  const path = join(folder, `${id}.json`);
  const owner = identityOf(process.pid);
  const processes = new Map<string, ProcessIdentity>();
  let covered: readonly string[] = [];
  const write = () => {
    const record: SandboxRecord = { id, owner, state, processes: [...processes.values()].filter(isRunning), covered };
    // In one move: a record that is half written would name nobody.
    writeFileSync(`${path}.new`, JSON.stringify(record));
    renameSync(`${path}.new`, path);
  };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  write();
  return {
    cover: (paths) => {
      covered = paths;
      write();
    },
    note: (names) => {
      for (const name of names) processes.set(`${name.pid} ${name.start_time}`, name);
      write();
    },
    remove: () => {
      covered.forEach(uncover);
      rmSync(path, { force: true });
    },
  };
}

export interface Swept {
  readonly id: string;
  readonly killed: number;
}

/**
 * Ends the processes that Coordinators left behind which do not run any more.
 *
 * Contract: leaves every sandbox whose Coordinator lives; returns when nothing of the others runs any more. A file that
 * no Coordinator wrote is left where it is.
 */
export async function sweepOrphans(folder: string): Promise<Swept[]> {
  const swept: Swept[] = [];
  for (const record of recordsIn(folder)) {
    if (record.owner !== null && isRunning(record.owner)) continue;
    const killed = await endAll(record);
    record.covered.forEach(uncover);
    rmSync(record.state, { recursive: true, force: true });
    for (const ending of [".json", ".json.new"]) rmSync(join(folder, record.id + ending), { force: true });
    swept.push({ id: record.id, killed });
  }
  return swept;
}

/** bubblewrap makes an empty file to mount on. It is not the agent's, and must not be taken for a change. */
function uncover(path: string): void {
  const made = lstatSync(path, { throwIfNoEntry: false });
  if (made?.isFile() === true && made.size === 0) rmSync(path, { force: true });
}

async function endAll({ id, owner, processes }: SandboxRecord): Promise<number> {
  // Start times begin anew with each boot; nothing outlives one.
  if (owner !== null && owner.boot_id !== bootId()) return 0;
  const killed = new Set<string>();
  for (;;) {
    const { found, isSure } = findMarked(MARK, id);
    const left = [...processes.filter(isRunning), ...found];
    if (left.length === 0 && isSure) return killed.size;
    for (const name of left) {
      killProcess(name);
      killed.add(`${name.pid} ${name.start_time}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

function recordsIn(folder: string): SandboxRecord[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    // A record that was not yet moved into place counts too; two for one sandbox are one sweep more.
    const id = name.replace(/\.json(?:\.new)?$/, "");
    try {
      const record = JSON.parse(readFileSync(join(folder, name), "utf8")) as SandboxRecord;
      return isOurs(record, id) ? [record] : [];
    } catch {
      return [];
    }
  });
}

/**
 * Whether a sandbox wrote this record. Its state folder is removed and its processes are ended, and a clone can hold such a
 * file: so the folder must have the name that a sandbox gives it by chance, which nothing else has.
 */
function isOurs(record: SandboxRecord, id: string): boolean {
  return (
    /^(?:coord-sandbox|coordinator-cage)-[0-9a-f]{16}$/.test(id) &&
    record.id === id &&
    basename(record.state) === id &&
    Array.isArray(record.processes) &&
    Array.isArray(record.covered)
  );
}
