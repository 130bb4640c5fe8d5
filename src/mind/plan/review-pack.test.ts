import { describe, expect, it } from "vitest";
import { ReviewPack } from "../../model/plan/review.js";
import { type Difference, plannedCommand, planWith, rule, task, workbench } from "../../testing/plan-fixtures.js";
import { budgetOf, checkBudgets, checkReviewCategories } from "./review-pack.js";

const reviewed = (difference: Difference = {}): ReviewPack => {
  const { review, tape } = planWith(difference);
  if (review === null) throw new Error(JSON.stringify(tape.failure_info));
  return review;
};

describe("the ReviewPack [S4-003]", () => {
  it("says what will happen, what it changes, what it costs and the way back", () => {
    const review = reviewed();
    expect(ReviewPack.parse(review)).toEqual(review);
    expect(review).toMatchObject({
      summary: { title: "Change one file", actions: 3, levels: 3, reviews: 1, questions_open: 0 },
      risk: { overall_risk: "low" },
      change_impact: {
        writes: ["src/app.ts"],
        effects: { read: 2, write: 1 },
        areas: ["backend"],
        outside_lock_scope: [],
      },
      rollback_guide: [{ node: "node_action_edit_code", action: "Title of edit_code", how: "Revert the commit." }],
      required_reviews: [{ category: "architecture", reviewers: ["ada"] }],
      estimate: {
        budget: { files: 10, commits: 5, tokens: 1_000_000, cost_usd: 50 },
        planned: { files: 1, commits: 1, tokens: 30_000, cost_usd: 0.054 },
        minutes_critical_path: 30,
        minutes_total: 30,
        cost_is: "priced",
      },
      schedule: { widest_level: 1, suggested_concurrency: 1 },
    });
  });

  it("goes backwards through the plan in the rollback guide, and says so where there is no way back", () => {
    const { rollback_guide } = reviewed({
      intent: (i) => {
        i.selected_workflows[0]?.phases.push("release");
        i.planned_commands.push(plannedCommand("ship_code", { effects: ["deploy"] }));
      },
      registry: (r) => r.rules.push(rule("allow_ship", `command.id == "ship_code"`)),
    });
    expect(rollback_guide.map((step) => step.how)).toEqual([
      "No way back is registered for this command.",
      "Revert the commit.",
    ]);
  });

  it("lists warnings with their rule and what they concern", () => {
    const { warnings } = reviewed({ registry: (r) => r.rules.push(rule("beware", "true", { decision: "warn" })) });
    expect(warnings).toEqual(["beware: Because of beware. (scan_code, edit_code, check_code)"]);
  });

  it("warns of work no model may do, and not of reviewers, who stand with the reviews", () => {
    const { warnings, estimate } = reviewed({
      intent: (i) => (i.interaction.mode = "semi_auto"),
      policy: (p) => {
        p.reviewers = {};
        p.models.denied = ["cloud-small", "cloud-large"];
      },
    });
    // Who reviews stands with the reviews, once.
    expect(warnings.filter((w) => !w.startsWith("No model for"))).toEqual([]);
    expect(warnings).toHaveLength(2);
    expect(estimate.cost_is).toBe("partly_assumed");
  });

  it("suggests as much concurrency as helps, and shows what more of it would bring [S4-101]", () => {
    const tasks = Array.from({ length: 6 }, (_, i) => task(`task_${i}`, { estimate: { tokens: 10, minutes: 60 } }));
    const { schedule } = reviewed({
      tasks,
      registry: (r) => {
        for (const c of r.commands) c.writes = [];
      },
      intent: (i) => (i.budgets.max_commits = 50),
    });
    expect(schedule.widest_level).toBe(6);
    expect(schedule.makespan).toEqual([
      { concurrency: 1, minutes: 380 },
      { concurrency: 2, minutes: 190 },
      { concurrency: 3, minutes: 126.666667 },
      { concurrency: 5, minutes: 80 },
      { concurrency: 8, minutes: 80 },
    ]);
    expect(schedule.suggested_concurrency).toBe(5);
  });

  it("shows predicted conflicts", () => {
    const { change_impact } = reviewed({ tasks: [task("task_a"), task("task_b")] });
    expect(change_impact.predicted_conflicts).toEqual([
      {
        first: "node_action_task_a",
        second: "node_action_task_b",
        pattern: "src/app.ts",
        reason: "Both write it, so one follows the other.",
      },
    ]);
  });
});

describe("its guards", () => {
  it("budgetOf takes the lower of both", () => {
    const { inputs, parsed } = workbench({
      policy: (p) => (p.budgets = { max_files: 3, max_commits: 99, max_tokens: 5, max_cost_usd: 60 }),
    });
    expect(budgetOf(parsed.intent.budgets, inputs.policy)).toEqual({ files: 3, commits: 5, tokens: 5, cost_usd: 50 });
  });

  it.each(["files", "commits", "tokens", "cost_usd"] as const)(
    "budgets_kept: %s at the limit passes, over it not [S4-073]",
    (what) => {
      const review = reviewed();
      const { planned: amounts, budget } = review.estimate;
      const at = { ...review, estimate: { ...review.estimate, budget: { ...budget, [what]: amounts[what] } } };
      const over = {
        ...review,
        estimate: { ...review.estimate, budget: { ...budget, [what]: amounts[what] - 0.001 } },
      };
      expect(checkBudgets(at).passed).toBe(true);
      expect(checkBudgets(over)).toMatchObject({
        passed: false,
        onFail: { state: "BLOCKED", diagnostics: [{ code: "BUDGET_EXCEEDED", path: `budgets.max_${what}` }] },
      });
    },
  );

  it("review_categories_covered wants a gate with a reviewer for each category", () => {
    const review = reviewed();
    const { source } = workbench();
    const without = { ...review, required_reviews: review.required_reviews.map((r) => ({ ...r, reviewers: [] })) };
    expect(checkReviewCategories(review, source).passed).toBe(true);
    for (const pack of [without, { ...review, required_reviews: [] }])
      expect(checkReviewCategories(pack, source)).toMatchObject({
        passed: false,
        reason: "No gate with a reviewer for architecture",
        onFail: { state: "BLOCKED" },
      });
  });
});
