import { describe, expect, it } from "vitest";
import type { LoggedEvent, RunEvent } from "../../model/event.js";
import { DaySeries } from "./day-series.js";

const AMOUNTS = { tokens: 100, cost_usd: 0.5, minutes: 2, files: 0, commits: 0, api_calls: 0 };

function logged(sequence: number, at: string, event: object): LoggedEvent {
  return { run_id: "run_a", sequence, at, clock_ms: 0, event: event as RunEvent, previous_hash: "", hash: "" };
}

const start = (task_id: string, attempt: number, agent: string) => ({
  type: "attempt_started",
  task_id,
  attempt,
  agent,
  reserved: AMOUNTS,
});
const end = (task_id: string, attempt: number, kind: string, source = "reported") => ({
  type: "attempt_finished",
  task_id,
  attempt,
  outcome: { kind },
  usage: { amounts: AMOUNTS, source },
});

describe("a series by day", () => {
  it("counts each attempt on the day and for the agent it ended with, and nothing of other days", () => {
    const series = new DaySeries(["2026-03-01", "2026-03-02"], (at) => at.slice(0, 10));
    for (const one of [
      logged(1, "2026-02-28T10:00:00Z", { type: "request_received" }),
      logged(2, "2026-03-01T10:00:00Z", start("T1", 1, "one")),
      logged(3, "2026-03-01T10:05:00Z", end("T1", 1, "error", "estimated")),
      logged(4, "2026-03-01T10:06:00Z", start("T1", 2, "two")),
      logged(5, "2026-03-02T00:01:00Z", end("T1", 2, "completed")),
      logged(6, "2026-03-02T00:02:00Z", { type: "verification_finished", task_id: "T1", attempt: 2, verdict: "PASS" }),
      logged(7, "2026-03-02T00:03:00Z", { type: "run_finished", status: "completed", reason: "" }),
      // Another log: its tasks are others, whatever they are called.
      { ...logged(1, "2026-03-02T01:00:00Z", { type: "request_received" }), run_id: "run_b" },
      {
        ...logged(2, "2026-03-02T01:00:00Z", { type: "verification_finished", task_id: "T1", verdict: "FAIL" }),
        run_id: "run_b",
      },
    ])
      series.take(one);
    const { work, runs } = series.result();
    const none = { completed: 0, failed: 0, retries: 0, passed: 0, not_passed: 0, estimated: 0 };
    const used = { minutes: 2, tokens: 100, cost_usd: 0.5 };
    expect(work).toEqual([
      { day: "2026-03-01", agent: "one", attempts: 1, ...none, ...used, failed: 1, estimated: 1 },
      { day: "2026-03-02", agent: "", attempts: 0, ...none, minutes: 0, tokens: 0, cost_usd: 0, not_passed: 1 },
      { day: "2026-03-02", agent: "two", attempts: 1, ...none, ...used, completed: 1, retries: 1, passed: 1 },
    ]);
    expect(runs).toEqual([{ day: "2026-03-02", started: 1, completed: 1, failed: 0 }]);
  });
});
