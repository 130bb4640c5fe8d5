// The cost of a sandbox: starting a program in it against starting it bare, and how long a kill takes. Needs a build.
//   node bench/sandbox.mjs [starts] [kills]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSandbox } from "../dist/hands/sandbox/open-sandbox.js";

const [starts = 100, kills = 100] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "coordinator-bench-"));
const sandbox = await openSandbox({
  workspace: folder,
  writable: "whole",
  records: join(folder, "..", `${process.pid}-records`),
});
const times = { bare: [], sandboxed: [], kill: [] };

async function time(list, work) {
  const start = performance.now();
  await work();
  list.push(performance.now() - start);
}
// They take turns, so that a busy neighbour disturbs both.
for (let i = 0; i < starts; i++) {
  await time(times.bare, () => once(spawn("/bin/true", { env: {} }), "exit"));
  await time(times.sandboxed, () => sandbox.spawn({ argv: ["/bin/true"] }).exited);
}
for (let i = 0; i < kills; i++) {
  const started = sandbox.spawn({ argv: ["sh", "-c", "setsid -f sleep 1000 >/dev/null 2>&1; echo up; sleep 1000"] });
  await once(started.stdout, "data");
  await time(times.kill, () => (started.kill(), started.exited));
}
await sandbox.close();
rmSync(folder, { recursive: true, force: true });
rmSync(join(folder, "..", `${process.pid}-records`), { recursive: true, force: true });

const at = (list, part) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * part))];
const round = (ms) => Math.round(ms * 10) / 10;
const figures = Object.fromEntries(
  Object.entries(times).map(([name, list]) => [name, { p50: round(at(list, 0.5)), p99: round(at(list, 0.99)) }]),
);
console.log(JSON.stringify({ ...figures, added_p50: round(figures.sandboxed.p50 - figures.bare.p50) }));
