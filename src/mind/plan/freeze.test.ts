import { describe, expect, it } from "vitest";
import { planWith, services } from "../../testing/plan-fixtures.js";
import { checksumsComplete, freeze, lineageComplete, tapeContent } from "./freeze.js";

const LATER = "2031-12-31T23:59:59Z";
const made = (difference: Parameters<typeof planWith>[0] = {}) => {
  const { graph, review, questions, frozen, lineage, tape } = planWith(difference);
  if (graph === null || review === null || frozen === null || lineage === null) throw new Error("not frozen");
  return { outputs: { graph, review, questions }, frozen, lineage, tape };
};

describe("freeze", () => {
  it("gives every output a SHA-256 checksum, and the lineage [S4-059, S4-060, S4-061]", () => {
    const { outputs, frozen, lineage } = made();
    expect(Object.keys(frozen.checksums)).toEqual(["graph", "questions", "review"]);
    for (const checksum of Object.values(frozen.checksums)) expect(checksum).toMatch(/^[a-f0-9]{64}$/);
    expect(frozen.lineage).toEqual({
      derived_from_intent: "intent_base_plan",
      intent_checksum: expect.stringMatching(/^[a-f0-9]{64}$/) as string,
      registry_versions: {
        workflows: { small_change: "1.0.0" },
        agents: { analyst: "1.0.0", builder: "1.0.0" },
        commands: { check_code: "1.0.0", edit_code: "1.0.0", scan_code: "1.0.0" },
        rules: { allow_reading: "1.0.0", allow_writing: "1.0.0" },
      },
      coordinator_version: "0.1.0",
    });
    expect(outputs.graph.lineage).toEqual(lineage);
    expect(freeze(outputs, lineage, services)).toEqual(frozen);
  });

  it("keeps the clock out of the content: the same plan made later has the same checksums", () => {
    const [now, later] = [made(), made({ instants: [LATER] })];
    expect(later.outputs.graph.created_at).toBe(LATER);
    expect(later.frozen).toEqual(now.frozen);
    expect(tapeContent(later.tape)).toEqual(tapeContent(now.tape));
    expect(JSON.stringify(tapeContent(later.tape))).not.toContain(LATER);
  });
});

describe("its guards", () => {
  it("checksums_complete finds an output without one", () => {
    const { frozen } = made();
    expect(checksumsComplete(frozen.checksums).passed).toBe(true);
    expect(checksumsComplete({ ...frozen.checksums, review: "" })).toMatchObject({
      passed: false,
      reason: "No checksum for review",
    });
  });

  it("lineage_complete names what is missing [S4-061]", () => {
    const { lineage } = made();
    expect(lineageComplete(lineage).passed).toBe(true);
    expect(
      lineageComplete({
        ...lineage,
        derived_from_intent: "",
        intent_checksum: "",
        registry_versions: { workflows: {}, agents: {}, commands: {}, rules: {} },
      }).reason,
    ).toBe("The lineage lacks the intent, the intent's checksum, the workflows' versions, the agents' versions");
  });
});
