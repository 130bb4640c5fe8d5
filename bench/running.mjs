// The cost of a run beside its tasks: verifying its chain, opening a store and folding a log, the gate, the first answer to
// a request. Prints one JSON document.
import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { gate } from "../dist/mind/gate/gate.js";
import { intake } from "../dist/mind/intake/intake.js";
import { IntakePolicy } from "../dist/model/intake-policy.js";
import { compilePolicy } from "../dist/mind/route/compile-policy.js";
import { route } from "../dist/mind/route/route.js";
import { fold } from "../dist/mind/run/transition.js";
import { verifyRun } from "../dist/hands/store/chain/verify-run.js";
import { openSqliteStore } from "../dist/hands/store/sqlite/open-sqlite-store.js";
import { open } from "./engines/ours.mjs";
import { medianMs } from "./measure.mjs";
import { makeLayers } from "./plans.mjs";

const ROUNDS = 7;
const sha256 = (text) => hash("sha256", text);

const ms = (work) => medianMs(work, ROUNDS);

async function logOf10000() {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-bench-"));
  const path = join(folder, "store.db");
  try {
    const engine = await open(folder);
    await engine.run("x", makeLayers(40, 50));
    const { events } = engine.counts();
    await engine.close();
    const bytes_per_event = statSync(path).size / events;
    const verify_ms = await ms(() =>
      withStore(path, async (store) => {
        const { intact } = await verifyRun(store, "run_x", { sha256 });
        if (!intact) throw new Error("the chain does not verify");
      }),
    );
    const start_ms = await ms(() =>
      withStore(path, async (store) => {
        const log = [];
        for await (const logged of store.read("run_x")) log.push(logged);
        if (fold(log).status !== "completed") throw new Error("the log does not fold to its end");
      }),
    );
    const verify_cpu_us = await leastCpuUs(path, events);
    return { events, bytes_per_event, verified_per_second: (events * 1000) / verify_ms, verify_cpu_us, start_ms };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** CPU time of verifying an event: the least of a few rounds, since everything else that runs here only adds to it. */
async function leastCpuUs(path, events) {
  let least = Infinity;
  for (let round = 0; round <= ROUNDS; round++)
    await withStore(path, async (store) => {
      const before = process.cpuUsage();
      await verifyRun(store, "run_x", { sha256 });
      const { user, system } = process.cpuUsage(before);
      least = Math.min(least, (user + system) / events);
    });
  return least;
}

async function withStore(path, act) {
  const store = await openSqliteStore(path, { sha256 });
  await act(store);
  await store.close();
}

/** A phase of 10,000 deliverables: far more than a phase has. */
function gateMs(count) {
  const names = Array.from({ length: count }, (_, i) => `deliverable ${i}`);
  const facts = {
    required_deliverables: names,
    deliverables: names.map((name) => ({ name, complete: true })),
    quality: { checks: null, coverage: null, verdicts: { pass: count, fail: 0, blocked: 0 }, findings: null },
    risks: [],
    blockers: [],
    tokens_remaining: 1e6,
  };
  const policy = { quality_threshold: 80, min_tokens_for_next_phase: 1000 };
  return ms(() => {
    if (gate("execution", facts, policy).decision !== "GO") throw new Error("NO_GO");
  });
}

const policyOf = (name) => parse(readFileSync(new URL(`../policy/${name}.yaml`, import.meta.url), "utf8"));

async function firstResponse() {
  const text = "Add a health endpoint to the service that answers with its version and uptime. ".repeat(13);
  const intakePolicy = IntakePolicy.parse(policyOf("intake"));
  const compiled = compilePolicy(policyOf("routing"));
  const request = { request_id: "550e8400-e29b-41d4-a716-446655440000", timestamp: "2026-01-01T00:00:00Z" };
  const in_process_ms = await ms(() => {
    intake(intakePolicy, { ...request, user_request: text });
    route(compiled.policy, { task_id: "t", input: { body: text }, context_registry: [] });
  });
  const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
  const call = (args, input) => () =>
    execFileSync(process.execPath, [program, ...args], { input, stdio: ["pipe", "pipe", "ignore"] });
  const node_ms = await ms(() => execFileSync(process.execPath, ["-e", "0"]));
  const program_ms = await ms(call(["route", "-", "--json"], text));
  return { in_process_ms, program_ms, node_ms };
}

console.log(
  JSON.stringify({
    log: await logOf10000(),
    gate_50_ms: await gateMs(50),
    gate_10000_ms: await gateMs(10_000),
    first_response: await firstResponse(),
  }),
);
