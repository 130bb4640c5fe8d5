import { describe, expect, it } from "vitest";
import { PlanManifest } from "../../model/plan/manifest.js";
import { AuditEntry } from "../../model/tape.js";
import { answersTo, inputsWith, parameter, planWith, services } from "../../testing/plan-fixtures.js";
import { renderBundle } from "./bundle.js";
import { canonicalJson } from "../../foundation/canonical-json/canonical.js";
import { plan } from "./plan.js";

type Difference = Parameters<typeof inputsWith>[0];

function bundleOf(difference: Difference = {}) {
  const inputs = inputsWith(difference);
  return renderBundle(plan(inputs, services), inputs, services);
}

const asking: Difference = { registry: (r) => r.commands[1]?.parameters.push(parameter("strategy")) };

describe("renderBundle", () => {
  it("writes every artefact of a finished plan [S4-003, S4-062, S4-068]", () => {
    expect([...bundleOf().files.keys()].filter((name) => !name.startsWith("inputs/")).sort()).toEqual([
      "audit.jsonl",
      "graph.dot",
      "graph.json",
      "graph.mmd",
      "manifest.json",
      "plan.md",
      "review.json",
      "tape.json",
    ]);
  });

  it("keeps everything the plan was made from beside it", () => {
    expect([...bundleOf().files.keys()].filter((name) => name.startsWith("inputs/")).sort()).toEqual([
      "inputs/clock.json",
      "inputs/facts.json",
      "inputs/intent.json",
      "inputs/memory.json",
      "inputs/policy.json",
      "inputs/registry.json",
    ]);
  });

  it("seals files by their bytes and contents by their canonical form [S4-059, S4-060]", () => {
    const { manifest, files } = bundleOf();
    expect(PlanManifest.parse(JSON.parse(files.get("manifest.json") ?? ""))).toEqual(manifest);
    for (const [name, sealed] of Object.entries({ ...manifest.outputs, ...manifest.inputs }))
      expect(sealed.file_checksum).toBe(services.sha256(files.get(name) ?? ""));
    const review: unknown = JSON.parse(files.get("review.json") ?? "");
    expect(manifest.outputs["review.json"]?.content_checksum).toBe(services.sha256(canonicalJson(review)));
  });

  it("gives the same plan another day the same contents, checksum and id, and another clock only", () => {
    const today = bundleOf();
    const later = bundleOf({ instants: ["2031-07-08T09:10:11Z"] });
    expect(later.manifest.plan_checksum).toBe(today.manifest.plan_checksum);
    expect(later.manifest.plan_id).toBe(today.manifest.plan_id);
    const contents = ({ manifest }: typeof today) => Object.values(manifest.outputs).map((f) => f.content_checksum);
    expect(contents(later)).toEqual(contents(today));
    expect(later.files.get("graph.json")).not.toBe(today.files.get("graph.json"));
    expect(bundleOf({ instants: ["2031-07-08T09:10:11Z"] }).files).toEqual(later.files);
  });

  it("gives another plan another checksum", () => {
    const other = bundleOf({ intent: (intent) => (intent.objective.goal = "Another goal altogether") });
    expect(other.manifest.plan_checksum).not.toBe(bundleOf().manifest.plan_checksum);
  });

  it("writes a waiting plan with its questions and without a graph", () => {
    const { files, manifest } = bundleOf(asking);
    expect(manifest.state).toBe("AWAITING_ANSWERS");
    expect(files.has("questions.json")).toBe(true);
    expect(files.has("graph.json")).toBe(false);
    expect(files.get("plan.md")).toContain("waiting for answers");
  });

  it("refuses to render what was refused", () => {
    const inputs = inputsWith({ facts: null });
    expect(() => renderBundle(plan(inputs, services), inputs, services)).toThrow("BLOCKED");
  });
});

describe("the audit log", () => {
  const lines = (difference: Difference = {}) =>
    (bundleOf(difference).files.get("audit.jsonl") ?? "")
      .trimEnd()
      .split("\n")
      .map((line) => AuditEntry.parse(JSON.parse(line)));

  it("has an entry for every transition, red line, judgement and model choice [S4-020, S4-099]", () => {
    const { tape, decisions, review } = planWith();
    const kinds = lines().map((entry) => entry.event_type);
    const count = (kind: string) => kinds.filter((k) => k === kind).length;
    expect(kinds[0]).toBe("run_started");
    expect(kinds.at(-1)).toBe("run_completed");
    expect(count("state_transition")).toBe(tape.states.length);
    expect(count("rule_adjudication")).toBe(decisions.length);
    expect(count("model_selected")).toBe(review?.models.length);
    expect(count("red_line_check")).toBe(4);
  });

  it("has every question and every answer [S4-099]", () => {
    const waiting = planWith(asking);
    const answers = [answersTo(waiting.questions[0], { q_param_edit_code_strategy: "online" })];
    const kinds = lines({ ...asking, answers, instants: ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"] });
    expect(
      kinds.filter((e) => e.event_type === "question_emitted").map((e) => e.question_trigger_record.question_id),
    ).toEqual(["q_param_edit_code_strategy"]);
    expect(kinds.filter((e) => e.event_type === "answer_received").map((e) => e.metadata.note)).toEqual([
      "q_param_edit_code_strategy: online",
    ]);
  });

  it("names each judgement's rule, evidence and target", () => {
    const judged = lines().flatMap((e) => (e.event_type === "rule_adjudication" ? [e.rule_adjudication_record] : []));
    for (const { rule_id, evidence, target } of judged) {
      expect(rule_id).not.toBe("");
      expect(target).not.toBe("");
      expect(evidence.length).toBeGreaterThan(0);
    }
  });
});
