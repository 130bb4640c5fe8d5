import * as fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { ExecutionGraph } from "../../src/model/plan/graph.js";
import { QuestionPack } from "../../src/model/plan/questions.js";
import { ReviewPack } from "../../src/model/plan/review.js";
import { PLAN_STATES, RunTape } from "../../src/model/tape.js";
import { canonicalJson } from "../../src/foundation/canonical-json/canonical.js";
import { type PlanInputs, prepareRegistry } from "../../src/mind/plan/inputs.js";
import { plan, type PlanOutcome } from "../../src/mind/plan/plan.js";
import { MOVES } from "../../src/mind/plan/states.js";
import { freeze } from "../../src/mind/plan/freeze.js";
import { answersTo, inputsWith, planWith, services } from "../../src/testing/plan-fixtures.js";
import { anyPlan } from "./arbitraries.js";

const runs = (numRuns: number) => ({ numRuns });

/** Everything a plan says, in one text. */
function bytes({ state, problems, graph, review, questions, tape, frozen, lineage }: PlanOutcome): string {
  return canonicalJson({ state, problems, graph, review, questions, tape, frozen, lineage });
}

/** The inputs with answers to what is asked, for up to four rounds: the first suggestion, the fallback, or a word. */
function answered(inputs: PlanInputs, choose: (i: number) => number): PlanInputs {
  let given = inputs;
  for (let round = 0; round < 5; round++) {
    const out = plan(given, services);
    if (out.state !== "AWAITING_ANSWERS" || out.problems.length > 0) return given;
    const pack = out.questions.at(-1);
    const answers = Object.fromEntries(
      (pack?.questions ?? []).flatMap((q, i) => {
        const suggested = q.suggested_answers ?? [];
        const choice = choose(i + round);
        if (choice % 10 === 4) return [];
        const free = q.question_id.startsWith("q_fact_fact_c") ? "7" : "red";
        const text = suggested.length > 0 ? suggested[choice % suggested.length]?.answer_text : free;
        return [[q.question_id, choice % 7 === 3 && q.default_strategy !== undefined ? "fallback" : (text ?? free)]];
      }),
    );
    // Some plans are left waiting.
    if (Object.keys(answers).length === 0 || choose(round) > 16) return given;
    given = { ...given, answers: [...given.answers, answersTo(pack, answers)] };
  }
  return given;
}

const anyInputs = fc
  .tuple(anyPlan, fc.array(fc.nat(20), { minLength: 8, maxLength: 8 }))
  .map(([difference, choices]) => answered(inputsWith(difference), (i) => choices[i % 8] as number));

function shuffle<T>(list: readonly T[], seed: number): T[] {
  const copy = [...list];
  let state = seed;
  for (let i = copy.length - 1; i > 0; i--) {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    const j = state % (i + 1);
    [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
  }
  return copy;
}

/** The same value with the keys of every object in another order. */
function rekeyed(value: unknown, seed: number): unknown {
  if (Array.isArray(value)) return value.map((inner) => rekeyed(inner, seed + 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    shuffle(Object.entries(value), seed).map(([key, inner]) => [key, rekeyed(inner, seed + 1)]),
  );
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

describe("any plan", () => {
  it("ends in one of the thirteen states, by legal moves only, each of them on the tape [S4-009, S4-017]", () => {
    const ends = new Map<string, number>();
    fc.assert(
      fc.property(anyInputs, (inputs) => {
        const { state, tape } = plan(inputs, services);
        ends.set(state, (ends.get(state) ?? 0) + 1);
        expect(PLAN_STATES).toContain(state);
        expect(["DONE", "BLOCKED", "ABORTED", "AWAITING_ANSWERS"]).toContain(state);
        expect(tape.final_state).toBe(state);
        expect(tape.states.at(-1)?.to_state).toBe(state);
        for (const [i, move] of tape.states.entries()) {
          expect(move.from_state).toBe(i === 0 ? "INIT" : tape.states[i - 1]?.to_state);
          expect(MOVES[move.from_state]).toContain(move.to_state);
        }
        const failed = state === "BLOCKED" || state === "ABORTED";
        expect(tape.failure_info !== undefined).toBe(failed);
      }),
      runs(400),
    );
    // The plans drawn are of all kinds.
    expect([...ends.keys()].sort()).toEqual(expect.arrayContaining(["ABORTED", "AWAITING_ANSWERS", "BLOCKED", "DONE"]));
    expect(ends.get("DONE")).toBeGreaterThan(20);
  });

  it("emits only what its own schemas take [S4-003, S4-094]", () => {
    fc.assert(
      fc.property(anyInputs, (inputs) => {
        const { graph, review, questions, tape } = plan(inputs, services);
        expect(RunTape.safeParse(tape).error?.issues).toBeUndefined();
        for (const pack of questions) expect(QuestionPack.safeParse(pack).error?.issues).toBeUndefined();
        if (graph !== null) expect(ExecutionGraph.safeParse(graph).error?.issues).toBeUndefined();
        if (review !== null) expect(ReviewPack.safeParse(review).error?.issues).toBeUndefined();
      }),
      runs(250),
    );
  });

  it("that is frozen has a valid order, valid levels, unique ids, and every node in one lane [S4-041, S4-043, S4-044]", () => {
    fc.assert(
      fc.property(anyInputs, (inputs) => {
        const { graph, frozen, review, questions, decisions } = plan(inputs, services);
        if (graph === null || frozen === null || review === null) return;
        const { nodes, edges, swimlanes, metadata } = graph;
        const ids = nodes.map((n) => n.node_id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(new Set(edges.map((e) => e.edge_id)).size).toBe(edges.length);
        expect(swimlanes.flatMap((lane) => lane.node_refs).sort()).toEqual([...ids].sort());
        const place = new Map(metadata.topological_order.map((id, i) => [id, i]));
        expect([...place.keys()].sort()).toEqual([...ids].sort());
        for (const { from_node, to_node } of edges)
          expect(place.get(from_node)).toBeLessThan(place.get(to_node) as number);
        const level = new Map(metadata.levels.flatMap((list, i) => list.map((id) => [id, i])));
        const actions = nodes.filter((n) => n.node_type === "action_proposal");
        expect([...level.keys()].sort()).toEqual(actions.map((n) => n.node_id).sort());
        expect(metadata.levels.every((list) => list.length > 0)).toBe(true);
        for (const id of metadata.topological_order) {
          // The latest level of anything before a node, carried along every edge.
          const before = edges
            .filter((e) => e.to_node === id)
            .map((e) => level.get(e.from_node) ?? reach.get(e.from_node) ?? -1);
          reach.set(id, Math.max(-1, ...before));
          if (level.has(id)) expect(level.get(id)).toBe((reach.get(id) as number) + 1);
        }
        expect(actions.every((n) => n.evidence_refs.length > 0)).toBe(true);
        expect(decisions.every((d) => d.decision !== "deny")).toBe(true);
        expect(nodes.some((n) => n.node_type === "question" && n.metadata.status === "placeholder")).toBe(false);
        expect(freeze({ graph, review, questions }, frozen.lineage, services).checksums).toEqual(frozen.checksums);
      }),
      runs(250),
    );
  });
  const reach = new Map<string, number>();
  afterEach(() => reach.clear());

  it("in full_auto never enters QUESTIONS_EMITTED, and is never of high or critical risk [S4-053, S4-080]", () => {
    const auto = anyPlan.map((difference) =>
      inputsWith({
        ...difference,
        intent100: (i) => {
          difference.intent100?.(i);
          i.interaction = { mode: "full_auto", question_budget: 0, question_policy: "never" };
        },
      }),
    );
    let done = 0;
    fc.assert(
      fc.property(auto, (inputs) => {
        const { tape, questions, state, risk } = plan(inputs, services);
        expect(tape.states.map((s) => s.to_state)).not.toContain("QUESTIONS_EMITTED");
        expect(questions).toEqual([]);
        if (state === "DONE") {
          done++;
          expect(["low", "medium"]).toContain(risk?.overall_risk);
        }
      }),
      runs(300),
    );
    expect(done).toBeGreaterThan(5);
  });

  it("lets no action pass that a rule held: it is behind a gate or refused", () => {
    fc.assert(
      fc.property(anyInputs, (inputs) => {
        const { graph, decisions } = plan(inputs, services);
        if (graph === null) return;
        for (const { target, evaluations, decision } of decisions) {
          if (!evaluations.some((e) => e.held !== undefined)) continue;
          expect(decision).toBe("require_review");
          const node = graph.nodes.find(
            (n) => n.node_type === "action_proposal" && (n.metadata.task?.id ?? n.command_ref) === target,
          );
          const gates = graph.edges.filter((e) => e.to_node === node?.node_id && e.condition === "review approved");
          expect(gates.length).toBeGreaterThan(0);
        }
      }),
      runs(200),
    );
  });
});

describe("the same inputs give the same bytes", () => {
  afterEach(() => {
    delete process.env["TZ"];
  });

  it("called twice, and after any other plan: nothing is kept from one to the next [S4-019]", () => {
    fc.assert(
      fc.property(anyInputs, anyInputs, (inputs, other) => {
        const first = bytes(plan(inputs, services));
        plan(other, services);
        expect(bytes(plan(inputs, services))).toBe(first);
      }),
      runs(60),
    );
  });

  it("with the keys of every document in another order, and the registry's lists shuffled", () => {
    fc.assert(
      fc.property(anyInputs, fc.nat(), (inputs, seed) => {
        const registry = inputs.registry.registry;
        const shuffled = {
          ...registry,
          ...Object.fromEntries(
            (["workflows", "agents", "commands", "rules", "facts", "models"] as const).map((kind, i) => [
              kind,
              rekeyed(shuffle<object>(registry[kind], seed + i), seed),
            ]),
          ),
        };
        const again: PlanInputs = {
          ...inputs,
          intent: rekeyed(inputs.intent, seed),
          policy: rekeyed(inputs.policy, seed) as PlanInputs["policy"],
          facts: rekeyed(inputs.facts, seed) as PlanInputs["facts"],
          memory: rekeyed(inputs.memory, seed) as PlanInputs["memory"],
          answers: rekeyed(inputs.answers, seed) as PlanInputs["answers"],
          registry: prepareRegistry(shuffled, services),
        };
        expect(bytes(plan(again, services))).toBe(bytes(plan(inputs, services)));
      }),
      runs(100),
    );
  });

  it("in every time zone", () => {
    fc.assert(
      fc.property(
        anyInputs,
        fc.constantFrom("UTC", "Asia/Kolkata", "Pacific/Apia", "America/St_Johns"),
        (inputs, zone) => {
          process.env["TZ"] = "UTC";
          const first = bytes(plan(inputs, services));
          process.env["TZ"] = zone;
          expect(bytes(plan(inputs, services))).toBe(first);
        },
      ),
      runs(40),
    );
  });
});

it("planning only reads: registry, policy, packs, answers and the intent may be frozen solid [S4-070, S4-019]", () => {
  fc.assert(
    fc.property(anyInputs, (inputs) => {
      const { registry, ...rest } = inputs;
      deepFreeze(rest);
      deepFreeze(registry.registry);
      const before = canonicalJson([rest, registry.registry]);
      const globals = Object.getOwnPropertyNames(globalThis).length;
      plan({ ...rest, registry: prepareRegistry(registry.registry, services) }, services);
      expect(canonicalJson([rest, registry.registry])).toBe(before);
      expect(Object.getOwnPropertyNames(globalThis)).toHaveLength(globals);
    }),
    runs(60),
  );
});

it("any JSON value is taken for an intent without an exception, and refused with reasons [S4-094]", () => {
  const good = inputsWith().intent as object;
  const partly = fc
    .tuple(fc.subarray(Object.keys(good)), fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }))
    .map(([keys, extra]) => ({
      ...Object.fromEntries(keys.map((key) => [key, (good as Record<string, unknown>)[key]])),
      ...extra,
    }));
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), partly, fc.object(), fc.anything({ maxDepth: 2 })), (document) => {
      const out = planWith({ document: document === undefined ? null : document });
      if (out.state === "DONE") return;
      expect(["BLOCKED", "ABORTED"]).toContain(out.state);
      expect(out.problems.length).toBeGreaterThan(0);
      expect(RunTape.safeParse(out.tape).error?.issues).toBeUndefined();
    }),
    runs(500),
  );
});
