// One engine and one workload in a process of its own: heaps, compiled code and peak memory do not mix. Prints JSON.
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ENGINES } from "./engines/index.mjs";
import { WORKLOADS } from "./plans.mjs";

const WARM_UP_MS = 8000;
const [engineName, workloadName] = process.argv.slice(2);
const { runs, atOnce, plan, tasks, warm, warmRuns } = WORKLOADS[workloadName];
const folder = mkdtempSync(join(tmpdir(), "coordinator-bench-"));

async function carryOutAll(engine, name, count, what) {
  let next = 0;
  const place = async () => {
    while (next < count) await engine.run(`${name}-${next++}`, what);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, place));
}

try {
  const open = await ENGINES[engineName].load();
  const engine = await open(folder, { databaseUrl: process.env.BENCH_DATABASE_URL });
  engine.prepare?.(plan);
  let warmed = 0;
  const until = performance.now() + WARM_UP_MS;
  while (warmed < warmRuns && performance.now() < until) {
    const some = Math.min(atOnce, warmRuns - warmed);
    await carryOutAll(engine, `warm${warmed}`, some, warm);
    warmed += some;
  }
  const before = { counts: engine.counts?.(), cpu: process.cpuUsage(), wall: performance.now() };
  await carryOutAll(engine, "measured", runs, plan);
  const wall_ms = performance.now() - before.wall;
  const cpu = process.cpuUsage(before.cpu);
  const events = engine.counts === undefined ? null : engine.counts().events - before.counts.events;
  await engine.close();
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  const result = {
    wall_us: (wall_ms * 1000) / tasks,
    cpu_us: (cpu.user + cpu.system) / tasks,
    rss_mb: process.resourceUsage().maxRSS / 1024,
    /** Of everything carried out here, since files do not shrink. */
    bytes_per_task: bytes / (tasks + warmed * warm.length),
    events,
    durability: engine.durability,
  };
  console.log(JSON.stringify(result));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
