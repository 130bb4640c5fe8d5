import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { renderBundle } from "../../src/mind/plan/bundle.js";
import { prepareRegistry } from "../../src/mind/plan/inputs.js";
import { plan } from "../../src/mind/plan/plan.js";
import { proposeFromTemplate } from "../../src/mind/propose/template/template-planner.js";
import { sealIntent } from "../../src/mind/plan/inputs/seal-intent.js";
import type { Services } from "../../src/mind/plan/services.js";
import { inputsWith, intentWith, registryWith } from "../../src/testing/plan-fixtures.js";
import { ensureBuilt } from "../build.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const preload = join(root, "test/architecture/no-world.mjs");

/** Not SHA-256, but pure: the hash is passed in, so any function of the text shows the same. */
function pureHash(text: string): string {
  let hash = 14695981039346656037n;
  for (const sign of text) hash = (hash * 1099511628211n + BigInt(sign.codePointAt(0) ?? 0)) % (1n << 256n);
  return hash.toString(16).padStart(64, "0");
}

function withoutWorld(body: string): { status: number | null; stdout: string; stderr: string } {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-pure-"));
  const entry = join(folder, "entry.mjs");
  writeFileSync(entry, body);
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", pathToFileURL(preload).href, entry], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  rmSync(folder, { recursive: true, force: true });
  return { status, stdout, stderr };
}

describe("Gate E: the mind without the world", () => {
  beforeAll(ensureBuilt);
  const dist = (path: string) => JSON.stringify(pathToFileURL(join(root, "dist", path)).href);

  it("lets through what only computes", () => {
    expect(withoutWorld("report(String(6 * 7));")).toEqual({ status: 0, stdout: "42", stderr: "" });
  });

  it.each([
    ["a module", 'await import("node:fs");'],
    ["the clock", "new Date();"],
    ["chance", "Math.random();"],
    ["a timer", "setTimeout(() => {}, 1);"],
    ["the process", "process.env;"],
  ])("the gate is shut: code that uses %s fails", (_, body) => {
    expect(withoutWorld(body).status).not.toBe(0);
  });

  it("plans, freezes and renders the same bytes as with it [S4-019, S4-095, S4-096]", () => {
    const services: Services = { sha256: pureHash, coordinatorVersion: "9.9.9" };
    const registry = prepareRegistry(registryWith(), services);
    const sealed = sealIntent(intentWith(), registry, services);
    if (!sealed.ok) throw new Error("the fixture must be sealable");
    const inputs = { ...inputsWith(), intent: sealed.intent, lock: sealed.lock, registry };
    const outcome = plan(inputs, services);
    expect(outcome.state).toBe("DONE");
    const expected = JSON.stringify([...renderBundle(outcome, inputs, services).files]);

    const result = withoutWorld(`
      const { plan } = await import(${dist("mind/plan/plan.js")});
      const { renderBundle } = await import(${dist("mind/plan/bundle.js")});
      const { prepareRegistry } = await import(${dist("mind/plan/inputs.js")});
      const services = { sha256: ${pureHash.toString()}, coordinatorVersion: "9.9.9" };
      const inputs = ${JSON.stringify({ ...inputs, registry: null })};
      inputs.registry = prepareRegistry(${JSON.stringify(registry.registry)}, services);
      report(JSON.stringify([...renderBundle(plan(inputs, services), inputs, services).files]));
    `);
    expect(result.stderr).toBe("");
    expect(result.stdout === expected).toBe(true);
  });

  it("proposes the same from a template as with it", () => {
    const asked = {
      text: "Add `src/csv.ts`:\n- rows\n- cells",
      intake: { approach: "enhancement", project_type: { type: null }, intent: { acceptance: [] }, estimate: null },
      spec: null,
      facts: null,
    };
    const expected = proposeFromTemplate(asked as unknown as Parameters<typeof proposeFromTemplate>[0]);
    const result = withoutWorld(`
      const { proposeFromTemplate } = await import(${dist("mind/propose/template/template-planner.js")});
      report(JSON.stringify(proposeFromTemplate(${JSON.stringify(asked)})));
    `);
    expect(result).toEqual({ status: 0, stdout: JSON.stringify(expected), stderr: "" });
  });
});
