import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert, asyncProperty, constantFrom, nat } from "fast-check";
import { describe, expect, it } from "vitest";
import { coordinator, coordinatorJson, FEATURE, snapshot, workFolder } from "./program.js";

async function planned(): Promise<string> {
  const cwd = workFolder("feature-plan");
  expect((await coordinator(["plan", ...FEATURE, "--out", "plan"], { cwd })).code).toBe(0);
  return cwd;
}

describe("verify", () => {
  it("proves a plan that nobody touched [S4-064]", async () => {
    const cwd = await planned();
    const { code, stdout } = await coordinator(["verify", "plan"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/Verified: plan is plan_[0-9a-f]{24}, DONE, checksum [0-9a-f]{64}\n$/);
    const { json } = await coordinatorJson(["verify", "plan"], { cwd });
    expect(json).toMatchObject({ type: "verification", passed: true, folder: "plan", difference: null });
    expect(Object.keys(json)).toEqual(["type", "passed", "folder", "checks", "difference", "manifest"]);
  });

  it("names the first difference", async () => {
    const cwd = await planned();
    const file = join(cwd, "plan", "review.json");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace('"grace"', '"mallory"'));
    const { code, stdout } = await coordinator(["verify", "plan"], { cwd });
    expect(code).toBe(5);
    const line = text.slice(0, text.indexOf('"grace"')).split("\n").length;
    expect(stdout).toContain(`First difference: review.json, line ${line}\n  found     "mallory"\n  expected  "grace"`);
    expect(stdout).toMatch(/\nNot verified: plan is not the plan that its inputs give\..*\n$/);
  });

  it("finds any single bit that was changed, in any file [S4-064]", async () => {
    const cwd = await planned();
    const folder = join(cwd, "plan");
    const names = Object.keys(snapshot(folder));
    await assert(
      asyncProperty(constantFrom(...names), nat(), nat(7), async (name, at, bit) => {
        const file = join(folder, name);
        const bytes = readFileSync(file);
        const changed = Buffer.from(bytes);
        const index = at % bytes.length;
        changed[index] = (changed[index] ?? 0) ^ (1 << bit);
        writeFileSync(file, changed);
        const { code } = await coordinator(["verify", "plan"], { cwd });
        writeFileSync(file, bytes);
        expect(code).toBe(5);
      }),
      { numRuns: 30 },
    );
    expect((await coordinator(["verify", "plan"], { cwd })).code).toBe(0);
  });

  it("finds files that are missing and files that are too many", async () => {
    const cwd = await planned();
    writeFileSync(join(cwd, "plan", "extra.txt"), "");
    expect((await coordinator(["verify", "plan"], { cwd })).stdout).toContain("extra.txt is not part of the plan");
    rmSync(join(cwd, "plan", "extra.txt"));
    rmSync(join(cwd, "plan", "graph.dot"));
    const missing = await coordinator(["verify", "plan"], { cwd });
    expect([missing.code, missing.stdout.includes("graph.dot is missing")]).toEqual([5, true]);
    rmSync(join(cwd, "plan", "manifest.json"));
    expect((await coordinator(["verify", "plan"], { cwd })).code).toBe(5);
  });

  it("says that there is no such plan", async () => {
    const { code, json } = await coordinatorJson(["verify", "nowhere"], { cwd: workFolder() });
    expect([code, json["code"]]).toEqual([2, "PLAN_NOT_FOUND"]);
  });
});

describe("explain", () => {
  it("says why an action, a rule, a question, a model, a guard and a lane are as they are [S4-020]", async () => {
    const cwd = await planned();
    const graph = JSON.parse(readFileSync(join(cwd, "plan", "graph.json"), "utf8"));
    const question = graph.nodes.find((node: { node_type: string }) => node.node_type === "question").node_id;
    const model = graph.nodes.find((node: { node_type: string }) => node.node_type === "action_proposal").metadata
      .model_decision;
    const kinds: Record<string, string> = {
      "export-endpoint": "action",
      node_action_csv_writer: "action",
      review_public_contracts: "rule",
      graph_is_acyclic: "guard",
      feature_builder: "lane",
      [graph.edges[0].edge_id]: "edge",
      [question]: "question",
      [model]: "model",
    };
    for (const [id, kind] of Object.entries(kinds)) {
      const { code, json } = await coordinatorJson(["explain", id, "--plan", "plan"], { cwd });
      expect([id, code, json["type"], json["kind"]]).toEqual([id, 0, "explanation", kind]);
      expect((json["why"] as string[]).length).toBeGreaterThan(0);
    }
    const { stdout } = await coordinator(["explain", "export-endpoint", "--plan", "plan"], { cwd });
    expect(stdout).toMatch(
      /^Serve a report as CSV {2}action node_action_export_endpoint\n\nWhy\n {2}- require_review, by review_public_contracts/,
    );
    expect(stdout).toContain("\nAlternatives\n");
  });

  it("suggests ids close to one that is not there", async () => {
    const cwd = await planned();
    const { code, json } = await coordinatorJson(["explain", "csv", "--plan", "plan"], { cwd });
    expect([code, json["code"]]).toEqual([2, "NOT_FOUND"]);
    expect(json["fix"]).toContain("csv-writer");
  });
});
