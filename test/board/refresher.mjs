/* A process that brings the board of a folder up to date again and again, until a file says stop. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const [dist, cwd, contract] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(dist, path)).href);
const { openBoard } = await load("hands/board/open-board.js");
const { readRuns } = await load("app/project/open-runs.js");
const { stateFolder } = await load("app/project/state-folder.js");

const at = stateFolder(cwd);
const board = openBoard({
  root: cwd,
  stateFolder: at.folder,
  reader: await readRuns(at),
  settings: { queue: "tasks/work_queue.json", hq: "PROJECT_HQ.md", sessions: "sessions" },
  inForce: { contract: JSON.parse(contract), file: null, approved: false },
  project: "handbook",
  now: () => new Date().toISOString(),
  tell: (message) => process.stdout.write(`${message}\n`),
  filesOf: async () => [],
});
// A folder that is gone ends it too: nobody waits for it any more.
while (!existsSync(join(cwd, "stop")) && existsSync(at.database)) {
  await board.refresh();
  await sleep(25);
}
if (existsSync(at.database)) await board.refresh();
