import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormatsModule from "ajv-formats";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GraphEffect } from "../../src/model/plan/graph.js";
import { IntentV091 } from "../../src/model/plan/intent.js";
import { ExecutionPolicy } from "../../src/model/plan/policy.js";
import type { AuditEntry } from "../../src/model/tape.js";
import { buildAudit } from "../../src/mind/plan/audit.js";
import { canonicalJson } from "../../src/foundation/canonical-json/canonical.js";
import { type PlanInputs, prepareRegistry } from "../../src/mind/plan/inputs.js";
import { plan, type PlanOutcome } from "../../src/mind/plan/plan.js";
import { draftEntries } from "../../src/hands/registry/draft-entries.js";
import { builtInRegistryDirectory, loadRegistry } from "../../src/hands/registry/load-registry.js";
import { answersTo, baseIntent, intentWith, NOW, planWith, seal, services } from "../../src/testing/plan-fixtures.js";

/*
 * The contract as an earlier public implementation published it: schemas and examples outside the repository. Without
 * them the first half is skipped; the second half has documents of its own.
 */
const conformance = fileURLToPath(new URL("../../../shared/conformance/", import.meta.url));
const isThere = existsSync(conformance);
const json = (path: string) => JSON.parse(readFileSync(join(conformance, path), "utf8")) as Record<string, unknown>;

const VALID = [
  "intents/intent_example_low_risk",
  "intents/intent_example_full_auto_readonly",
  "intents/intent_example_high_risk_interactive",
  "pipeline/expected/nl_001/01_intent/intent",
  "pipeline/expected/nl_002/01_intent/intent",
  "pipeline/expected/nl_003/01_intent/intent",
];
const NEGATIVE = [
  "analyze_api_performance",
  "analyze_api_security",
  "deploy_service_v2_9",
  "deploy_service_v3_0",
  "refactor_api_v1",
  "refactor_api_v2",
].map((name) => `intents/evaluations/intent_${name}`);

// ajv-formats is CommonJS: its default export is the module's `default` in some readings and the function in others.
const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void;

function validator(schema: Record<string, unknown>): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  return ajv.compile(schema);
}

/**
 * The graph's effect list has read, write, deploy, delete and configure, and the intent's has read, write, network,
 * deploy, security and data. A graph must be able to say what an intent can say, so the list is widened here.
 */
function graphSchema(): Record<string, unknown> {
  const schema = json("schemas/coordinator/execution_graph.schema.json");
  const nodes = (
    schema["properties"] as Record<string, { items: { properties: Record<string, { items: { enum: string[] } }> } }>
  )["nodes"];
  const effects = nodes?.items.properties["effects"];
  if (effects === undefined) throw new Error("the schema has changed");
  effects.items.enum = [...GraphEffect.options];
  return schema;
}

type Path = (string | number)[];

function pathsOf(value: unknown, at: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [at];
  return [
    at,
    ...Object.entries(value).flatMap(([key, inner]) =>
      pathsOf(inner, [...at, Array.isArray(value) ? Number(key) : key]),
    ),
  ];
}

const DATE_TIMES = [
  "2026-01-25T11:00:00Z",
  "2026-01-25t11:00:00z",
  "2026-01-25 11:00:00Z",
  "2026-01-25T11:00:00+05:30",
  "2026-01-25T11:00:00+0530",
  "2026-01-25T11:00:00+05",
  "2026-01-25T11:00:00",
  "2026-02-29T00:00:00Z",
  "2024-02-29T00:00:00Z",
  "2026-01-25T23:59:60Z",
  "2026-01-25T22:59:60Z",
  "2026-01-25T18:29:60-05:30",
  "2026-01-25T24:00:00Z",
  "2026-01-25T11:00:00.123456Z",
  "2026-13-01T00:00:00Z",
  "2026-01-25T11:00:00+24:00",
  "2026-1-25T11:00:00Z",
  "2026-01-25T11:60:00Z",
];

/** What goes into a field at random: near misses of the kinds of values an intent has, and anything at all. */
const value = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1,
    0.5,
    50,
    51,
    500,
    501,
    10_000,
    10_001,
    2_000_000,
    2_000_001,
    -0,
    1e308,
  ),
  fc.constantFrom<unknown>(
    "low",
    "high",
    "critical",
    "full_auto",
    "semi_auto",
    "interactive",
    "never",
    "blockers_only",
    "write",
    "deploy",
    "read",
    "release",
    "analysis",
    "files",
    "draft",
  ),
  fc.constantFrom<unknown>(
    "intent_abcdef",
    "intent_abcde",
    "intent_ABCDEF",
    "1.0.0",
    "01.0.0",
    "a".repeat(64),
    "A".repeat(64),
    "abc",
    "ab",
    "a",
    "",
    "execution_intent",
    "forbidden",
  ),
  fc.constantFrom<unknown>(...DATE_TIMES),
  fc.constantFrom<unknown>([], {}, [[]], ["read"], ["write"], ["deploy", "write"], ["release"], ["abc", "abc"]),
  fc.integer({ min: 0, max: 5 }).map((n) => "😀".repeat(n)),
  fc.constantFrom(4, 5, 160, 161, 256, 257, 512, 513, 800, 801, 4000, 4001).map((n) => "x".repeat(n)),
  fc
    .constantFrom(12, 13, 14, 16, 17, 18, 19, 20, 21, 30, 31, 80, 81, 100, 101, 200, 201)
    .map((n) => Array.from({ length: n }, (_, i) => `item ${i}`)),
  fc.jsonValue({ maxDepth: 2 }),
);
const mutation = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom("replace", "replace", "replace", "delete", "add", "repeat"),
  key: fc.oneof(
    fc.constantFrom("extra", "schema_version", "reason", "description", "title", "tasks", "toString", "constructor"),
    fc.string(),
  ),
  value,
});
type Mutation = typeof mutation extends fc.Arbitrary<infer M> ? M : never;

function mutate(document: unknown, mutations: readonly Mutation[]): unknown {
  const copy = structuredClone(document);
  for (const { at, kind, key, value: next } of mutations) {
    const paths = pathsOf(copy);
    const path = paths[at % paths.length] as Path;
    if (path.length === 0) continue;
    let parent = copy as Record<string | number, unknown>;
    for (const segment of path.slice(0, -1)) parent = parent[segment] as typeof parent;
    const last = path.at(-1) as string | number;
    const target = parent[last];
    if (kind === "replace") parent[last] = structuredClone(next);
    else if (kind === "delete" && Array.isArray(parent)) parent.splice(Number(last), 1);
    else if (kind === "delete") delete parent[last];
    else if (kind === "repeat" && Array.isArray(parent)) parent.push(structuredClone(target));
    else if (typeof target === "object" && target !== null && !Array.isArray(target) && key !== "__proto__")
      (target as Record<string, unknown>)[key] = structuredClone(next);
  }
  return copy;
}

describe.skipIf(!isThere)("the published contract", () => {
  const scratch = isThere ? mkdtempSync(join(tmpdir(), "conformance-")) : "";
  afterAll(() => {
    if (scratch !== "") rmSync(scratch, { recursive: true });
  });

  describe("of the intent", () => {
    let accepts: ValidateFunction;
    beforeAll(() => {
      accepts = validator(json("schemas/execution/intent.schema.json"));
    });

    it.each(VALID)("accepts %s, and so do we [S4-027]", (name) => {
      const intent = json(`examples/${name}.json`);
      expect(accepts(intent)).toBe(true);
      expect(IntentV091.safeParse(intent).error?.issues).toBeUndefined();
    });

    it.each(NEGATIVE)("refuses %s, and so do we, with reasons [S4-027, S4-094]", (name) => {
      const intent = json(`examples/${name}.json`);
      expect(accepts(intent)).toBe(false);
      const out = planWith({ document: intent });
      expect(["BLOCKED", "ABORTED"]).toContain(out.state);
      expect(out.problems.length).toBeGreaterThan(0);
      expect(out.tape.failure_info?.failure_message).not.toBe("");
    });

    it("agrees with ours on dates and times", () => {
      const digits = (max: number) => fc.nat(max).map((n) => String(n).padStart(2, "0"));
      const zone = fc.oneof(
        fc.constantFrom("Z", "z", "", "+00:00", "-00:00", "+5:30", "+0530", "+05", "+23:59", "+24:00", "+05:60"),
        fc.tuple(fc.constantFrom("+", "-"), digits(24), digits(60)).map(([sign, h, m]) => `${sign}${h}:${m}`),
      );
      const random = fc
        .tuple(
          fc.constantFrom("2024", "2026", "2100", "2000", "0000"),
          digits(13),
          digits(32),
          fc.constantFrom("T", "t", " ", "_", "\t"),
          digits(23),
          digits(59),
          digits(61),
          fc.constantFrom("", ".5", ".", ".123456789"),
          zone,
        )
        .map(([y, m, d, t, h, min, sec, part, z]) => `${y}-${m}-${d}${t}${h}:${min}:${sec}${part}${z}`);
      const intent = json(`examples/${VALID[0]}.json`);
      fc.assert(
        fc.property(fc.oneof(random, fc.constantFrom(...DATE_TIMES)), (created_at) => {
          const document = { ...intent, created_at };
          expect(IntentV091.safeParse(document).success, created_at).toBe(accepts(document));
        }),
        { numRuns: 2000, examples: DATE_TIMES.map((at): [string] => [at]) },
      );
    });

    it("agrees with ours on thousands of documents that are nearly examples [S4-027, S4-098]", () => {
      const examples = [...VALID, ...NEGATIVE].map((name) => json(`examples/${name}.json`));
      let accepted = 0;
      fc.assert(
        fc.property(
          fc.constantFrom(...examples),
          fc.array(mutation, { minLength: 1, maxLength: 3 }),
          (example, mutations) => {
            const document = mutate(example, mutations);
            const theirs = accepts(document);
            if (theirs) accepted++;
            const ours = IntentV091.safeParse(document);
            expect(ours.success, JSON.stringify({ theirs: accepts.errors, ours: ours.error?.issues })).toBe(theirs);
          },
        ),
        { numRuns: 3000 },
      );
      expect(accepted).toBeGreaterThan(200);
    });
  });

  describe("of what is emitted", () => {
    async function planned(name: string): Promise<PlanOutcome & { audit: readonly AuditEntry[] }> {
      const intent = seal(IntentV091.parse(json(`examples/${name}.json`)));
      const base = await loadRegistry({ directories: [builtInRegistryDirectory()] });
      const folder = join(scratch, name.replaceAll("/", "_"));
      mkdirSync(folder, { recursive: true });
      for (const { path, yaml } of draftEntries(intent, base.registry)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), yaml);
      }
      const loaded = await loadRegistry({ directories: [builtInRegistryDirectory(), folder] });
      expect(loaded.diagnostics).toEqual([]);
      const pack = { schema_version: "1.0.0" as const, project_id: intent.scope.project_id, collected_at: NOW };
      const inputs = {
        intent,
        lock: null,
        policy: ExecutionPolicy.parse({ schema_version: "1.0.0", policy_id: "policy_test" }),
        registry: prepareRegistry(loaded.registry, services),
        facts: { ...pack, pack_id: "facts_test", facts: {} },
        memory: { ...pack, pack_id: "memory_test", notes: [], history: [], answers: [] },
        instants: [NOW],
      };
      const planOf = (answers: PlanInputs["answers"]) => {
        const outcome = plan({ ...inputs, answers }, services);
        return { ...outcome, audit: buildAudit(outcome, { ...inputs, answers }) };
      };
      const first = planOf([]);
      if (first.state !== "AWAITING_ANSWERS") return first;
      // Whatever is asked is answered with the first suggestion, or else left to its fallback.
      const given = first.questions.map((questions) =>
        answersTo(
          questions,
          Object.fromEntries(
            questions.questions.map((q) => [
              q.question_id,
              q.suggested_answers?.[0]?.answer_text ?? (q.default_strategy === undefined ? "to be agreed" : "fallback"),
            ]),
          ),
        ),
      );
      return planOf(given);
    }

    it.each(VALID)(
      "a plan of %s ends in DONE or in a stated question, and validates [S4-001, S4-003, S4-068]",
      async (name) => {
        const out = await planned(name);
        expect(out.tape.failure_info).toBeUndefined();
        expect(["DONE", "AWAITING_ANSWERS"]).toContain(out.state);
        const tape = validator(json("schemas/coordinator/coordinator_run_tape.schema.json"));
        expect(tape(out.tape), JSON.stringify(tape.errors)).toBe(true);
        const questions = validator(json("schemas/coordinator/question_pack.schema.json"));
        for (const pack of out.questions) expect(questions(pack), JSON.stringify(questions.errors)).toBe(true);
        const audit = validator(json("schemas/coordinator/coordinator_audit_log.schema.json"));
        for (const entry of out.audit) expect(audit(entry), JSON.stringify(audit.errors)).toBe(true);
        if (out.state === "AWAITING_ANSWERS") return;
        const graph = validator(graphSchema());
        expect(graph(out.graph), JSON.stringify(graph.errors)).toBe(true);
      },
    );

    it.each(["low_risk", "full_auto_readonly", "high_risk_interactive"])(
      "a plan of %s goes through the states of the example's tape [S4-009, S4-083]",
      async (name) => {
        const tape = json(`examples/coordinator/outputs/coordinator_run_tape_${name}.json`);
        const states = (tape["states"] as { to_state: string }[]).map((s) => s.to_state);
        const out = await planned(`intents/intent_example_${name}`);
        const asked = out.questions.length > 0;
        const ours = out.tape.states.map((s) => s.to_state);
        // Ours may ask where the example did not, and the other way round: without that the order is the same.
        const unasked = (list: readonly string[]) =>
          list.filter((s) => s !== "QUESTIONS_EMITTED" && s !== "AWAITING_ANSWERS");
        expect(unasked(ours)).toEqual(unasked(states));
        if (asked) expect(ours).toHaveLength(11);
        else expect(ours).toHaveLength(9);
      },
    );
  });
});

describe("documents of our own, under our published schemas", () => {
  it("a stale checksum is reported, and the seal mends it", () => {
    expect(planWith({ document: { ...intentWith(), title: "Changed since" } }).problems[0]?.code).toBe(
      "INTENT_CHECKSUM",
    );
    expect(planWith({ document: seal({ ...baseIntent(), title: "Changed since" }) }).state).toBe("DONE");
  });

  it("mutations of a good intent never throw, and what the schema refuses never becomes a plan [S4-094]", () => {
    const base = baseIntent();
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), fc.boolean(), (mutations, sealed) => {
        const document = mutate(base, mutations);
        const parsed = IntentV091.safeParse(document);
        const out = planWith({ document: parsed.success && sealed ? seal(parsed.data) : document });
        if (!parsed.success) expect(["BLOCKED", "ABORTED"]).toContain(out.state);
        expect(canonicalJson(out.tape)).toContain(out.state);
      }),
      { numRuns: 600 },
    );
  });
});
