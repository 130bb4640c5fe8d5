import { describe, expect, it } from "vitest";
import { AFTER_THE_END } from "../../src/model/after-the-end.js";
import { type EventOf, RunEvent, type RunEventType } from "../../src/model/event.js";
import { RunPolicy } from "../../src/model/run.js";
import { NEW_RUN } from "../../src/mind/run/state.js";
import { fold, step } from "../../src/mind/run/transition.js";
import { createDeriver } from "../../src/app/prove/derive.js";
import { emptyHead, linkEvents, toLoggedEvent, prepareEvents } from "../../src/hands/store/chain/hash-event.js";
import { verifyChain } from "../../src/hands/store/chain/verify-chain.js";
import { sha256 } from "../../src/hands/store/sha256.js";
import { Watch } from "../../src/testing/simulation/invariants.js";
import { simulate } from "../../src/testing/simulation/world.js";

const SEEDS = 1_500;

describe("simulated runs", () => {
  const results = Array.from({ length: SEEDS }, (_, i) => simulate(i + 1));

  it(`${SEEDS} whole runs under seeded faults break nothing`, () => {
    const broken = results
      .filter(({ violations }) => violations.length > 0)
      .map(({ seed, violations }) => ({ seed, violations }));
    expect(broken.slice(0, 3)).toEqual([]);
  });

  it("a seed replays to the byte", () => {
    for (const { seed, events } of results.slice(0, 50))
      expect(JSON.stringify(simulate(seed).events)).toBe(JSON.stringify(events));
  });

  it("every log verifies: it is chained, and each event is reported or follows by rule; one left out is found", () => {
    const derived = (events: (typeof results)[number]["events"]) => {
      const deriver = createDeriver();
      for (const [i, { event, clock_ms }] of events.entries())
        deriver.take({ run_id: "r", sequence: i + 1, at: "", clock_ms, event, previous_hash: "", hash: "" });
      return deriver.finish();
    };
    for (const { seed, events } of results.slice(0, 100)) {
      const { impossible, other, reported, derived: count } = derived(events);
      expect({ impossible, other, all: reported + count }, `seed ${seed}`).toEqual({
        impossible: null,
        other: null,
        all: events.length,
      });
      const prepared = prepareEvents(events.map(({ event, clock_ms }) => ({ event, clock_ms, at: "" })));
      const chained = linkEvents(emptyHead("r"), prepared, sha256).map(toLoggedEvent);
      expect(verifyChain(chained, { runId: "r", sha256 }).findings, `seed ${seed}`).toEqual([]);
      const at = events.findIndex(({ event }) => event.type === "attempt_started");
      if (at === -1) continue;
      const without = derived(events.filter((_, i) => i !== at));
      expect(without.impossible ?? without.other, `seed ${seed} without event ${at + 1}`).not.toBeNull();
      const cut = chained.filter((_, i) => i !== at);
      expect(verifyChain(cut, { runId: "r", sha256 }).intact).toBe(false);
    }
  });

  it("what goes on in mid-attempt is there: overruns that are stopped, wider scopes, levels", () => {
    const of = (type: RunEventType) =>
      results.reduce((sum, { events }) => sum + events.filter(({ event }) => event.type === type).length, 0);
    const stopped = results.flatMap(({ events }) =>
      events.filter(
        ({ event }) =>
          event.type === "attempt_finished" &&
          event.outcome.kind === "resource" &&
          event.outcome.message.includes("in flight"),
      ),
    );
    expect(stopped.length).toBeGreaterThan(SEEDS / 10);
    expect(of("scope_widened")).toBeGreaterThan(SEEDS / 10);
    expect(of("scope_refused")).toBeGreaterThan(SEEDS / 25);
    const levels = results.filter(({ events }) =>
      events.some(({ event }) => event.type === "request_received" && event.policy.schedule === "levels"),
    );
    expect(levels.length).toBeGreaterThan(SEEDS / 5);
  });

  it("results are held and waived, at their verdict and on the branch, and some are held once more", () => {
    const resumed = results.flatMap(({ events }) => events.filter(({ event }) => event.type === "judgement_resumed"));
    expect(resumed.length).toBeGreaterThan(SEEDS / 20);
    const held = (type: "verification_finished" | "integration_finished") =>
      results.flatMap(({ events }) =>
        events.filter(({ event }) => event.type === type && event.liftable !== undefined),
      );
    expect(held("verification_finished").length).toBeGreaterThan(SEEDS / 50);
    expect(held("integration_finished").length).toBeGreaterThan(SEEDS / 50);
  });

  it("conflicts are there: resolved while others are integrated, again and again, and crashed upon", () => {
    const of = (type: RunEventType) =>
      results.flatMap(({ events }) => events.filter(({ event }) => event.type === type));
    expect(of("conflict_resolved").length).toBeGreaterThan(SEEDS / 2);
    const again = of("conflict_found").filter(({ event }) => event.type === "conflict_found" && event.round > 1);
    expect(again.length).toBeGreaterThan(SEEDS / 10);
    expect(results.reduce((sum, r) => sum + r.crashes_in_conflict, 0)).toBeGreaterThan(SEEDS / 10);
    const passed = results.filter(({ events }) => {
      const open = new Set<string>();
      return events.some(({ event }) => {
        if (event.type === "conflict_found") open.add(event.task_id);
        if (event.type === "conflict_resolved") open.delete(event.task_id);
        return event.type === "integration_finished" && event.integrated && open.size > 0;
      });
    });
    expect(passed.length).toBeGreaterThan(SEEDS / 10);
  });

  it("a wait that is asked for again as soon as it has ended is found out", () => {
    const spinning: typeof step = (state, event, clock) => {
      const taken = step(state, event, clock);
      return {
        ...taken,
        effects: [...taken.effects, { kind: "wait_until", id: "breaker:agent_a@0", task_id: null, until_ms: 0 }],
      };
    };
    expect(simulate(3, spinning).violations.join()).toContain("nothing moved over");
  });

  it("the faults are there: crashes, refused outcomes, and every way a run can end", () => {
    expect(results.reduce((sum, r) => sum + r.crashes, 0)).toBeGreaterThan(SEEDS);
    expect(results.reduce((sum, r) => sum + r.dropped, 0)).toBeGreaterThan(SEEDS);
    const ends = new Set(
      results.map(({ status, reason }) => `${status}: ${reason.replace(/\d+/g, "N").replace(/:.*/, "")}`),
    );
    expect([...ends].sort()).toEqual([
      "completed: All criteria met, proceed to next phase",
      "failed: N of N tasks were not done",
      "failed: cancelled",
      "failed: ended by a person",
      "failed: every task was skipped or deleted",
      "failed: plan rejected",
      "failed: stopped for safety",
      "failed: the plan does not verify",
    ]);
  });

  it("every kind of event that execution knows appears in the logs, and every one of them parses", () => {
    const kinds = new Set<RunEventType>();
    for (const { events } of results) for (const { event } of events) kinds.add(event.type);
    // Said before or beside execution: by intake, routing and the tiers, and by whoever tells or merges.
    const elsewhere = new Set<RunEventType>(["route_decided", "message_sent", ...AFTER_THE_END]);
    const all = RunEvent.options.map((option) => option.shape.type.value).filter((type) => !elsewhere.has(type));
    expect([...kinds].sort()).toEqual([...all].sort());
    for (const { events } of results.slice(0, 200))
      for (const { event } of events) expect(RunEvent.safeParse(event).success).toBe(true);
  });
});

/* The watch that judges the simulation is judged itself: it must see what it is there to see. */
describe("the watch", () => {
  const policy = RunPolicy.parse({});
  const amounts = { tokens: 1, cost_usd: 1, minutes: 1, files: 1, commits: 1, api_calls: 1 };
  const task = (task_id: string, dependencies: string[]) => ({
    task_id,
    title: task_id,
    agent: "a",
    phase: "p",
    priority: "P1" as const,
    dependencies,
    estimate: amounts,
    gates: [],
  });
  const plan = {
    plan_id: "plan_x",
    plan_checksum: "0".repeat(64),
    tasks: [task("A", []), task("B", ["A"])],
    gates: [],
    budget: amounts,
  };
  const opening: RunEvent[] = [
    { type: "plan_frozen", plan, verified: true },
    { type: "plan_approved", decider: { by: "ada", how: "person" } },
  ];
  const started = (task_id: string, attempt = 1): RunEvent => ({
    type: "attempt_started",
    task_id,
    attempt,
    agent: "a",
    reserved: amounts,
  });
  const ended = (task_id: string, outcome: EventOf<"attempt_finished">["outcome"], attempt = 1): RunEvent => ({
    type: "attempt_finished",
    task_id,
    attempt,
    outcome,
    usage: { amounts, source: "reported" },
  });
  const progressed = (task_id: string, tokens: number): RunEvent => ({
    type: "attempt_progressed",
    task_id,
    attempt: 1,
    usage: { amounts: { ...amounts, tokens }, source: "reported" },
    note: "",
  });
  const done = (task_id: string): RunEvent => ({
    type: "review_finished",
    task_id,
    attempt: 1,
    accepted: true,
    summary: "",
  });
  const disputed = (round: number): RunEvent[] => [
    { type: "conflict_found", task_id: "A", attempt: 1, round, onto: "c", paths: ["a"], ref: "r" },
    { type: "conflict_resolved", task_id: "A", attempt: 1, round, tree: "t", ref: "r" },
  ];
  const landed: RunEvent = { type: "integration_finished", task_id: "A", attempt: 1, integrated: true, ref: "r" };
  const semantic = { kind: "semantic", violation: "rule", message: "x" } as const;

  it.each<[string, RunEvent[], string]>([
    ["a start without approval", [opening[0] as RunEvent, started("A")], "without a verified and approved plan"],
    ["a start before what it builds on", [...opening, started("B")], "before A was done"],
    ["an attempt started twice", [...opening, started("A"), started("A")], "started twice"],
    ["a task done twice", [...opening, started("A"), done("A"), done("A")], "done twice"],
    ["an end without a start", [...opening, ended("A", semantic)], "without having started"],
    [
      "a semantic failure that is retried",
      [...opening, started("A"), ended("A", semantic), started("A", 2)],
      "again by itself after: semantic",
    ],
    [
      "a start while dispatch is paused",
      [...opening, { type: "dispatch_paused", reason: "x" }, started("A")],
      "while dispatch was paused",
    ],
    [
      "an attempt that goes over and is not stopped",
      [...opening, started("A"), progressed("A", 2)],
      "A#1 is over what it may use and is not stopped",
    ],
    [
      "an attempt that goes on after it went over",
      [...opening, started("A"), progressed("A", 2), progressed("A", 3)],
      "goes on reporting",
    ],
    [
      "coordination that is not counted",
      [...opening, { type: "coordination_used", purpose: "x", tokens: 5, cost_usd: 0, source: "reported" }],
      "the ledger says 0",
    ],
    [
      "usage that is not counted",
      [...opening, started("A"), ended("A", { kind: "completed", output_ref: "x" })],
      "1 tokens were used, the ledger says 0",
    ],
    [
      "a conflict resolved out of turn",
      [...opening, { type: "conflict_resolved", task_id: "A", attempt: 1, round: 1, tree: "t", ref: "r" }],
      "A#1 is resolved, and nobody waited for it",
    ],
    [
      "a conflict resolved more often than it may be",
      [...opening, ...[1, 2, 3, 4].flatMap(disputed)],
      "A#1 was resolved more often than it may be",
    ],
    ["an integration in the middle of a conflict", [...opening, ...disputed(1).slice(0, 1), landed], "conflict open"],
    ["an attempt integrated twice", [...opening, landed, landed], "A#1 was integrated twice"],
    [
      "a breaker that opens too early",
      [...opening, { type: "breaker_changed", agent: "a", to: "open" }],
      "opened too early",
    ],
  ])("sees %s", (_, events, violation) => {
    const watch = new Watch(plan, policy);
    watch.committed(NEW_RUN, NEW_RUN, events, 0);
    expect(watch.violations.join("; ")).toContain(violation);
  });

  it("sees a level that starts before the one before it has ended", () => {
    const beside = { ...plan, tasks: [task("A", []), task("C", []), task("B", ["A"])] };
    const watch = new Watch(beside, RunPolicy.parse({ schedule: "levels" }));
    const folded = fold(
      [
        { type: "request_received", request_id: "r", request: "r", seed: 1, policy } as const,
        { type: "plan_frozen", plan: beside, verified: true } as const,
      ].map((event) => ({ event, clock_ms: 0 })),
    );
    watch.committed(NEW_RUN, folded, [...opening, started("A"), done("A"), started("B")], 0);
    expect(watch.violations.join("; ")).toContain("B of level 1 started before C had ended");
  });

  it("sees a scope nobody widened, and a widening nobody went by", () => {
    const scope = {
      tools: [],
      commands: [],
      read: [],
      write: ["src/**"],
      network: [],
      minutes: 1,
      output_bytes: 1,
      files: 1,
    };
    const watch = new Watch({ ...plan, tasks: [{ ...task("A", []), scope }] }, policy);
    const start = (write: string[]) =>
      watch.acted({
        kind: "start_attempt",
        id: "attempt:A#1",
        task_id: "A",
        attempt: 1,
        goes_on: null,
        agent: "a",
        model: null,
        reserved: amounts,
        scope: { ...scope, write },
        guidance: [],
        alternative: null,
      });
    start(["src/**"]);
    expect(watch.violations).toEqual([]);
    start(["src/**", "docs/**"]);
    expect(watch.violations).toHaveLength(1);
    const addition = { commands: [], write: ["docs/**"], network: [] };
    const widened: RunEvent = {
      type: "scope_widened",
      task_id: "A",
      request_id: "x",
      addition,
      decider: { by: "ada", how: "person" },
    };
    watch.committed(NEW_RUN, NEW_RUN, [widened], 0);
    start(["src/**", "docs/**"]);
    expect(watch.violations).toHaveLength(1);
    start(["src/**"]);
    expect(watch.violations).toHaveLength(2);
  });

  it("sees too many at once", () => {
    const watch = new Watch(plan, policy);
    watch.committed(NEW_RUN, { ...NEW_RUN, running: 9 }, [], 0);
    expect(watch.violations).toEqual(["9 at once, 3 allowed"]);
  });

  it("sees a run that stops half-way, and a log that tells another story", () => {
    const watch = new Watch(plan, policy);
    watch.atEnd({ ...NEW_RUN, status: "blocked" }, NEW_RUN);
    expect(watch.violations).toHaveLength(2);
  });
});
