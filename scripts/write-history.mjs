// `node scripts/write-history.mjs NAME --seed N`: keeps the log of a simulated run under test/histories, with its signed
// checkpoints and the state it folds to. Every later version must still read it; one that is there is never replaced.
import { hash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { projectState } from "../dist/mind/report/project-state/project-state.js";
import { fold } from "../dist/mind/run/transition.js";
import { loadSigningKey } from "../dist/hands/store/chain/signing-key.js";
import { createMemoryStore } from "../dist/hands/store/memory-store.js";
import { simulate } from "../dist/testing/simulation/world.js";

const { values, positionals } = parseArgs({ options: { seed: { type: "string" } }, allowPositionals: true });
const [name] = positionals;
const seed = Number(values.seed);
if (name === undefined || !/^[\w.-]+$/.test(name) || !Number.isInteger(seed)) {
  console.error("write-history.mjs NAME --seed N");
  process.exit(2);
}
const folder = join(import.meta.dirname, "..", "test", "histories", name);
if (existsSync(folder)) {
  console.error(`${folder} is there already: a history is never written anew`);
  process.exit(1);
}

const runId = `run_${name.replaceAll(/[^a-z0-9_-]/g, "-")}`;
const keys = mkdtempSync(join(tmpdir(), "coordinator-history-"));
const key = loadSigningKey(keys);
rmSync(keys, { recursive: true });
const store = createMemoryStore({ sha256: (text) => hash("sha256", text), signer: key });
const { events, violations } = simulate(seed);
if (violations.length > 0) throw new Error(violations.join("; "));
const began = Date.parse("2026-02-03T04:05:06Z");
for (let n = 0; n < events.length;) {
  const { clock_ms } = events[n];
  const together = events
    .slice(n)
    .filter((each, i, rest) => rest.slice(0, i + 1).every((e) => e.clock_ms === clock_ms));
  const at = new Date(began + clock_ms).toISOString();
  await store.append(
    runId,
    n,
    together.map(({ event }) => ({ event, at, clock_ms })),
  );
  n += together.length;
}

const log = [];
for await (const logged of store.read(runId)) log.push(logged);
const { layout: _, tasks, ready, ...state } = fold(log);
const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "log.jsonl"), log.map((logged) => `${JSON.stringify(logged)}\n`).join(""));
writeFileSync(
  join(folder, "notes.json"),
  json({ run_id: runId, public_key: key.publicKeyPem, checkpoints: await store.list(runId, "checkpoint/") }),
);
writeFileSync(
  join(folder, "state.json"),
  json({ run: { ...state, tasks: [...tasks], ready: [...ready] }, project: projectState(log) }),
);
console.log(`${folder}: ${log.length} events`);
