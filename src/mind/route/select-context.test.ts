import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { ContextDocument, RoutingDecision, RoutingPolicy } from "../../model/routing.js";
import { shippedModel } from "../../testing/learned-models.js";
import { compilePolicy } from "./compile-policy.js";
import { reevaluate } from "./reevaluate.js";
import { documentOfRef } from "./relate-document.js";
import { route } from "./route.js";

const shipped = parse(readFileSync(new URL("../../../policy/routing.yaml", import.meta.url), "utf8")) as RoutingPolicy;

const LEARNED = shippedModel("routing");

function policyWith(over: Partial<RoutingPolicy> = {}) {
  const result = compilePolicy({ ...shipped, ...over }, LEARNED);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.policy;
}

const doc = (ref: string, kind: ContextDocument["kind"], over: Partial<ContextDocument> = {}): ContextDocument => ({
  ref,
  kind,
  domain: "",
  status: "active",
  tags: [],
  title: "",
  size: 100,
  ...over,
});

const REGISTRY: readonly ContextDocument[] = [
  doc("principles", "principles"),
  doc("adr-billing", "adr", { domain: "billing" }),
  doc("adr-billing-old", "adr", { domain: "billing", status: "superseded" }),
  doc("adr-search", "adr", { domain: "search" }),
  doc("spec-invoices", "intent_spec", { domain: "billing", title: "Invoices by mail" }),
  doc("spec-task", "intent_spec", { tags: ["task_9"], domain: "other" }),
  doc("standard-all", "standard"),
  doc("standard-css", "standard", { domain: "css" }),
  doc("src/billing/invoice.ts", "source", { domain: "billing" }),
  doc("src/search/index.ts", "source", { domain: "search" }),
];

const PRODUCT = "As a customer I want billing by year, so that I get one invoice.";
const DEV =
  "`sumInvoice` in src/billing/invoice.ts ignores billing credits\n\nIt must subtract them before it returns the total.";

const decide = (
  body: string,
  over: Partial<RoutingPolicy> = {},
  registry: readonly (string | ContextDocument)[] = REGISTRY,
): RoutingDecision => route(policyWith(over), { task_id: "task_9", input: { body }, context_registry: registry });
const ruleOf = (decision: RoutingDecision, ref: string) => decision.context_log.find((e) => e.ref === ref);

describe("selection by policy", () => {
  it("product gets the principles and the active decisions of the domain [S0-037] [S0-034]", () => {
    const decision = decide(PRODUCT);
    expect(decision.routed_to).toBe("product");
    expect(decision.injected_context).toEqual(["principles", "adr-billing", "spec-invoices"]);
  });

  it("product gets prior Intent Specs only when the task speaks of the feature [S0-038]", () => {
    expect(decide("As a user I want a dark theme, so that I can read.").injected_context).toEqual(["principles"]);
  });

  it("dev gets the Intent Spec of the task, the decisions and the standards that apply [S0-039]", () => {
    const decision = decide(DEV);
    expect(decision.routed_to).toBe("dev");
    expect(decision.injected_context).toEqual(["adr-billing", "spec-task", "standard-all", "src/billing/invoice.ts"]);
  });

  it("dev gets source references only when existing components are modified [S0-040]", () => {
    const decision = route(policyWith(), {
      task_id: "t",
      input: { type: "technical", body: "billing" },
      context_registry: REGISTRY,
    });
    expect(decision.injected_context).not.toContain("src/billing/invoice.ts");
    expect(ruleOf(decision, "src/billing/invoice.ts")?.rule_id).toBe("no_context_rule");
  });

  it("logs every document of the registry once, included or not, with its rule [S0-042]", () => {
    for (const body of [PRODUCT, DEV]) {
      const decision = decide(body);
      expect(decision.context_log.map((e) => e.ref)).toEqual(REGISTRY.map((d) => d.ref));
      const included = decision.context_log.filter((e) => e.decision === "included").map((e) => e.ref);
      expect(included).toEqual(decision.injected_context);
      for (const entry of decision.context_log) expect(entry.rule_id).toMatch(/^[a-z][a-z_]+$/);
    }
    expect(ruleOf(decide(PRODUCT), "adr-billing")?.rule_id).toBe("product_active_adrs");
    expect(ruleOf(decide(PRODUCT), "adr-billing-old")?.decision).toBe("excluded");
  });

  it("an exclude rule before an include rule keeps a document out", () => {
    const keepOut = {
      id: "keep_out",
      target: "product" as const,
      decision: "exclude" as const,
      requirement: "conditional" as const,
      when: 'document.ref == "x"',
    };
    expect(compilePolicy({ ...shipped, context_rules: [keepOut] }).ok).toBe(false);
    const rules = [{ ...keepOut, when: 'document.domain == "billing"' }, ...shipped.context_rules];
    const decision = decide(PRODUCT, { context_rules: rules });
    expect(ruleOf(decision, "adr-billing")).toMatchObject({ decision: "excluded", rule_id: "keep_out" });
  });
});

describe("limits", () => {
  const all = [
    {
      id: "take_all",
      target: "product" as const,
      decision: "include" as const,
      requirement: "conditional" as const,
      when: "true",
    },
  ];

  it("never injects the whole registry [S0-041]", () => {
    const decision = decide(PRODUCT, { context_rules: all });
    expect(decision.injected_context.length).toBe(REGISTRY.length - 1);
    expect(decision.context_log.filter((e) => e.rule_id === "limit_whole_registry")).toHaveLength(1);
  });

  it("drops conditional documents over the limits, and logs the limit [S0-042]", () => {
    const few = decide(PRODUCT, {
      context_rules: all,
      context_limits: { max_documents: 2, max_bytes: 1_000, whole_registry_above: 3 },
    });
    expect(few.injected_context).toHaveLength(2);
    const small = decide(PRODUCT, {
      context_rules: all,
      context_limits: { max_documents: 20, max_bytes: 250, whole_registry_above: 3 },
    });
    expect(small.injected_context).toHaveLength(2);
    expect(small.context_log.filter((e) => e.rule_id === "limit_bytes")).toHaveLength(8);
    const included = small.context_log.filter((e) => e.decision === "included").map((e) => e.ref);
    expect(included).toEqual(small.injected_context);
  });

  it("fails when mandatory documents do not fit: a child is never sent on less than it must have", () => {
    const decision = decide(PRODUCT, {
      context_limits: { max_documents: 1, max_bytes: 1_000, whole_registry_above: 3 },
    });
    expect(decision).toMatchObject({
      status: "failed",
      routed_to: null,
      injected_context: [],
      reason: { code: "mandatory_context_over_limit" },
    });
  });

  it("leaves out what it does not know and what is listed twice", () => {
    const decision = decide(PRODUCT, {}, ["mystery", "docs/principles.md", "docs/principles.md"]);
    expect(decision.context_log.map((e) => e.rule_id)).toEqual([
      "unknown_document",
      "product_principles",
      "duplicate_reference",
    ]);
  });
});

describe("references without a description", () => {
  it.each([
    ["docs/adr/0007-session-tokens.md", "adr", "session tokens"],
    ["adr:0007-session-tokens", "adr", "session tokens"],
    ["docs/principles.md", "principles", "principles"],
    ["standards/typescript.md", "standard", "typescript"],
    ["specs/export-of-grades.md", "intent_spec", "export of grades"],
    ["src/net/frame.ts", "source", "frame"],
  ])("%s is of kind %s", (ref, kind, title) => {
    expect(documentOfRef(ref)).toMatchObject({ kind, title });
  });

  it("does not guess", () => {
    expect(documentOfRef("mystery")).toBeNull();
  });

  it("takes a description given beside the registry", () => {
    const decision = route(policyWith(), { task_id: "t", input: { body: PRODUCT }, context_registry: ["x7"] }, [
      doc("x7", "principles"),
    ]);
    expect(decision.injected_context).toEqual(["x7"]);
  });
});

describe("a child whose input does not suffice", () => {
  const input = { task_id: "task_9", input: { body: DEV }, context_registry: REGISTRY };
  const before = decide(DEV);

  it("is re-evaluated from the registry as it is, and escalated when that gives nothing else [S0-044]", () => {
    if (before.status !== "routed") throw new Error("not routed");
    expect(reevaluate(policyWith(), input, [], before.injected_context).action).toBe("escalate");
  });

  it("is dispatched anew when the registry has more for it; its own wishes are no argument [S0-043] [S0-044]", () => {
    if (before.status !== "routed") throw new Error("not routed");
    const more = { ...input, context_registry: [...REGISTRY, doc("adr-credits", "adr", { domain: "credits" })] };
    const again = reevaluate(policyWith(), more, [], before.injected_context);
    expect(again).toMatchObject({
      action: "dispatch",
      added: ["adr-credits"],
      decision: { injected_context: [...before.injected_context, "adr-credits"] },
    });
  });
});
