import { beforeAll, describe, expect, it } from "vitest";
import type { PlanReport } from "../../../../app/plan/planning.js";
import { ExecutionPolicy } from "../../../../model/plan/policy.js";
import type { FactPack, MemoryPack } from "../../../../model/settings/packs.js";
import type { Proposal } from "../../../../model/proposal.js";
import type { Registry } from "../../../../model/plan/registry.js";
import { renderBundle } from "../../../../mind/plan/bundle.js";
import { prepareRegistry } from "../../../../mind/plan/inputs.js";
import { plan } from "../../../../mind/plan/plan.js";
import { draftIntent } from "../../../../mind/propose/draft-intent.js";
import { builtInRegistryDirectory, loadRegistry } from "../../../../hands/registry/load-registry.js";
import { services } from "../../../../testing/plan-fixtures.js";
import type { PlanMade } from "../../../../app/plan-reports.js";
import { reviewLines } from "./plan-needs.js";
import { toText } from "../to-text.js";

/* The text a person reads before they approve, at the widths terminals have. */

const NOW = "2026-02-03T04:05:06Z";
const pack = { schema_version: "1.0.0", project_id: "desk", collected_at: NOW } as const;
const facts: FactPack = { ...pack, pack_id: "facts_desk", facts: {} };
const memory: MemoryPack = { ...pack, pack_id: "memory_desk", notes: [], history: [], answers: [] };
const CHECKS = [
  { name: "test", run: "npm test" },
  { name: "lint", run: "npm run lint" },
];
const priced = (usd: number) => ({ usd_per_million_in: usd, usd_per_million_out: usd, as_of: "2026-01-01" });

let registry: Registry;
beforeAll(async () => {
  ({ registry } = await loadRegistry({ directories: [builtInRegistryDirectory()] }));
});

const fix = (different: Partial<Proposal["tasks"][number]> = {}): Proposal["tasks"][number] => ({
  id: "fix-order-frees-children",
  title: "Fix the order in which delete frees children in src/tree.c",
  description: "",
  type: "bugfix",
  command_id: "fix_bug",
  dependencies: [],
  priority: "P1",
  estimated_iterations: 3,
  files: ["src/tree.c"],
  tests: ["test/**"],
  ...different,
});

interface Setting {
  readonly tasks?: Proposal["tasks"];
  readonly policy?: Partial<ExecutionPolicy>;
  readonly different?: Partial<PlanMade>;
  readonly text?: string;
}

function made({ tasks = [fix()], policy: own = {}, different = {}, text }: Setting = {}): PlanMade {
  const workers = { default: { agent: "claude", model: null, price: null }, builders: {} };
  const policy = ExecutionPolicy.parse({ schema_version: "1.0.0", policy_id: "policy_desk", workers, ...own });
  const proposal: Proposal = { workflow_id: "bugfix", reason: "A defect.", tasks, risks: [], recommendations: [] };
  const request = {
    request_id: "3220a933-f13f-86f8-86d2-ad9dad71da6e",
    text: text ?? "Fix the order in which delete frees children in src/tree.c",
    timestamp: NOW,
    by: "Ada",
    limits: { tokens: null, seconds: null },
  };
  const known = { registry, policy, facts, memory };
  const drafted = draftIntent(
    { ...known, proposal, request, spec: null, evidence: [], acceptance: [], status: "proposed" },
    services,
  );
  if (!drafted.ok) throw new Error(JSON.stringify(drafted.problems));
  const inputs = { policy, facts, memory, registry: prepareRegistry(registry, services), lock: null, answers: [] };
  const whole = { ...inputs, intent: drafted.intent, instants: [NOW] };
  const outcome = plan(whole, services);
  const report: PlanReport = { outcome, bundle: renderBundle(outcome, whole, services) };
  return {
    type: "plan",
    ...report,
    problems: [],
    writtenTo: ".coordinator/plans/x",
    stages: [],
    next: ["coordinator run --plan .coordinator/plans/x"],
    told: ["Intake: approved, fix", "Route: dev, technical_explicit by named_code", "Planner: template"],
    ground: { checks: CHECKS, workers: policy.workers },
    ...different,
  };
}

const shown = async (report: PlanMade, columns = 80) =>
  (await toText(report, { color: false, size: { columns, rows: 24 } }))
    .replace(/^Plan [0-9a-f]{12},/m, "Plan CHECKSUM,")
    .trimEnd()
    .split("\n");

const narrow = (lines: readonly string[], width: number) =>
  // A command to be typed is not broken: it could not be copied.
  lines.filter((line) => !line.startsWith("Next: ") && line.length > width);

describe("the plan of a one-file fix", () => {
  it("is one screen: what, where, how it is proven, what it costs, what needs whom", async () => {
    expect((await shown(made())).join("\n")).toMatchInlineSnapshot(`
      "Fix the order in which delete frees children in src/tree.c

      Task       fix-order-frees-children, by claude as bug_fixer
      Writes     src/tree.c, test/**
      Rules      1 task allowed
      Proof      test (npm test), lint (npm run lint): on the base and on the result;
                 nothing may get worse
      Cost       unknown: claude has no price in the settings, $0.25 is set aside;
                 about 30 000 tokens, about 15 min; at most 120 000 tokens and $3
      Risk       medium: fix_bug is of medium risk
      Needs you  no review; look at the result when it is done and merge it

      Written: .coordinator/plans/x
      Next: coordinator run --plan .coordinator/plans/x
      Plan CHECKSUM, 1 task in 1 level, 0 reviews, 0 questions, risk medium"
    `);
  });

  it("fills a wider terminal", async () => {
    expect((await shown(made(), 100)).join("\n")).toMatchInlineSnapshot(`
      "Fix the order in which delete frees children in src/tree.c

      Task       fix-order-frees-children, by claude as bug_fixer
      Writes     src/tree.c, test/**
      Rules      1 task allowed
      Proof      test (npm test), lint (npm run lint): on the base and on the result; nothing may get
                 worse
      Cost       unknown: claude has no price in the settings, $0.25 is set aside; about 30 000 tokens,
                 about 15 min; at most 120 000 tokens and $3
      Risk       medium: fix_bug is of medium risk
      Needs you  no review; look at the result when it is done and merge it

      Written: .coordinator/plans/x
      Next: coordinator run --plan .coordinator/plans/x
      Plan CHECKSUM, 1 task in 1 level, 0 reviews, 0 questions, risk medium"
    `);
  });

  it("does not tell what to type above a question that is asked right there", async () => {
    const lines = await shown(made({ different: { isAsked: true } }));
    expect(lines.filter((line) => /^(?:Next|Written|Not written)/.test(line))).toEqual([]);
  });
});

describe("what it costs", () => {
  const cost = async (worker: object | undefined, different: Partial<PlanMade> = {}) => {
    const workers =
      worker === undefined
        ? undefined
        : { default: { agent: "claude", model: null, price: null, ...worker }, builders: {} };
    const report = made({ policy: { workers } });
    const ground = { checks: CHECKS, workers: report.ground?.workers };
    const text = (await shown({ ...report, ground, ...different }, 300)).find((line) => line.startsWith("Cost"));
    return text?.replace(/^Cost +/, "").split(";")[0];
  };

  it("is that of the agent that works, and unknown where it has no price", async () => {
    expect(await cost({ model: "sonnet", price: priced(10) })).toBe("about $0.30 with claude (sonnet)");
    expect(await cost({ agent: "rehearsal", price: priced(0) })).toBe("none: rehearsal asks no paid model");
    expect(await cost({ model: "some-model" })).toBe(
      "unknown: claude (some-model) has no price in the settings, $0.25 is set aside",
    );
    expect(await cost(undefined)).toBe("unknown, because no agent is configured");
  });
});

describe("reviews", () => {
  const security = { tasks: [fix({ files: ["src/auth/login.c"] })] };

  it("are told once, with who holds them and why", async () => {
    const named = made({ ...security, policy: { reviewers: { security: ["Ben"] } } });
    expect((await shown(named)).filter((line) => /Ben/.test(line))).toMatchInlineSnapshot(`
      [
        "Needs you  security review before its tasks start, by Ben. A mistake in",
      ]
    `);
  });

  it("that nobody holds say how somebody is named", async () => {
    expect((await shown(made(security))).slice(-9)).toMatchInlineSnapshot(`
      [
        "Risk       medium: fix_bug is of medium risk",
        "Needs you  security review before its tasks start, by nobody yet. A mistake in",
        "           authentication or cryptography opens the whole system.",
        "           Name who may review, by git's name or address, in coordinator.yaml:",
        "           reviewers: { security: [NAME] }",
        "",
        "Written: .coordinator/plans/x",
        "Next: coordinator run --plan .coordinator/plans/x",
        "Plan CHECKSUM, 1 task in 1 level, 1 review, 1 question, risk medium",
      ]
    `);
  });

  it("of finished work are asked for by rules, where others build on it", async () => {
    const lines = await shown(made({ tasks: [fix({ files: ["include/tree/tree.h"] })] }));
    expect(lines.filter((line) => /^Needs|^ {11}/.test(line))).toMatchInlineSnapshot(`
      [
        "           nothing may get worse",
        "           about 30 000 tokens, about 15 min; at most 120 000 tokens and $3",
        "Needs you  architecture review of the finished work, before the merge, by nobody",
        "           yet. Others compile against these declarations, and a change may",
        "           break them.",
        "           Name who may review, by git's name or address, in coordinator.yaml:",
        "           reviewers: { architecture: [NAME] }",
      ]
    `);
  });
});

describe("reviews of one category", () => {
  const review = (gate: string, because: string[], reviewers = ["Ben"]) => ({
    category: "security" as const,
    gate,
    reviewers,
    because,
  });

  it("are one line with every reason once, apart where other people or another time are asked for", () => {
    const all = [
      review("a", ["rule_one: Logins change."]),
      review("b", ["rule_one: Logins change."]),
      review("c", ["rule_two: Keys change."]),
      review("d", [], ["Eve"]),
      review("work", ["rule_one: Logins change."]),
    ];
    expect(reviewLines(all, (gate) => gate === "work")).toEqual([
      "security review before its tasks start, by Ben, 3 times. Logins change. Keys change.",
      "security review before its tasks start, by Eve",
      "security review of the finished work, before the merge, by Ben. Logins change.",
    ]);
  });
});

describe("larger plans", () => {
  const twelve = Array.from({ length: 12 }, (_, i) =>
    fix({
      id: `fix-the-part-number-${i}-of-the-tree`,
      title: `Fix part ${i} of the tree, which frees its children in the wrong order`,
      files: [`src/part-${i}.c`, `src/part-${i}.h`],
      tests: [`test/part-${i}/**`],
      dependencies:
        i === 0 ? [] : i < 6 ? ["fix-the-part-number-0-of-the-tree"] : [`fix-the-part-number-${i - 1}-of-the-tree`],
    }),
  );

  it("list their tasks in the order they are carried out, each with its scope, in two screens", async () => {
    const lines = await shown(made({ tasks: twelve.toReversed() }));
    expect(lines.length).toBeLessThanOrEqual(48);
    expect(narrow(lines, 80)).toEqual([]);
    const numbers = lines.flatMap((line) => /^ +(\d+)\. /.exec(line)?.[1] ?? []).map(Number);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(numbers).toHaveLength(12);
    expect(lines.slice(2, 8).join("\n")).toMatchInlineSnapshot(`
      "12 tasks in order; the same number runs side by side
        1. fix-the-part-number-0-of-the-tree
           claude as bug_fixer, writes src/part-0.c, src/part-0.h, test/part-0/**
        2. fix-the-part-number-5-of-the-tree
           claude as bug_fixer, writes src/part-5.c, src/part-5.h, test/part-5/**
        2. fix-the-part-number-4-of-the-tree"
    `);
  });

  it("show every place a task may write, and count them past a dozen", async () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => `packages/package-${i}/source/**`);
    const eleven = (await shown(made({ tasks: [fix({ files: many(11), tests: ["test/**"] })] }))).join(" ");
    for (const place of [...many(11), "test/**"]) expect(eleven).toContain(place);
    const lines = await shown(made({ tasks: [fix({ files: many(30) })] }));
    expect(lines.join(" ").replaceAll(/ +/g, " ")).toContain(
      "packages/package-10/source/**, and 20 more (--json lists all)",
    );
    expect(narrow(lines, 80)).toEqual([]);
  });
});
