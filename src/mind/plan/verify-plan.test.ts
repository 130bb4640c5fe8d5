import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PlanManifest } from "../../model/plan/manifest.js";
import {
  answersTo,
  command,
  type Difference,
  inputsWith,
  parameter,
  plannedCommand,
  services,
} from "../../testing/plan-fixtures.js";
import { renderBundle } from "./bundle.js";
import { plan } from "./plan.js";
import { type FoundFile, inputsOf, verifyPlan } from "./verify-plan.js";

const asking: Difference = {
  registry: (r) => r.commands.push(command("name_it", { parameters: [parameter("name")] })),
  intent: (i) => i.planned_commands.push(plannedCommand("name_it")),
};
function written(difference: Difference): Map<string, string> {
  const inputs = inputsWith(difference);
  return new Map(renderBundle(plan(inputs, services), inputs, services).files);
}
const waiting = () => written(asking);
const done = () => {
  const { questions } = plan(inputsWith(asking), services);
  return written({ ...asking, answers: [answersTo(questions[0], { q_param_name_it_name: "blue" })] });
};
const found = (files: ReadonlyMap<string, string>): Map<string, FoundFile> =>
  new Map([...files].map(([name, text]) => [name, { text, sha256: services.sha256(text) }]));

describe("the files of a plan", () => {
  it("are pretty JSON and forms for people, sealed by a manifest with both checksums of each [S4-062, S4-063, S4-064]", () => {
    const files = done();
    expect([...files.keys()].filter((name) => !name.startsWith("inputs/")).sort()).toEqual([
      "audit.jsonl",
      "graph.dot",
      "graph.json",
      "graph.mmd",
      "manifest.json",
      "plan.md",
      "questions.json",
      "review.json",
      "tape.json",
    ]);
    const manifest = PlanManifest.parse(JSON.parse(files.get("manifest.json") ?? ""));
    for (const [name, { file_checksum }] of Object.entries({ ...manifest.inputs, ...manifest.outputs }))
      expect(services.sha256(files.get(name) ?? ""), name).toBe(file_checksum);
    expect(files.get("graph.json")).toContain('{\n  "graph_id": "graph_base_plan",\n');
    expect(manifest.lineage.derived_from_intent).toBe("intent_base_plan");
  });

  it("are not made for a plan that was refused", () => {
    const inputs = inputsWith({ memory: null });
    expect(() => renderBundle(plan(inputs, services), inputs, services)).toThrow("a plan that is BLOCKED has no files");
  });
});

describe("verifyPlan [S4-064]", () => {
  it.each([
    ["that is done", done],
    ["that waits for answers", waiting],
  ])("proves a plan %s", (_, make) => {
    const result = verifyPlan(found(make()), services);
    expect(result.checks.filter((c) => !c.passed)).toEqual([]);
    expect(result.passed).toBe(true);
  });

  it("finds any change of a single bit, in any file, even when the hashes of the bytes are taken afresh", () => {
    const files = done();
    const names = [...files.keys()];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), fc.nat(6), (name, at, bit) => {
        const bytes = Buffer.from(files.get(name) ?? "", "utf8");
        const place = at % bytes.length;
        bytes[place] = (bytes[place] as number) ^ (1 << bit);
        const sha256 = services.sha256(bytes.toString("latin1"));
        const changed = found(files).set(name, { text: bytes.toString("utf8"), sha256 });
        expect(verifyPlan(changed, services).passed, `${name} at ${place}, bit ${bit}`).toBe(false);
      }),
      { numRuns: 150 },
    );
  });

  it("finds bytes that were changed though they read as the same text", () => {
    const files = done();
    const same = { text: files.get("plan.md") ?? "", sha256: services.sha256("other bytes") };
    expect(verifyPlan(found(files).set("plan.md", same), services).checks).toContainEqual({
      name: "files",
      passed: false,
      detail: expect.stringMatching(/^plan\.md was changed: its bytes give /) as string,
    });
  });

  it("finds a forged file whose hash was forged in the manifest too: it derives the plan again", () => {
    const files = done();
    const review = (files.get("review.json") ?? "").replace('"risk": {', '"risk":  {');
    const before = services.sha256(files.get("review.json") ?? "");
    const manifest = (files.get("manifest.json") ?? "").replace(before, services.sha256(review));
    const forged = new Map(files).set("review.json", review).set("manifest.json", manifest);
    const result = verifyPlan(found(forged), services);
    expect(result.checks.map(({ name, passed }) => [name, passed])).toEqual([
      ["manifest", true],
      ["files", true],
      ["inputs", true],
      ["derivation", false],
    ]);
    expect(result.difference).toMatchObject({ file: "review.json" });
  });

  it("finds a file too few and a file too many", () => {
    const files = done();
    for (const name of files.keys()) {
      const fewer = found(files);
      fewer.delete(name);
      expect(verifyPlan(fewer, services).passed, name).toBe(false);
    }
    const more = found(files).set("notes.txt", { text: "x", sha256: services.sha256("x") });
    expect(verifyPlan(more, services).checks.find((c) => !c.passed)?.detail).toBe("notes.txt is not part of the plan");
  });

  it("is total: whatever the files hold, it answers", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...done().keys()), fc.oneof(fc.json(), fc.string())), (texts) => {
        expect(verifyPlan(found(new Map(Object.entries(texts))), services).passed).toBe(false);
      }),
    );
  });
});

it("a plan that waits goes on from its files: the same inputs with answers give the same plan", () => {
  const inputs = inputsOf(found(waiting()), services);
  if (inputs === null) throw new Error("the inputs cannot be read");
  const { questions } = plan(inputs, services);
  const resumed = { ...inputs, answers: [answersTo(questions[0], { q_param_name_it_name: "blue" })] };
  expect([...renderBundle(plan(resumed, services), resumed, services).files]).toEqual([...done()]);
});
