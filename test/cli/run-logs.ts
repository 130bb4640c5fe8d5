import type { EventOf, RunEvent } from "../../src/model/event.js";
import type { PlanRef, RunPolicy, RunTask } from "../../src/model/run.js";
import { NEW_RUN, type RunState } from "../../src/mind/run/state.js";
import { refusal, step } from "../../src/mind/run/transition.js";
import { openRuns } from "../../src/app/project/open-runs.js";
import { stateFolder } from "../../src/app/project/state-folder.js";
import type { EventStore, NewEvent } from "../../src/hands/store/event-store.js";
import { amounts, opening, PERSON, planRef, PROOF, runTask } from "../../src/testing/run-fixtures.js";
import { workFolder } from "./program.js";

/* Logs as the product makes them: the real transition function, appended to the real store. */

/** The store of a project, open to write; close it before a program may write. */
export async function storeIn(cwd: string): Promise<EventStore> {
  return openRuns(stateFolder(cwd));
}

/** Takes events one after another, each with everything that follows from it. An event that is refused fails the test. */
export class Log {
  readonly #events: NewEvent[] = [];
  #state: RunState = NEW_RUN;
  #ms = 0;
  readonly #start: number;

  constructor(startedAt = "2026-02-03T04:05:06.000Z") {
    this.#start = Date.parse(startedAt);
  }

  get state(): RunState {
    return this.#state;
  }

  take(...events: readonly RunEvent[]): this {
    for (const event of events) {
      const why = refusal(this.#state, event);
      if (why !== null) throw new Error(`${event.type}: ${why}`);
      this.#ms += 1000;
      const at = new Date(this.#start + this.#ms).toISOString();
      const taken = step(this.#state, event, this.#ms);
      this.#state = taken.state;
      for (const each of taken.events) this.#events.push({ event: each, at, clock_ms: this.#ms });
    }
    return this;
  }

  open(plan: PlanRef, policy: Partial<RunPolicy> = {}): this {
    return this.take(...opening(plan, policy));
  }

  /** One task from its running attempt to its end. */
  finish(task_id: string, attempt = 1, ref = `refs/${task_id}`, proof = PROOF): this {
    return this.take(
      ended(task_id, attempt, { kind: "completed", output_ref: `ref-${task_id}` }),
      { type: "verification_finished", task_id, attempt, verdict: "PASS", evidence: "", proof },
      { type: "integration_finished", task_id, attempt, integrated: true, ref },
      { type: "review_finished", task_id, attempt, accepted: true, summary: "" },
    );
  }

  async writeTo(store: EventStore, runId: string): Promise<void> {
    const appended = await store.append(runId, 0, this.#events);
    if (appended.status !== "appended") throw new Error(appended.status);
  }
}

export function ended(
  task_id: string,
  attempt: number,
  outcome: EventOf<"attempt_finished">["outcome"],
  source: "reported" | "estimated" = "reported",
): RunEvent {
  return { type: "attempt_finished", task_id, attempt, outcome, usage: { amounts: amounts(4), source } };
}

export const PLAN = planRef(
  [
    runTask("A", { title: "Write rows as CSV" }),
    runTask("B", { dependencies: ["A"] }),
    runTask("C", { agent: "agent_b" }),
    runTask("D", { dependencies: ["B", "C"], gates: ["node_review_security"] }),
  ],
  { gates: [{ gate_id: "node_review_security", category: "security", reviewers: ["grace", "heidi"] }] },
);

export const AUTO = { plan_needs_approval: false } as const;

/** A folder with these runs in it, each by its id. */
export async function project(runs: Readonly<Record<string, Log>>, life: "test" | "kept" = "test"): Promise<string> {
  const cwd = workFolder(undefined, life);
  const store = await storeIn(cwd);
  for (const [runId, log] of Object.entries(runs)) await log.writeTo(store, runId);
  await store.close();
  return cwd;
}

/** C asked a question; A runs; a review waits; the plan is approved. */
export function inTheMiddle(startedAt?: string): Log {
  return new Log(startedAt)
    .open(PLAN)
    .take(
      { type: "plan_approved", decider: PERSON },
      ended("C", 1, { kind: "clarification", question: "Which separator?\nA semicolon?" }, "estimated"),
    );
}

/** The run the guide speaks of: one task done, one that asks, one that failed its checks, a review ahead. */
export async function guideProject(): Promise<string> {
  const estimate = { tokens: 40_000, cost_usd: 0.9, minutes: 20, files: 2, commits: 1, api_calls: 0 };
  const budget = { tokens: 1_000_000, cost_usd: 15, minutes: 1e12, files: 40, commits: 20, api_calls: 1e12 };
  const task = (id: string, title: string, dependencies: readonly string[], more: Partial<RunTask> = {}) =>
    runTask(id, { title, agent: "feature_builder", estimate, dependencies: [...dependencies], ...more });
  const plan = planRef(
    [
      task("csv-writer", "Write rows as CSV", []),
      task("export-button", "Put a download button on the reports page", []),
      task("export-page", "Describe the export for users", [], { agent: "docs_builder" }),
      task("export-endpoint", "Serve a report as CSV", ["csv-writer"], { gates: ["node_review_architecture"] }),
      task("endpoint-tests", "Test the endpoint", ["export-endpoint"], { agent: "test_writer" }),
    ],
    {
      plan_id: "plan_cac9f3f486f0",
      budget,
      gates: [{ gate_id: "node_review_architecture", category: "architecture", reviewers: ["grace"] }],
    },
  );
  const log = new Log().open(plan).take({ type: "plan_approved", decider: PERSON }).finish("export-button");
  log.take(
    ended("csv-writer", 1, { kind: "clarification", question: "Which separator do the reports use?" }),
    ended("export-page", 1, { kind: "quality", message: "two links lead nowhere" }, "estimated"),
  );
  return project({ "run_20260203-040506-c0ffee": log });
}
