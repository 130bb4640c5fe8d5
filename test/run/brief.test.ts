import { describe, expect, it } from "vitest";
import { BriefDraft } from "../../src/model/intent-spec.js";
import { GuardrailEntry } from "../../src/model/plan/registry.js";
import { BRIEF_RECORD } from "../../src/mind/run/record-names.js";
import { sealBrief } from "../../src/mind/plan/inputs/brief.js";
import { sha256 } from "../../src/hands/store/sha256.js";
import { carryOutRun, FILE, realProject, realTask } from "./real-run.js";

/* A decision that forbids something, as a document that is given to builders, and the rule that holds them to it. */

const DECISION = "docs/adr/0007-no-fruit.md";
const RULE = GuardrailEntry.parse({
  kind: "guardrail",
  id: "adr_no_fruit",
  version: "1.0.0",
  status: "active",
  title: "No fruit",
  watches: "result",
  severity: "frozen",
  document: DECISION,
  reason: "ADR 7 keeps fruit out of the list.",
  added: ["fruit"],
});
const brief = (...refs: string[]) =>
  sealBrief(
    BriefDraft.parse({ request: "Name things", documents: refs.map((ref) => ({ ref, text: "There is no fruit.\n" })) }),
    sha256,
  );
const project = () =>
  realProject([
    {
      prompt_has: "Your task: Name the fruit",
      steps: [{ write: FILE, text: "alpha\nfruit: apple\nomega\n" }, { say: "done" }],
    },
  ]);
const TASKS = [realTask("T1", "Name the fruit")];

describe("a rule of a document", () => {
  it("ends the attempt that was given the document and contradicts it, and nobody tries again [S0-053, S0-054, S0-057, S0-058]", async () => {
    const given = project();
    await given.records.write(BRIEF_RECORD, brief(DECISION));
    const { status, of } = await carryOutRun(given, TASKS, {}, { guardrails: [RULE] });
    expect(status).toBe("blocked");
    expect(of("attempt_finished").map(({ outcome }) => outcome)).toEqual([
      {
        kind: "semantic",
        violation: "rule",
        message: `${DECISION}, adr_no_fruit: ${FILE}: ADR 7 keeps fruit out of the list.`,
      },
    ]);
    expect(of("attempt_started")).toHaveLength(1);
    const [raised] = of("escalation_raised").map(({ escalation }) => escalation);
    expect(raised).toMatchObject({ task_id: "T1", package: { injected_context: [DECISION] } });
    expect(raised?.package.violation).toContain(DECISION);
  });

  it("is nothing to an attempt that was given other documents, or none", async () => {
    const given = project();
    await given.records.write(BRIEF_RECORD, brief("docs/adr/0008-trees.md"));
    const { status } = await carryOutRun(given, TASKS, {}, { guardrails: [RULE] });
    expect(status).toBe("completed");
  });

  it("is for results, and is not waived", () => {
    const { added: _, ...rest } = RULE;
    const fields = (entry: unknown) => GuardrailEntry.safeParse(entry).error?.issues.map(({ path }) => path.join("."));
    expect(fields({ ...RULE, severity: "block" })).toEqual(["severity"]);
    expect(fields({ ...rest, added: [], watches: "tool_use", when: "true" })).toEqual(["document"]);
  });
});
