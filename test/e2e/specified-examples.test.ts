import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { asked } from "./asked.js";
import { specificationWith } from "./specified.js";

/*
 * Examples of the specifications, given to the program as they stand. Where the specifications are not at hand, texts of
 * our own with the same structure are used; the contract, the queue and the request of the specifications have tests of
 * their own (contract.test.ts, queue.test.ts, new-project.test.ts).
 */

beforeAll(ensureBuilt);

/** The names in the first column of the table that follows a heading. */
function fieldsUnder(heading: string, text: string | null, ours: readonly string[]): string[] {
  const [, section] = text?.split(heading) ?? [];
  if (section === undefined) return [...ours];
  const [table = ""] = section.split(/^---$/m);
  return [...table.matchAll(/^\| `([\w.]+)` \|/gm)].map(([, name = ""]) => name);
}

const at = (value: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);

describe("the input of routing, field by field", () => {
  const text = specificationWith("## Input Contract", "`context_registry`");
  const INPUT = fieldsUnder("## Input Contract", text, [
    "task_id",
    "input",
    "input.type",
    "input.body",
    "context_registry",
    "policy",
  ]);
  const OUTPUT = fieldsUnder("## Output Contract", text, [
    "task_id",
    "routed_to",
    "injected_context",
    "classification",
    "classification.category",
    "classification.confidence",
    "classification.rule_id",
    "child_scope",
    "status",
  ]);
  const policy = {
    schema_version: "1.0.0",
    policy_id: "policy_of_test",
    rules: [{ id: "unclear", category: "ambiguous", target: "product", confidence: "heuristic", when: "true" }],
    context_rules: [
      { id: "principles", target: "product", decision: "include", when: 'document.kind == "principles"' },
    ],
  };
  const document = {
    task_id: "task-001",
    input: { type: "product", body: "Make the checkout page faster" },
    context_registry: ["docs/principles.md", "docs/adr/0001.md"],
    policy,
  };

  it("is decided with every field of the output, from a file and with no option [S0-005, S0-006, S0-009, S0-012]", () => {
    for (const path of INPUT) expect([path, at(document, path) === undefined]).toEqual([path, false]);
    const desk = asked({ "task.json": JSON.stringify(document) }, []);
    const decided = desk.json("route", "task.json");
    for (const path of OUTPUT) expect([path, at(decided, path) === undefined]).toEqual([path, false]);
    expect(decided).toMatchObject({
      task_id: "task-001",
      routed_to: "product",
      status: "routed",
      classification: { category: "business", confidence: "deterministic" },
      injected_context: ["docs/principles.md"],
    });
    // What is required is required; the type is a hint and may be left out.
    for (const path of INPUT.filter((each) => each !== "input.type")) {
      const { [path]: _, ...without } = document as Record<string, unknown>;
      const rest = path === "input.body" ? { ...document, input: { type: "product" } } : without;
      writeFileSync(join(desk.cwd, "task.json"), JSON.stringify(rest));
      const refused = desk.call("route", "task.json", "--json");
      // A policy of the project or the shipped one stands in for one that is not given.
      if (path === "policy") expect(refused.code, refused.stdout).toBe(0);
      else expect([path, refused.code === 0]).toEqual([path, false]);
    }
    writeFileSync(join(desk.cwd, "task.json"), JSON.stringify({ ...document, input: { body: document.input.body } }));
    expect(desk.json("route", "task.json")).toMatchObject({ classification: { rule_id: "unclear" } });
  });
});

describe("the intents that were published with the planning engine", () => {
  const folder = fileURLToPath(new URL("../../../shared/conformance/examples/intents/", import.meta.url));
  const intents = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];

  it.skipIf(intents.length === 0).each(intents.length === 0 ? ["each of them"] : intents)(
    "%s is planned, asked about where it asks, and verifies, by the program alone [S4-001, S4-064, S4-083]",
    (name) => {
      const desk = asked({ "README.md": "# x\n" }, []);
      mkdirSync(join(desk.cwd, "intents"));
      writeFileSync(join(desk.cwd, "intents", name), readFileSync(join(folder, name)));
      const file = join("intents", name);
      const ok = (...args: string[]) => {
        const ran = desk.call(...args);
        expect([args.join(" "), ran.code], ran.stderr + ran.stdout).toEqual([args.join(" "), 0]);
        return ran;
      };
      ok("registry", "draft", "--intent", file, "--out", "governance/registry");
      ok("intent", "seal", "--write", file);
      ok("facts", "collect", "--project", "octopusos", "--out", ".coordinator/facts.json");
      ok("memory", "build", "--project", "octopusos", "--out", ".coordinator/memory.json");
      const packs = ["--facts", ".coordinator/facts.json", "--memory", ".coordinator/memory.json"];
      let planned = desk.call("plan", "--intent", file, ...packs, "--out", "plan");
      for (let round = 0; planned.code === 3 && round < 3; round++) {
        const asks = readdirSync(join(desk.cwd, "plan")).filter(
          (each) => each.startsWith("questions") && each.endsWith("json"),
        );
        const { questions } = JSON.parse(readFileSync(join(desk.cwd, "plan", asks.at(-1) ?? ""), "utf8")) as {
          questions: { question_id: string; suggested_answers?: { answer_text: string }[] }[];
        };
        const answers = questions.flatMap(({ question_id, suggested_answers: [first] = [] }) => [
          "--answer",
          `${question_id}=${first?.answer_text ?? "ada"}`,
        ]);
        planned = desk.call("plan", "--resume", "plan", ...answers);
      }
      expect([planned.code, planned.stderr], planned.stdout).toEqual([0, ""]);
      ok("verify", "plan");
      expect(JSON.parse(readFileSync(join(desk.cwd, "plan/manifest.json"), "utf8"))).toMatchObject({ state: "DONE" });
    },
  );
});
