import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gate } from "../../gate/gate.js";
import { RISK_LEVELS } from "../../../model/primitives.js";
import { AMOUNTS } from "../../../model/amount-names.js";
import {
  type AttemptOutcome,
  Escalation,
  EscalationType,
  type GateDecision,
  GatePolicy,
  StructuralError,
} from "../../../model/run.js";
import { type EscalationCause, escalationFor, type EscalationSubject, responseTo } from "./escalate.js";
import { type FailedOutcome, failureSignature } from "./failure.js";

const SUBJECT: EscalationSubject = {
  task_id: "task_login",
  attempt: 2,
  input: "Add a login page",
  injected_context: ["adr-1", "adr-2"],
  output: "half a page",
};
const outcome = (outcome: FailedOutcome): EscalationCause => ({ kind: "outcome", outcome });
const crash = outcome({ kind: "structural", error: "crash", message: "exit 1" });
const raise = (cause: EscalationCause, over: Partial<EscalationSubject> = {}) =>
  Escalation.parse(escalationFor(cause, { ...SUBJECT, ...over }));

describe("the response to an escalation", () => {
  it("has a type and a severity, and a response [S1-064, S1-138]", () => {
    expect(EscalationType.options).toEqual([
      "technical_blocker",
      "resource_exhaustion",
      "clarification_needed",
      "quality_failure",
      "safety_concern",
      "unknown",
    ]);
    expect(raise(crash)).toMatchObject({
      type: "technical_blocker",
      severity: "high",
      response: "alternative_approach",
    });
  });

  it("is to pause and ask on a critical technical blocker [S1-065]", () => {
    expect(responseTo("technical_blocker", "critical")).toBe("pause_and_ask_user");
    expect(raise(crash, { stops_run: true })).toMatchObject({ severity: "critical", response: "pause_and_ask_user" });
  });

  it.each(["low", "medium", "high"] as const)("is another approach on a %s technical blocker [S1-066]", (severity) => {
    expect(responseTo("technical_blocker", severity)).toBe("alternative_approach");
    expect(raise(crash).response).toBe("alternative_approach");
  });

  it.each(AMOUNTS)("is more budget or the end when %s are exhausted [S1-067]", (what) => {
    const spent = outcome({ kind: "resource", what, message: "all gone" });
    expect(raise(spent)).toMatchObject({ type: "resource_exhaustion", response: "budget_increase_or_terminate" });
    expect(raise({ kind: "budget", message: "run: 5 tokens over" })).toMatchObject({
      type: "resource_exhaustion",
      response: "budget_increase_or_terminate",
    });
  });

  it("is the question itself when clarification is needed [S1-068]", () => {
    expect(raise(outcome({ kind: "clarification", question: "Which database?" }))).toMatchObject({
      type: "clarification_needed",
      response: "ask_user",
      summary: "Which database?",
    });
  });

  it("is another approach, offered to a person, on a quality failure [S1-069]", () => {
    expect(raise(outcome({ kind: "quality", message: "2 tests fail" }))).toMatchObject({
      type: "quality_failure",
      response: "alternative_approach",
    });
  });

  it("is to terminate and report on a safety concern [S1-070]", () => {
    expect(raise(outcome({ kind: "safety", message: "deletes backups" }))).toMatchObject({
      type: "safety_concern",
      severity: "critical",
      response: "terminate_and_report",
    });
  });

  it("is to ask on anything unknown [S1-071]", () => {
    expect(raise({ kind: "unknown", message: "?" })).toMatchObject({ type: "unknown", response: "ask_user" });
    for (const severity of RISK_LEVELS) expect(responseTo("unknown", severity)).toBe("ask_user");
  });
});

describe("escalationFor", () => {
  it("hands over what was given, what came back and what it broke, as it was [S0-058]", () => {
    const violation = outcome({ kind: "semantic", violation: "spec", message: "no password rule" });
    expect(raise(violation)).toMatchObject({
      task_id: "task_login",
      attempt: 2,
      package: {
        input: "Add a login page",
        injected_context: ["adr-1", "adr-2"],
        output: "half a page",
        violation: "spec violation: no password rule",
      },
    });
  });

  it.each([
    ["rule", "high"],
    ["spec", "high"],
    ["scope", "critical"],
  ] as const)(
    "takes a %s violation for a quality failure of severity %s, and for a person [S0-059]",
    (violation, severity) => {
      expect(raise(outcome({ kind: "semantic", violation, message: "m" }))).toMatchObject({
        type: "quality_failure",
        severity,
        response: "alternative_approach",
      });
    },
  );

  it("stops the run once for the same failure on several tasks", () => {
    const repeated: EscalationCause = {
      kind: "repeated",
      signature: "structural/crash: exit <n>",
      tasks: ["a", "b", "c"],
    };
    const about = { task_id: null, attempt: null };
    expect(raise(repeated, about)).toMatchObject({
      type: "technical_blocker",
      severity: "critical",
      response: "pause_and_ask_user",
      summary: "The same failure on 3 tasks: a, b, c",
      package: { violation: "structural/crash: exit <n>" },
    });
    const shuffled = raise({ ...repeated, tasks: ["c", "a", "b"] }, about);
    expect(shuffled.escalation_id).toBe(raise(repeated, about).escalation_id);
    const later = raise({ ...repeated, tasks: ["d", "e", "f"] }, about);
    expect(later.escalation_id).not.toBe(shuffled.escalation_id);
  });

  const noGo = (over: Partial<Parameters<typeof gate>[1]>): GateDecision =>
    gate(
      "execution",
      {
        required_deliverables: [],
        deliverables: [],
        quality: { checks: { passed: 1, total: 1 }, coverage: null, verdicts: null, findings: null },
        risks: [],
        blockers: [],
        tokens_remaining: 5000,
        ...over,
      },
      GatePolicy.parse({}),
    );
  it.each([
    ["quality_failure", "alternative_approach", noGo({ required_deliverables: ["api"] })],
    ["quality_failure", "alternative_approach", noGo({ quality: null })],
    ["technical_blocker", "pause_and_ask_user", noGo({ risks: [{ risk: "r", severity: "critical" }] })],
    ["technical_blocker", "pause_and_ask_user", noGo({ blockers: [{ description: "b", severity: "critical" }] })],
    ["resource_exhaustion", "budget_increase_or_terminate", noGo({ tokens_remaining: 1 })],
  ])("makes %s with %s of a NO_GO, by what failed first", (type, response, decision) => {
    const raised = raise({ kind: "gate", gate: decision }, { task_id: null, attempt: null });
    expect(raised).toMatchObject({ type, response, severity: "critical" });
    expect(raised.summary).toBe(`NO_GO at the end of execution: ${decision.reason}`);
    const again = raise({ kind: "gate", gate: decision }, { task_id: null, attempt: null, round: 1 });
    expect(again.escalation_id).not.toBe(raised.escalation_id);
  });

  it("is another one when a raised budget is still too small", () => {
    const short = (by: number) => raise({ kind: "budget", message: `run: ${by} tokens over` }).escalation_id;
    expect(short(5)).toBe(short(5));
    expect(short(5)).not.toBe(short(3));
  });

  it("is named after its task and attempt, the same each time and no two alike", () => {
    expect(raise(crash).escalation_id).toMatch(/^esc_task-login-2-[0-9a-f]{16}$/);
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(fc.string({ minLength: 1, maxLength: 80 }), fc.nat(9)), {
          selector: (pair) => pair.join("#"),
        }),
        (pairs) => {
          const ids = pairs.map(([task_id, attempt]) => escalationFor(crash, { ...SUBJECT, task_id, attempt }));
          for (const { escalation_id } of ids) expect(escalation_id).toMatch(/^esc_[a-z0-9_-]{4,80}$/);
          expect(new Set(ids.map((e) => e.escalation_id)).size).toBe(pairs.length);
          const again = pairs.map(([task_id, attempt]) => escalationFor(crash, { ...SUBJECT, task_id, attempt }));
          expect(again).toEqual(ids);
        },
      ),
    );
  });
});

describe("failureSignature", () => {
  const crashed = (message: string): AttemptOutcome => ({ kind: "structural", error: "crash", message });

  it.each([
    ["numbers", "exit code 137 after 12.5 s", "Exit code 1 after 9 s"],
    ["paths", "cannot open /srv/a/x.ts", "cannot open src/b/y.test.ts"],
    ["Windows paths", "cannot open C:\\a\\b.ts", "cannot open D:\\work\\c.ts"],
    ["hashes", "object 9fceb02d0ae598e95dc970b74767f19372d61af8 missing", "object deadbeef12 missing"],
    ["addresses", "segfault at 0x7fff1234", "segfault at 0xdeadbeef"],
    ["ids", "span 550e8400-e29b-41d4-a716-446655440000 lost", "span 660f9511-f30c-42e5-b827-557766551111 lost"],
    ["sites", "GET https://a.example/x?id=1 refused", "GET https://b.example/y refused"],
    ["blanks", "no  space\n left", "no space left"],
    ["times", "at 10:22:31 it died", "at 9:00:00 it died"],
  ])("is the same when only %s differ", (_, one, two) => {
    expect(failureSignature(crashed(one))).toBe(failureSignature(crashed(two)));
  });

  it.each<[AttemptOutcome, AttemptOutcome]>([
    [crashed("out of memory"), crashed("disk full")],
    [crashed("m"), { kind: "structural", error: "timeout", message: "m" }],
    [crashed("m"), { kind: "quality", message: "m" }],
    [
      { kind: "semantic", violation: "rule", message: "m" },
      { kind: "semantic", violation: "scope", message: "m" },
    ],
    [crashed("cannot find module 'left'"), crashed("cannot find module 'right'")],
  ])("tells %j and %j apart", (one, two) => {
    expect(failureSignature(one)).not.toBe(failureSignature(two));
  });

  it.each<AttemptOutcome>([
    { kind: "completed", output_ref: "r" },
    { kind: "cancelled" },
    { kind: "clarification", question: "q" },
    { kind: "structural", error: "usage_limit", message: "m" },
    { kind: "structural", error: "rate_limit", message: "m" },
  ])("is nothing for %j", (outcome) => {
    expect(failureSignature(outcome)).toBeNull();
  });

  it("takes any message and stays short", () => {
    fc.assert(
      fc.property(fc.constantFrom(...StructuralError.options), fc.string(), (error, message) => {
        const signature = failureSignature({ kind: "structural", error, message });
        expect(signature?.length ?? 0).toBeLessThanOrEqual(240);
        expect(failureSignature({ kind: "structural", error, message })).toBe(signature);
      }),
    );
    for (const unit of ["a/", "a", "1.", "a://", "f1-", "\\", ":", " "])
      expect(failureSignature(crashed(unit.repeat(200_000)))?.length).toBeLessThanOrEqual(240);
  });
});
