import { spawnSync } from "node:child_process";
import { closeSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { openSync, mkdirSync } from "../../foundation/files/write-files-sync.js";
import { readFileSync } from "../../foundation/files/read-files.js";
import { builtProgram } from "../../foundation/processes/built-program.js";
import { identityOf, isAlive } from "../../foundation/processes/process-identity.js";
import { jsonOrUndefined } from "../../foundation/documents/json-or-undefined.js";
import { readOwnJson, writeOwnJson } from "../serve/own-json.js";
import { makeStateFolder, type StateFolder } from "../project/state-folder.js";

/*
 * Work in a process of its own: this program, started for a front that has to answer at once and may end at any time. The
 * process gets no terminal and no approval, so it can do what `coordinator --no-input` can and nothing else. Its output
 * stands in a folder of the project's state, with who it is.
 */

const PROGRAM = builtProgram(new URL("../../cli/main.js", import.meta.url));

/**
 * Starts its arguments with Node.js and ends, so that the process belongs to nobody: a client that ends its servers ends
 * what descends from them, too.
 */
const STARTER = `const { pid } = require("node:child_process").spawn(
  process.execPath, process.argv.slice(1), { detached: true, stdio: ["ignore", 3, 4] });
process.stdout.write(String(pid ?? ""));
process.exit();`;

const BackgroundRecord = z.strictObject({
  schema_version: z.literal("1.0.0"),
  pid: z.int(),
  start_time: z.string(),
  boot_id: z.string(),
});

/** The id of the run or the request that a process in the background works on. INVARIANT: only an id becomes the name of a folder. */
const WorkId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/);

/** How a process in the background stands. */
export interface BackgroundWork {
  readonly alive: boolean;
  /** The last document that it printed; null when it printed none. */
  readonly last: unknown;
}

const folderOf = ({ folder }: StateFolder, id: string) => join(folder, "handed", WorkId.parse(id));

/** The file in which input for the work with this id stands. */
export function backgroundFile(at: StateFolder, id: string, name: "request.json"): string {
  return join(folderOf(at, id), name);
}

/**
 * Start this program in the background, in the project.
 *
 * Contract: returns when the process is started; it outlives this one. Nothing is started while an earlier one with the
 * same id lives.
 */
export function startInBackground(
  at: StateFolder,
  id: string,
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
): void {
  if (readBackground(at, id)?.alive === true) return;
  makeStateFolder(at);
  const folder = folderOf(at, id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const out = openSync(join(folder, "out.jsonl"), "w", 0o600);
  const err = openSync(join(folder, "err.txt"), "w", 0o600);
  try {
    const program = [PROGRAM, "--no-input", "--json", "--cwd", at.root, ...words];
    const { stdout } = spawnSync(process.execPath, ["-e", STARTER, ...program], {
      cwd: folder,
      stdio: ["ignore", "pipe", "ignore", out, err],
      env: environment,
      encoding: "utf8",
    });
    // A process that could not be started has no number and no output: readers are told that it is not alive.
    const pid = Number(stdout);
    if (!Number.isInteger(pid) || pid <= 0) return;
    const identity = identityOf(pid) ?? { pid, start_time: "", boot_id: "" };
    writeOwnJson(join(folder, "process.json"), { schema_version: "1.0.0", ...identity });
  } finally {
    closeSync(out);
    closeSync(err);
  }
}

/** Contract: null when no process was ever started for this id. */
export function readBackground(at: StateFolder, id: string): BackgroundWork | null {
  const folder = folderOf(at, id);
  const record = readOwnJson(join(folder, "process.json"), BackgroundRecord);
  if (record === null) return null;
  return { alive: isAlive(record), last: lastDocument(join(folder, "out.jsonl")) };
}

/** Contract: null for output without a whole document in its last line. */
function lastDocument(file: string): unknown {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return jsonOrUndefined(lines.at(-1) ?? "") ?? null;
}
