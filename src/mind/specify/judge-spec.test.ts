import { anything, array, assert, constantFrom, dictionary, oneof, property, record, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { Check } from "../../model/settings/check.js";
import { IntentSpec } from "../../model/intent-spec.js";
import type { SpecGrounds } from "./finding.js";
import { judgeSpec } from "./judge-spec.js";

const checks = [
  Check.parse({ name: "unit tests", kind: "test", run: "npm test" }),
  Check.parse({ name: "types", kind: "types", run: "npx tsc" }),
];
const grounds: SpecGrounds = {
  request: "Let people export  their orders as CSV,\nwith one line for each order.",
  documents: ["docs/principles.md", "docs/adr/0001-exports.md"],
  facts: {
    schema_version: "1.0.0",
    pack_id: "facts_of_a_test",
    project_id: "shop",
    collected_at: "2026-01-01T00:00:00Z",
    facts: { has_tests: { value: true, evidence_ref: "file://package.json" } },
  },
  answers: ["Q-1"],
  checks,
};

type Draft = ReturnType<typeof draft>;
function draft() {
  return {
    schema_version: "1.0.0",
    id: "IS-csv-export",
    objective: "People can take their orders away as CSV.",
    requirements: [
      {
        id: "REQ-1",
        description: "Orders are exported as CSV",
        verification: { kind: "test", name: "exports orders as CSV" } as Record<string, unknown>,
        source: "request:export their orders as CSV",
      },
      {
        id: "REQ-2",
        description: "There is one line for each order",
        verification: { kind: "check", name: "unit tests" } as Record<string, unknown>,
        source: "request: “one line for each order”",
      },
    ],
    constraints: [
      { id: "CON-1", description: "No personal data leaves the shop", source: "document:docs/principles.md#privacy" },
    ],
    out_of_scope: ["Export as PDF"],
    assumptions: [
      { id: "ASM-1", description: "Tests can be run", source: "fact:has_tests" },
      { id: "ASM-2", description: "Times are in UTC", source: "answer:Q-1" },
    ],
    context_refs: ["docs/principles.md"],
  };
}

const judged = (change: (spec: Draft) => unknown, given: Partial<SpecGrounds> = {}) => {
  const spec = draft();
  change(spec);
  return judgeSpec(spec, { ...grounds, ...given });
};
const rulesOf = (...args: Parameters<typeof judged>) => judged(...args).map(({ rule_id, path }) => [rule_id, path]);

describe("judgeSpec", () => {
  it("has nothing to say of a sound Intent Spec", () => {
    expect(IntentSpec.safeParse(draft()).success).toBe(true);
    expect(judged(() => undefined)).toEqual([]);
  });

  const requirement = (spec: Draft) => spec.requirements[0] as Draft["requirements"][number];
  const verify = (verification: Record<string, unknown>) => (spec: Draft) =>
    (requirement(spec).verification = verification);
  const source = (text: string) => (spec: Draft) => (requirement(spec).source = text);
  const V = "requirements[0].verification";

  it.each<[string, (spec: Draft) => unknown, string, string]>([
    // complete
    ["no objective", (s) => (s.objective = ""), "spec_objective_missing", "objective"],
    ["no requirement", (s) => (s.requirements = []), "spec_requirements_missing", "requirements"],
    ["nothing out of scope", (s) => (s.out_of_scope = []), "spec_out_of_scope_empty", "out_of_scope"],
    ["a blank out of scope", (s) => (s.out_of_scope = [""]), "spec_out_of_scope_empty", "out_of_scope[0]"],
    [
      "no verification",
      (s) => delete (requirement(s) as Partial<Draft["requirements"][0]>).verification,
      "spec_verification_missing",
      V,
    ],
    ["no kind of source", source("everybody knows"), "spec_source_missing", "requirements[0].source"],
    ["a wrong version", (s) => (s.schema_version = "9"), "spec_form", "schema_version"],
    // consistent
    ["an id twice", (s) => ((s.constraints[0] as { id: string }).id = "REQ-1"), "spec_id_twice", "constraints[0].id"],
    [
      "the same said twice",
      (s) => ((s.requirements[1] as { description: string }).description = "Export the orders as CSV"),
      "spec_requirement_twice",
      "requirements[1].description",
    ],
    [
      "what is out of scope",
      (s) => (requirement(s).description = "Orders can be exported as PDF and CSV"),
      "spec_requirement_out_of_scope",
      "requirements[0].description",
    ],
    [
      "what a constraint forbids",
      (s) => (requirement(s).description = "Personal data leaves the shop as CSV"),
      "spec_requirement_contradicts_constraint",
      "requirements[0].description",
    ],
    [
      "what a constraint demands",
      (s) => {
        requirement(s).description = "Orders are not cached";
        (s.constraints[0] as { description: string }).description = "All orders must be cached on disk";
      },
      "spec_requirement_contradicts_constraint",
      "requirements[0].description",
    ],
    [
      "a file there and not there",
      (s) => {
        requirement(s).verification = { kind: "file_exists", path: "src/csv.ts" };
        (s.requirements[1] as { verification: unknown }).verification = {
          kind: "file_exists",
          path: "src/csv.ts",
          exists: false,
        };
      },
      "spec_verifications_opposed",
      "requirements[1].verification",
    ],
    // verifiable
    ["a check nobody has", verify({ kind: "check", name: "mutation" }), "spec_check_unknown", `${V}.name`],
    [
      "a test in a check nobody has",
      verify({ kind: "test", name: "exports CSV", check: "e2e" }),
      "spec_check_unknown",
      `${V}.check`,
    ],
    [
      "a test in a check without tests",
      verify({ kind: "test", name: "exports CSV", check: "types" }),
      "spec_no_tests_here",
      `${V}.check`,
    ],
    ["a test of no name", verify({ kind: "test", name: "it works" }), "spec_test_name_vague", `${V}.name`],
    ["a test to be named", verify({ kind: "test", name: "TODO name this test" }), "spec_test_name_vague", `${V}.name`],
    ["a command that is true", verify({ kind: "command", run: "true" }), "spec_command_trivial", `${V}.run`],
    ["a command that is blank", verify({ kind: "command", run: "  " }), "spec_command_trivial", `${V}.run`],
    [
      "a command that only talks",
      verify({ kind: "command", run: "echo fine && exit 0" }),
      "spec_command_trivial",
      `${V}.run`,
    ],
    [
      "a command that cannot fail",
      verify({ kind: "command", run: "npm test || true" }),
      "spec_command_trivial",
      `${V}.run`,
    ],
    [
      "a command that must fail and does",
      verify({ kind: "command", run: "false", exit_code: 1 }),
      "spec_command_trivial",
      `${V}.run`,
    ],
    [
      "a path outside",
      verify({ kind: "file_exists", path: "../../foundation/secrets" }),
      "spec_path_outside",
      `${V}.path`,
    ],
    ["any path", verify({ kind: "file_exists", path: "**" }), "spec_path_trivial", `${V}.path`],
    ["any text", verify({ kind: "file_contains", path: "a.ts", text: "  " }), "spec_text_blank", `${V}.text`],
    // traceable
    ["words nobody said", source("request:as Excel"), "spec_source_request_unknown", "requirements[0].source"],
    ["no words", source("request:"), "spec_source_request_unknown", "requirements[0].source"],
    [
      "a document nobody gave",
      source("document:docs/adr/0099.md"),
      "spec_source_document_unknown",
      "requirements[0].source",
    ],
    ["a fact nobody knows", source("fact:has_users"), "spec_source_fact_unknown", "requirements[0].source"],
    ["an answer nobody gave", source("answer:Q-2"), "spec_source_answer_unknown", "requirements[0].source"],
    [
      "an assumption from nowhere",
      (s) => ((s.assumptions[0] as { source: string }).source = "fact:x"),
      "spec_source_fact_unknown",
      "assumptions[0].source",
    ],
    [
      "a document it never saw",
      (s) => s.context_refs.push("docs/secret.md"),
      "spec_context_ref_unknown",
      "context_refs[1]",
    ],
  ])("refuses %s", (_, change, rule_id, path) => {
    expect(rulesOf(change)).toEqual([[rule_id, path]]);
    for (const { message, fix } of judged(change)) expect([message.length > 5, fix.length > 10]).toEqual([true, true]);
  });

  it.each<[string, (spec: Draft) => unknown]>([
    ["quotes a line break as a blank and in another case", source("request:as csv, with one line")],
    ["leaves out what is out of scope", (s) => (requirement(s).description = "Nothing is exported as PDF")],
    ["speaks of part of what is out of scope", (s) => (s.out_of_scope = ["Export of orders as PDF to the archive"])],
    ["runs a command that can fail", verify({ kind: "command", run: "node check.mjs && echo ok" })],
    ["wants a command to fail", verify({ kind: "command", run: "grep -q TODO src/csv.ts", exit_code: 1 })],
    ["names a test with its check", verify({ kind: "test", name: "exports CSV", check: "unit tests" })],
  ])("lets pass one that %s", (_, change) => {
    expect(rulesOf(change)).toEqual([]);
  });

  it("wants no tests where none can be run", () => {
    expect(rulesOf(() => undefined, { checks: [checks[1] as Check] })).toEqual([
      ["spec_no_tests_here", `${V}.name`],
      ["spec_check_unknown", "requirements[1].verification.name"],
    ]);
  });

  it("is total, and says where and how for whatever it is given", () => {
    const scraps = oneof(
      string(),
      constantFrom("request:", "document:docs/principles.md", "not", "true", "**", "\ud800"),
    );
    const shaped = record(
      {
        schema_version: constantFrom("1.0.0", "2"),
        id: constantFrom("IS-a", "x"),
        objective: scraps,
        requirements: array(
          record({
            id: constantFrom("R-1", "R-2"),
            description: scraps,
            source: scraps.map((text) => `request:${text}`),
            verification: oneof(
              record({ kind: constantFrom("command"), run: scraps }),
              record({ kind: constantFrom("test", "check"), name: scraps }),
              record({ kind: constantFrom("file_contains"), path: scraps, text: scraps }),
              anything(),
            ),
          }),
          { maxLength: 4 },
        ),
        constraints: array(record({ id: constantFrom("C-1"), description: scraps, source: constantFrom("fact:x") })),
        out_of_scope: array(scraps, { maxLength: 3 }),
        assumptions: constantFrom([]),
        context_refs: array(scraps, { maxLength: 2 }),
      },
      { requiredKeys: [] },
    );
    const given = record({
      request: string(),
      documents: array(string(), { maxLength: 2 }),
      facts: constantFrom(grounds.facts, null),
      answers: array(string(), { maxLength: 2 }),
      checks: constantFrom(checks, []),
    });
    assert(
      property(oneof(shaped, anything(), dictionary(string(), anything())), given, (spec, about) => {
        const before = JSON.stringify(about);
        for (const finding of judgeSpec(spec, about)) {
          expect(finding.rule_id).toMatch(/^spec_[a-z_]+$/);
          expect(finding.fix).not.toBe("");
        }
        expect(JSON.stringify(about)).toBe(before);
      }),
      { numRuns: 500 },
    );
  });
});
