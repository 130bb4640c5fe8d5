import { describe, expect, it } from "vitest";
import { criteriaOfType } from "../../gate/criteria-of-type.js";
import { DrivenRun } from "../../../testing/driven-run.js";
import { criteriaQuestions, evidenceToo } from "./criteria.js";
import { amounts, PERSON, planRef, PROOF, runTask } from "../../../testing/run-fixtures.js";

/* The gates of a project's type are criteria of its runs. */

const CRITERIA = [
  { criterion: "accessibility", check: null },
  { criterion: "security_review", check: "audit" },
];
const started = () => new DrivenRun(planRef([runTask("A")], { criteria: CRITERIA }));

/** The task done, its result proven by these checks. */
function done(run: DrivenRun, ...checks: readonly string[]): string[] {
  run.finish("A");
  const proven_by = checks.map((check) => ({
    check,
    kind: "other" as const,
    passed: 1,
    failed_before: 0,
    uncollected: [],
  }));
  const verdict = { type: "verification_finished", task_id: "A", attempt: 1, verdict: "PASS", evidence: "" } as const;
  run.take({ ...verdict, proof: { ...PROOF, proven_by } });
  run.take({ type: "integration_finished", task_id: "A", attempt: 1, integrated: true, ref: "r" });
  return run.take({ type: "review_finished", task_id: "A", attempt: 1, accepted: true, summary: "" });
}

const finished = (task_id: string, said: string) =>
  ({
    type: "attempt_finished",
    task_id,
    attempt: 1,
    outcome: { kind: "completed", output_ref: "r" },
    usage: { amounts: amounts(1), source: "reported" },
    said,
  }) as const;

const answer = (run: DrivenRun, criterion: string, said: string) =>
  run.take({ type: "question_answered", question_id: `criterion:${criterion}`, answer: said, decider: PERSON });
const gateOf = (run: DrivenRun) =>
  run.log.flatMap(({ event }) =>
    event.type === "gate_decided" && event.gate.phase === "execution" ? [event.gate] : [],
  )[0];

describe("what the type of a project asks for", () => {
  it("holds the end of the run until a check shows it or a person answers for it [S1-132]", () => {
    const run = started();
    expect(done(run, "test")).toEqual(["review_finished", "question_asked", "question_asked"]);
    expect([run.state.status, run.state.inbox.map(({ id }) => id)]).toEqual([
      "blocked",
      ["criterion:accessibility", "criterion:security_review"],
    ]);
    expect(answer(run, "accessibility", "confirmed: tabbed through every page, contrast is fine")).toEqual([
      "question_answered",
    ]);
    expect(answer(run, "security_review", "waived: nothing of it is reachable")).toContain("run_finished");
    expect(run.state.status).toBe("completed");
    expect(gateOf(run)?.criteria[0]?.evidence).toEqual([
      "A: complete",
      "accessibility, confirmed by ada: tabbed through every page, contrast is fine: complete",
      "security_review, waived by ada: nothing of it is reachable: complete",
    ]);
  });

  it("quotes in the question what an agent said of it last, and takes it for nothing more [S1-132]", () => {
    const run = new DrivenRun(planRef([runTask("A"), runTask("B", { dependencies: ["A"] })], { criteria: CRITERIA }));
    const said =
      "Done.\n- **Evidence for accessibility:** every field has a label, axe finds nothing\nFEATURE_COMPLETE";
    expect(evidenceToo(run.state, finished("A", said)).evidence).toEqual([
      { criterion: "accessibility", task_id: "A", words: "every field has a label, axe finds nothing" },
    ]);
    const after = { ...run.state, criteria: evidenceToo(run.state, finished("A", said)) };
    const [first, second] = criteriaQuestions(after).map((event) =>
      event.type === "question_asked" ? event.question : "",
    );
    expect(first).toContain('The agent of A says: "every field has a label, axe finds nothing".');
    expect(second).not.toContain("says:");
    // Words of an earlier attempt are not quoted, and neither are those of a failed one.
    expect(evidenceToo(after, finished("A", "FEATURE_COMPLETE")).evidence).toEqual([]);
    const failed = { ...finished("A", said), outcome: { kind: "cancelled" } } as const;
    expect(evidenceToo(run.state, failed)).toBe(run.state.criteria);
  });

  it("asks nobody about what a check of the project proved [S1-132]", () => {
    const run = started();
    done(run, "test", "audit");
    expect(run.state.inbox.map(({ id }) => id)).toEqual(["criterion:accessibility"]);
    answer(run, "accessibility", "waived: it has no page");
    expect(gateOf(run)?.criteria[0]?.evidence).toContain("security_review, shown by the check audit: complete");
  });

  it("wants to know what was seen or why not, and ends the run that a person says does not show it [S1-132]", () => {
    const run = started();
    done(run, "audit");
    for (const said of ["yes", "ok", "waived", "confirmed:", "waived: x"])
      expect(answer(run, "accessibility", said)[0]).toMatch(/^refused: begin with "confirmed:"/);
    answer(run, "accessibility", "failed: the form has no labels");
    expect([run.state.status, run.state.reason]).toEqual([
      "failed",
      "Missing required deliverables: accessibility, failed by ada: the form has no labels",
    ]);
  });

  it("is shown by the check that the settings name, else by one with a usual name; requirements and tests are held anyway", () => {
    const gates = ["requirements", "tests", "accessibility", "evaluation"];
    expect(criteriaOfType(gates, {}, ["test", "a11y"])).toEqual([
      { criterion: "accessibility", check: "a11y" },
      { criterion: "evaluation", check: null },
    ]);
    expect(criteriaOfType(gates, { evaluation: "test", accessibility: "gone" }, ["test", "a11y"])).toEqual([
      { criterion: "accessibility", check: null },
      { criterion: "evaluation", check: "test" },
    ]);
    expect(criteriaOfType(["requirements", "tests", "constructor"], {}, [])).toEqual([
      { criterion: "constructor", check: null },
    ]);
  });
});
