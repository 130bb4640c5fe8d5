import { describe, expect, it } from "vitest";
import type { Escalation, Objection } from "../../../model/run.js";
import type { OpenEntry } from "../../../app/inspect/open-entries.js";
import { inboxText } from "./inbox.js";
import { paintFor } from "./screen.js";

const REFUSED: Objection = { kind: "refused", id: "src/b.py", message: "the agent was refused: edit src/b.py" };
const UNDONE: Objection = { kind: "unfinished", id: "words", message: "the agent says it is not done: not fixed" };

function entry(summary: string, objections: Objection[], type: Escalation["type"] = "quality_failure"): OpenEntry {
  const escalation: Escalation = {
    escalation_id: "esc_fix",
    type,
    severity: "high",
    response: "alternative_approach",
    summary,
    task_id: "fix",
    attempt: 1,
    package: { input: "fix", output: "fix#1", violation: summary, injected_context: [] },
    liftable: { tests: [], guardrails: [], objections },
  };
  return {
    run_id: "run_20260203-040506-abcdef",
    asked: "Fix the progress bar",
    id: "esc_fix",
    kind: "escalation",
    opened_at: "2026-02-03T04:05:06.000Z",
    sequence: 7,
    task_id: "fix",
    about: summary,
    reviewers: [],
    guards: [],
    tasks_before: 0,
    options: [],
    escalation,
    request: null,
    said: null,
    refused: [],
    commands: ["coordinator answer esc_fix --order widen"],
  };
}

function shown(one: OpenEntry): string {
  const report = {
    type: "inbox" as const,
    entries: [one],
    standing: [],
    problems: [],
    now: "2026-02-03T04:06:06.000Z",
  };
  const lines = inboxText(report, paintFor({ color: false }), 80);
  return lines.join(" ").replaceAll(/\s+/g, " ");
}

const times = (text: string, part: string) => text.split(part).length - 1;

describe("a result that is held", () => {
  it("lists what holds it once, and keeps what else the verdict says", () => {
    const summary = `The result is not good enough: verdict BLOCKED: ${REFUSED.message} (a person may waive it); ${UNDONE.message} (person may let it pass) (2 failed before: test_a, test_b) [sha256:${"0".repeat(64)}]`;
    const text = shown(entry(summary, [REFUSED, UNDONE]));
    expect(times(text, "refused: edit src/b.py")).toBe(1);
    expect(times(text, "not done: not fixed")).toBe(1);
    expect(text).toContain(
      "The result is not good enough. (2 failed before: test_a, test_b) You decide about these: refused: the agent",
    );
    expect(text).toContain("The order widen allows what was refused");
    expect(text).not.toContain("sha256");
  });

  it("says what can be done about one that nothing proves", () => {
    const unproven: Objection = { kind: "unproven", id: "*", message: "no check proves this change" };
    const text = shown(entry("Not proven: no check proves this change", [unproven]));
    expect(text).toContain("Mend it, then order a recheck; lift --not-applicable says that it does not count here");
  });

  it("says in its own words what is in doubt, and names the cause once", () => {
    const text = shown(entry("The task may not be done: the agent was refused edit src/b.py", [REFUSED]));
    expect(text).toContain("The task may not be done. You decide about this: refused: the agent was refused: edit");
    expect(times(text, "src/b.py")).toBe(1);
  });
});

it("says which request an entry belongs to", () => {
  expect(shown(entry("Not proven: no check", [REFUSED]))).toContain("asked for: Fix the progress bar");
});
