import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../model/event.js";
import { DrivenRun } from "../../testing/driven-run.js";
import { planRef, runTask } from "../../testing/run-fixtures.js";
import { decide, roleObjection } from "./decide.js";
import { saysTheSame } from "./decided.js";
import type { FoldedRun } from "../inspect/fold-run.js";
import { openEntries } from "../inspect/open-entries.js";

const WAIVABLE = {
  tests: [{ check: "test", id: "test:a", name: "a" }],
  guardrails: [
    { rule_id: "keep_tests", path: "a.ts", override: "data" },
    { rule_id: "no_secret", path: "b.ts", override: "person" },
  ],
};

function held() {
  const run = new DrivenRun(planRef([runTask("A")]));
  run.finish("A");
  const judged = { type: "verification_finished", task_id: "A", attempt: 1, verdict: "BLOCKED", evidence: "" } as const;
  run.take({ ...judged, liftable: WAIVABLE });
  const folded = {
    run_id: "run_held",
    state: run.state,
    opened: new Map(),
    ended: new Map(),
    last_at: null,
  } as unknown as FoldedRun;
  const [entry] = openEntries(folded, true);
  if (entry === undefined) throw new Error("nothing is open");
  return { run, entry };
}
const waive = (as?: string, ...tests: string[]) =>
  ({ kind: "waive", notApplicable: false, tests, as, note: undefined }) as const;
const decider = { by: "ada", how: "person" } as const;

function made(as?: string, ...tests: string[]): RunEvent {
  const decided = decide(held().entry, waive(as, ...tests), decider);
  if (!decided.ok) throw new Error(decided.message);
  return decided.event;
}

describe("who waives what", () => {
  it("the inbox says as whom; each waives what is theirs, and the event names it", () => {
    expect(held().entry.commands[0]).toMatch(/--order waive --as data$/);
    expect(made("data")).toMatchObject({ order: { action: "lift", ...WAIVABLE } });
    expect(made()).toMatchObject({ order: { tests: WAIVABLE.tests, guardrails: [{ rule_id: "no_secret" }] } });
    expect(made(undefined, "a")).toMatchObject({ order: { tests: WAIVABLE.tests, guardrails: [] } });
    expect(decide(held().entry, waive(undefined, "z"), decider)).toMatchObject({ ok: false });
  });

  it("a role that is not asked for is refused where the event is taken, whatever the event says of itself", () => {
    const { run } = held();
    expect(roleObjection(run.state, made("data"), ["data"])).toBeNull();
    expect(roleObjection(run.state, made("data"), ["ada"])).toBe("ada may not waive keep_tests at a.ts: data may");
    const event = made("data");
    if (event.type !== "escalation_answered" || event.order.action !== "lift") throw new Error(event.type);
    const guardrails = event.order.guardrails.map((each) => ({ ...each, override: "person" }));
    const forged = { ...event, order: { ...event.order, guardrails } };
    expect(roleObjection(run.state, forged, ["ada"])).toContain("data may");
    expect(roleObjection(run.state, made(), ["ada"])).toBeNull();
  });

  it("said twice it is said once", () => {
    expect(saysTheSame(made(undefined, "a"), waive(undefined, "a"))).toBe(true);
    expect(saysTheSame(made(undefined, "a"), waive(undefined, "b"))).toBe(false);
  });
});
