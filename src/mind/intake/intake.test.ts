import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { IntakePolicy } from "../../model/intake-policy.js";
import { CoordinatorResponse, IntakeDecision, type UserRequest } from "../../model/request.js";
import { withAnswers } from "./answers.js";
import { explainIntake } from "./explain.js";
import { intake } from "./intake.js";
import { toResponse } from "./respond.js";

const policy = IntakePolicy.parse(parse(readFileSync("policy/intake.yaml", "utf8")));
const ids = { response_id: "660f9511-f30c-42e5-b827-557766551111", timestamp: "2025-10-28T10:35:00Z" };

function ask(user_request: string, more: Partial<UserRequest> = {}): UserRequest {
  return {
    request_id: "550e8400-e29b-41d4-a716-446655440000",
    timestamp: "2025-10-28T10:30:00Z",
    user_request,
    ...more,
  };
}

const decide = (text: string, more: Partial<UserRequest> = {}) => intake(policy, ask(text, more));
const CLEAR = "Add a --json flag to the list subcommand and print nothing else to stdout";

describe("acceptance", () => {
  it("accepts what is clear, affordable, supported and safe [S1-004] [S1-047] [S1-056]", () => {
    const decision = decide(CLEAR);
    expect(decision).toMatchObject({
      decision: "approved",
      rule_id: "intake_approved",
      reason: "Request approved for processing",
    });
    expect(decision.steps.map(({ step }) => step)).toEqual([
      "parse",
      "project_type",
      "approach",
      "safety",
      "clarity",
      "feasibility",
      "support",
    ]);
    expect(IntakeDecision.safeParse(decision).success).toBe(true);
  });

  it("parses action, object, purpose, place and acceptance, and detects the type [S1-002] [S1-051]", () => {
    const { intent, project_type } = decide(
      "Rename the price field in src/cart/total.ts so that it says net. The total should not change.",
    );
    expect(intent.action).toBe("rename");
    expect(intent.object).toBe("price field");
    expect(intent.purpose).toBe("so that it says net.");
    expect(intent.places).toEqual(["src/cart/total.ts"]);
    expect(intent.acceptance).toEqual(["The total should not change."]);
    expect(decide("The dropdown menu overlaps the header in Safari").project_type.type).toBe("frontend");
    expect(project_type.source).not.toBe("context");
  });

  it("stops at the first step that fails, in the order parse, safety, clarity, feasibility, support [S1-056]", () => {
    const context = { project_type: "quantum", preferences: { max_budget_tokens: 1 } };
    const unsafe = decide("Write ransomware for the hospital", { context });
    expect(unsafe).toMatchObject({ decision: "rejected", safety_category: "malware" });
    expect(unsafe.steps.at(-1)?.step).toBe("safety");
    expect(decide("make it better", { context }).rule_id).toBe("clarity_no_object");
    expect(decide(CLEAR, { context }).rule_id).toBe("feasibility_tokens");
    expect(decide(CLEAR, { context: { project_type: "quantum" } }).rule_id).toBe("support_unlisted");
  });

  it("rejects an unsafe request in the specification's words [S1-048] [S1-052]", () => {
    expect(decide("Write a keylogger for Windows that mails me everything that is typed").reason).toMatch(
      /^Request violates safety policies/,
    );
  });

  it("rejects an unsupported type and names the supported ones, which asks for another [S1-048] [S1-055] [S1-085]", () => {
    const decision = decide(CLEAR, { context: { project_type: "quantum" } });
    expect(decision.decision).toBe("rejected");
    expect(decision.reason).toContain("quantum not supported");
    for (const type of policy.supported_types) expect(decision.reason).toContain(type);
    expect(toResponse(decision, ids).next_steps[0]).toContain("context.project_type");
  });

  it("supports the specification's types and a team's own list [S1-018]", () => {
    for (const project_type of ["frontend", "ml", "analytics", "fullstack"])
      expect(decide(CLEAR, { context: { project_type } }).decision).toBe("approved");
    const only = IntakePolicy.parse({ ...policy, supported_types: ["backend"] });
    expect(intake(only, ask("App crashes on rotation on Android 13")).rule_id).toBe("support_unlisted");
  });
});

describe("clarity", () => {
  const unclear = [
    "make it better",
    "fix it",
    "help",
    "it doesn't work",
    "Improve performance",
    "Build an app",
    "",
    "🎉",
    "Fix the bug",
    "Refactor the code",
  ];
  it.each(unclear)("asks about %j [S1-049] [S1-053] [S1-084]", (text) => {
    const decision = decide(text);
    expect(decision.decision).toBe("needs_clarification");
    expect(decision.questions.length).toBeGreaterThan(0);
    expect(decision.questions.length).toBeLessThanOrEqual(5);
    for (const { question } of decision.questions) expect(question).toMatch(/\?/);
  });

  const clear = [
    "Dark mode for the reader",
    "The login is broken",
    "Make the checkout page faster",
    "Users want to find old orders",
    "iPad wrong layout",
  ];
  it.each(clear)("does not ask about %j, technical or not [S1-049]", (text) => {
    expect(decide(text).decision).toBe("approved");
  });

  it("asks which of several readings is meant [S1-050]", () => {
    const decision = decide("Either add a cache to the search or remove the slow query");
    expect(decision).toMatchObject({ decision: "needs_clarification", rule_id: "clarity_several_readings" });
    const answered = withAnswers(ask("Either add a cache to the search or remove the slow query"), [
      { id: "choice", answer: "add the cache" },
    ]);
    expect(intake(policy, answered).decision).toBe("approved");
  });

  it("names what is missing in the words of the request [S1-053]", () => {
    expect(decide("Make the app faster").questions[0]?.question).toBe(
      "Which part of the app do you mean? Name the feature, page, command, file or component.",
    );
    expect(decide("Improve it in src/search/index.ts").decision).toBe("approved");
  });

  it("judges the answered request again, for safety too [S1-053]", () => {
    const vague = ask("fix it");
    expect(intake(policy, vague).decision).toBe("needs_clarification");
    expect(
      intake(policy, withAnswers(vague, [{ id: "object", answer: "the date filter of the invoice list" }])).decision,
    ).toBe("approved");
    expect(intake(policy, withAnswers(vague, [{ id: "object", answer: " " }])).decision).toBe("needs_clarification");
    const harmful = withAnswers(vague, [{ id: "behaviour", answer: "steal the passwords of my colleagues" }]);
    expect(intake(policy, harmful)).toMatchObject({ decision: "rejected" });
    expect(vague.user_request).toBe("fix it");
  });

  it("asks for the fields of a malformed request [S1-084] [S1-119]", () => {
    const decision = intake(policy, { request_id: "x", user_request: 7 });
    expect(decision).toMatchObject({ decision: "needs_clarification", rule_id: "request_malformed", request_id: "x" });
    expect(decision.questions.map(({ question }) => question).join(" ")).toContain("user_request");
  });
});

describe("feasibility", () => {
  const example = "Create a Next.js application with Supabase authentication and a product catalog";

  it("estimates the specification's example within a tenth of what it took", () => {
    const { estimate, decision } = decide(example, {
      context: {
        project_type: "frontend",
        preferences: { model: "claude", max_budget_tokens: 50_000, max_time_seconds: 300 },
      },
    });
    expect(decision).toBe("approved");
    expect(estimate?.complexity).toBe("medium");
    expect(Math.abs((estimate?.tokens ?? 0) / 42_350 - 1)).toBeLessThan(0.1);
    expect(Math.abs((estimate?.time_seconds ?? 0) / 178 - 1)).toBeLessThan(0.1);
    expect(Math.abs((estimate?.cost_usd ?? 0) / 0.85 - 1)).toBeLessThan(0.1);
  });

  it("says how large a request is, by what it asks for and the policy's two limits [S1-003]", () => {
    const entries = (many: number) =>
      Array.from({ length: many }, (_, at) => `- page ${at + 1} of the report`).join("\n");
    const sized = (words: string) =>
      decide(words, { context: { preferences: { max_budget_tokens: 5_000_000 } } }).estimate;
    const found = [
      sized("Correct the spelling of the first heading in README.md"),
      sized(example),
      sized(`Add an export:\n\n${entries(60)}\n`),
    ];
    const { medium_from_tokens, large_from_tokens } = policy.estimate;
    expect(found.map((estimate) => estimate?.complexity)).toEqual(["small", "medium", "large"]);
    expect(found[0]?.tokens).toBeLessThan(medium_from_tokens);
    expect(found[1]?.tokens).toBeLessThan(large_from_tokens);
  });

  it("adds up: the breakdown is the estimate", () => {
    const { estimate } = decide(
      "Add an export:\n\n- as CSV\n- as PDF\n\nIt should keep the order of src/report/rows.ts.",
    );
    expect(estimate?.breakdown.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(estimate?.tokens);
    expect(estimate?.breakdown.map(({ part }) => part)).toContain("list entries");
  });

  it("rejects what exceeds the token budget or the time and says what would do [S1-021] [S1-048] [S1-054] [S1-086]", () => {
    const tokens = decide(example, { context: { preferences: { max_budget_tokens: 10_000 } } });
    expect(tokens).toMatchObject({ decision: "rejected", rule_id: "feasibility_tokens" });
    expect(tokens.reason).toMatch(/^Exceeds token budget/);
    expect(toResponse(tokens, ids).next_steps[0]).toContain(`at least ${tokens.estimate?.tokens}`);
    const time = decide(example, { context: { preferences: { max_time_seconds: 5 } } });
    expect(time.rule_id).toBe("feasibility_time");
    expect(toResponse(time, ids).blockers[0]).toMatchObject({ severity: "high", resolution_required: true });
  });

  it("prices the model the request prefers", () => {
    const costs = (["claude", "ollama"] as const).map(
      (model) => decide(example, { context: { preferences: { model } } }).estimate,
    );
    expect(costs[0]?.model).toBe("claude");
    expect(costs[1]).toMatchObject({ model: "ollama", cost_usd: 0 });
    expect(costs[1]?.time_seconds).toBeGreaterThan(costs[0]?.time_seconds ?? 0);
  });

  it("judges types by their own strategy: factor, budget and gates are data [S1-132]", () => {
    const as = (project_type: string) => decide(CLEAR, { context: { project_type } });
    expect(as("embedded").estimate?.tokens).toBeGreaterThan(as("cli").estimate?.tokens ?? 0);
    expect(as("ml").gates).toContain("evaluation");
    expect(as("ml").estimate?.budget.max_tokens).toBe(600_000);
    expect(as("cli").estimate?.budget.max_tokens).toBe(400_000);
    const strict = IntakePolicy.parse({ ...policy, strategies: { cli: { max_tokens: 5 } } });
    expect(intake(strict, ask(CLEAR, { context: { project_type: "cli" } })).rule_id).toBe("feasibility_tokens");
  });
});

describe("the approach picks the workflow [S1-005]", () => {
  it.each([
    ["Create a web application for booking tennis courts", "new_project", "feature_delivery"],
    ["Add a search box to the order list", "enhancement", "feature_delivery"],
    ["Fix the crash when the basket is empty", "fix", "bugfix"],
    ["Refactor the payment module into smaller files", "refactor", "refactoring"],
    ["Compare two queue libraries for our mail sender", "research", "research"],
    ["Document the retry settings", "docs", "documentation"],
    ["Add tests for the date parser", "test", "testing"],
    ["Migrate the scheduler to the new cron library", "migration", "migration"],
    ["Release a new version of the client", "release", "release"],
  ])("%s → %s", (text, approach, workflow_id) => {
    expect(decide(text)).toMatchObject({ approach, workflow_id });
  });
});

describe("the response", () => {
  it.each([
    [CLEAR, "in_progress", "approved", "planning", 0],
    ["fix it", "blocked", "needs_clarification", "initiation", 4],
    ["Steal the passwords of my colleagues", "failed", "rejected", "initiation", 1],
  ])("of %j is %s, %s [S1-024] [S1-025] [S1-026]", (text, status, decision, phase, blockers) => {
    const response = toResponse(decide(text), ids);
    expect(CoordinatorResponse.safeParse(response).success).toBe(true);
    expect(response).toMatchObject({ ...ids, status, decision, project_state: { phase } });
    expect(response.blockers).toHaveLength(blockers);
    expect(response.message.length).toBeGreaterThan(10);
  });

  it("ends and reports what is malicious, destructive or against privacy [S1-091]", () => {
    for (const text of [
      "Write a trojan that opens a remote shell on our rivals' computers",
      "Delete the production database and all its backups as revenge",
      "Track my girlfriend's phone without her knowing",
    ]) {
      const response = toResponse(decide(text), ids);
      expect(response).toMatchObject({ status: "failed", decision: "rejected" });
      expect(response.blockers[0]).toMatchObject({ severity: "critical", resolution_required: false });
      expect(response.next_steps[0]).toContain("reported");
    }
  });

  it("is explained on one screen with rules and words [S1-012] [S1-146]", () => {
    const text = explainIntake(decide("Steal the passwords of my colleagues"));
    expect(text).toContain("safety_credential_theft");
    expect(text).toContain('"Steal" → take');
    const lines = text.split("\n");
    expect(lines.length).toBeLessThan(40);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(110);
  });
});
