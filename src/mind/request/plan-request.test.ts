import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { IntentSpec } from "../../model/intent-spec.js";
import { ContextDocument } from "../../model/routing.js";
import { RequestOrigin } from "../../model/request-origin.js";
import type { FactPack } from "../../model/settings/packs.js";
import { ExecutionPolicy } from "../../model/plan/policy.js";
import type { Registry } from "../../model/plan/registry.js";
import { IntakePolicy } from "../../model/intake-policy.js";
import type { Usage } from "../../model/run.js";
import type { Planner } from "../propose/planner.js";
import { templatePlanner } from "../propose/template/template-planner.js";
import { builtInRegistryDirectory, loadRegistry } from "../../hands/registry/load-registry.js";
import { briefProblems } from "../plan/inputs/brief.js";
import { compilePolicy } from "../route/compile-policy.js";
import { shippedModel } from "../../testing/learned-models.js";
import { Message } from "../../model/run.js";
import { services } from "../../testing/plan-fixtures.js";
import type { FlowInput, Specify } from "./request-flow.js";
import { planRequest } from "./plan-request.js";

const read = (file: string): unknown => parse(readFileSync(file, "utf8"));
const intakePolicy = IntakePolicy.parse(read("policy/intake.yaml"));
const compiled = compilePolicy(read("policy/routing.yaml"), shippedModel("routing"));
if (!compiled.ok) throw new Error("the shipped policy must compile");
const NOW = "2026-02-03T04:05:06Z";
const facts: FactPack = {
  schema_version: "1.0.0",
  pack_id: "facts_desk",
  project_id: "desk",
  collected_at: NOW,
  facts: { languages: { value: ["Go"], evidence_ref: "git://x" } },
};

let registry: Registry;
beforeAll(async () => {
  ({ registry } = await loadRegistry({ directories: [builtInRegistryDirectory()] }));
});

/** Product goes by the words as they are. */
const unasked: Specify = () => Promise.resolve({ status: "specified", spec: null, usage: null });

const input = (user_request: string, different: Partial<FlowInput> = {}): FlowInput => ({
  request: { request_id: "550e8400-e29b-41d4-a716-446655440000", timestamp: NOW, user_request },
  by: "ada",
  intakePolicy,
  repository: undefined,
  routingPolicy: compiled.policy,
  context: [],
  read: async (refs) => refs.map((ref) => ({ ref, text: `The text of ${ref}.` })),
  registry,
  policy: ExecutionPolicy.parse({ schema_version: "1.0.0", policy_id: "policy_desk" }),
  facts,
  memory: null,
  planner: templatePlanner,
  specify: unasked,
  signal: new AbortController().signal,
  ...different,
});

const WISH = "Add CSV export to the reports page";
const ORDER = "Rename the function parseDate in src/dates.go to readDate";

const SPEC: IntentSpec = {
  schema_version: "1.0.0",
  id: "IS-csv",
  version: "1.0.0",
  objective: "Reports can leave as CSV",
  requirements: [
    {
      id: "REQ-1",
      description: "A CSV file is made",
      verification: { kind: "check", name: "test" },
      source: "request:csv",
      priority: "must_have",
    },
  ],
  constraints: [],
  out_of_scope: ["PDF files"],
  assumptions: [],
  context_refs: [],
};

const USED: Usage = {
  amounts: { tokens: 700, cost_usd: 0.02, minutes: 1, files: 0, commits: 0, api_calls: 1 },
  source: "reported",
};

const planner = (planned: Awaited<ReturnType<Planner["plan"]>>): Planner => ({
  name: "pat",
  plan: () => Promise.resolve(planned),
});

describe("from a request to an intent", () => {
  it("says the same every time: the intent, both messages and what is kept of them [S1-035, S1-040]", async () => {
    const outcome = await planRequest(input(WISH), services);
    expect(await planRequest(input(WISH), services)).toEqual(outcome);
    if (outcome.status !== "drafted") throw new Error(outcome.status);
    const { opening, intent } = outcome;
    expect(RequestOrigin.parse(opening)).toEqual(opening);
    expect(opening).toMatchObject({ intent_checksum: intent.audit.checksum, request: WISH, minutes: null });
    const [asked, answered] = opening.messages;
    expect(opening.messages.map((message) => Message.safeParse(message).success)).toEqual([true, true]);
    expect(answered).toMatchObject({ in_reply_to: asked?.message_id, type: "planning_response" });
    expect(asked).toMatchObject({ payload: { objective: WISH, constraints: { technologies: ["Go"] } } });
  });

  it("gives attached files and images on, each with its checksum, and says which images nobody can be shown", async () => {
    const data = "iVBORw0KGgoAAAANSUhEUg==";
    const attachments = [
      { type: "file" as const, content: "a;b", description: "rows" },
      { type: "image" as const, content: `data:image/png;base64,${data}`, description: "how it looks" },
      { type: "image" as const, content: "bm8gaW1hZ2U=", description: "a sketch" },
    ];
    const { request } = input(WISH);
    const outcome = await planRequest(input(WISH, { request: { ...request, attachments } }), services);
    if (outcome.status !== "drafted") throw new Error(outcome.status);
    const { brief } = outcome.opening;
    expect(brief.documents).toMatchObject([
      { ref: "attachments[0]", text: "rows\n\na;b" },
      { ref: "attachments[1]", image: { mime_type: "image/png", data, checksum: services.sha256(data) } },
      { ref: "attachments[2]", text: "a sketch" },
    ]);
    expect(brief.documents[1]?.text).toContain(services.sha256(data));
    expect(outcome.told.join("\n")).toContain("attachments[2] is not a PNG");
    expect(briefProblems(brief, services.sha256)).toEqual([]);
    const [first, second, third] = brief.documents;
    if (first === undefined || second?.image === undefined || third === undefined) throw new Error("no image");
    const other = {
      ...second,
      image: { ...second.image, data: "iVBORw0KGgoB", checksum: services.sha256("iVBORw0KGgoB") },
    };
    expect(briefProblems({ ...brief, documents: [first, other, third] }, services.sha256)).toHaveLength(1);
  });

  it("has product specify what is routed to it, and only that", async () => {
    const asked: string[] = [];
    const specify: Specify = ({ request }) => {
      asked.push(request.user_request);
      return Promise.resolve({ status: "specified", spec: SPEC, usage: USED });
    };
    const wished = await planRequest(input(WISH, { specify }), services);
    expect(wished).toMatchObject({
      status: "drafted",
      opening: {
        brief: { spec: { spec: { id: "IS-csv" } } },
        route: { routed_to: "product" },
        used: [{ purpose: "specifying", usage: USED }],
      },
      intent: { objective: { goal: "Reports can leave as CSV", non_goals: ["PDF files"] } },
    });
    const ordered = await planRequest(input(ORDER, { specify }), services);
    expect(ordered).toMatchObject({
      status: "drafted",
      opening: { brief: { spec: null }, route: { routed_to: "dev" } },
    });
    expect(asked).toEqual([WISH]);
  });

  it("judges what people answered and never the question, and gives both to product and planner", async () => {
    const decider = { by: "eve", how: "person" } as const;
    const question = "Shall it write ransomware that encrypts the files of its victims?";
    const answers = [
      { id: "object", question: "What exactly?", answer: "the monthly report", decider },
      { id: "Q-1", question, answer: "No, a CSV file", decider },
    ];
    const given: unknown[] = [];
    const specify: Specify = ({ request, answers: told }) => {
      given.push(request.user_request, told);
      return Promise.resolve({ status: "specified", spec: SPEC, usage: null });
    };
    const outcome = await planRequest(input(WISH, { specify, answers }), services);
    const words = `${WISH}\n\nAbout: the monthly report`;
    expect(given).toEqual([words, [answers[1]]]);
    expect(outcome).toMatchObject({
      status: "drafted",
      opening: { answers, request: `${words}\n\n${question} — No, a CSV file` },
    });
    if (outcome.status === "drafted") expect(JSON.stringify(outcome.intent)).toContain("answer://Q-1@sha256:");
    const harm = [{ ...answers[1], id: "Q-1", question: "What?", answer: question, decider }];
    expect(await planRequest(input(WISH, { answers: harm }), services)).toMatchObject({ status: "refused" });
    const asking = planner({ status: "questions", questions: ["And what else is there?"], usage: null });
    expect(await planRequest(input(WISH, { answers, planner: asking }), services)).toMatchObject({
      questions: [{ id: "Q-2", question: "And what else is there?" }],
    });
  });

  it("plans nothing for product before it is specified, and tells how that came about [S0-028, S0-029]", async () => {
    const curious: Specify = () =>
      Promise.resolve({ status: "questions", questions: [{ id: "acceptance", question: "What must be true?" }] });
    const never: Planner = {
      name: "never",
      plan: () => {
        throw new Error("nothing may be planned");
      },
    };
    expect(await planRequest(input(WISH, { specify: curious, planner: never }), services)).toMatchObject({
      status: "questions",
      by: "product",
    });
    const told: Specify = () => Promise.resolve({ status: "specified", spec: null, usage: null, told: "In words." });
    expect(await planRequest(input(WISH, { specify: told }), services)).toMatchObject({
      told: expect.arrayContaining(["In words."]) as unknown,
    });
  });

  it("lets a person overrule the route where it is asked about, and keeps who did [S0-022]", async () => {
    const asks: Specify = () => Promise.resolve({ status: "questions", questions: [] });
    const decider = { by: "eve", how: "person", via: "terminal" } as const;
    const answers = [{ id: "acceptance", question: "What must be true?", answer: "t", decider }];
    const outcome = await planRequest(input(WISH, { specify: asks, answers }), services);
    expect(outcome).toMatchObject({
      status: "drafted",
      opening: {
        request: WISH,
        answers,
        route: { routed_to: "dev", rule_id: "operator_says_technical", decider },
      },
    });
    const other = [{ id: "Q-1", question: "Which?", answer: "t", decider }];
    expect(await planRequest(input(WISH, { specify: asks, answers: other }), services)).toMatchObject({
      status: "questions",
    });
  });

  it("gives what the policy selects and withholds all other documents, but no source [S0-035, S0-038]", async () => {
    const document = (ref: string, kind: ContextDocument["kind"]) => ContextDocument.parse({ ref, kind });
    const context = [
      document("docs/principles.md", "principles"),
      document("docs/standards.md", "standard"),
      document("src/reports.go", "source"),
      "notes/other.md",
    ];
    const drafted = await planRequest(input(WISH, { context }), services);
    if (drafted.status !== "drafted") throw new Error(drafted.status);
    const { documents, withheld } = drafted.opening.brief;
    // The wish is for product; a builder of it gets what builders get.
    expect(drafted.opening.route.routed_to).toBe("product");
    const text = "The text of docs/standards.md.";
    expect(documents).toEqual([{ ref: "docs/standards.md", checksum: services.sha256(text), text }]);
    expect(withheld).toEqual(["docs/principles.md", "notes/other.md"]);
  });

  it("ends where intake, routing, product or the planner end it", async () => {
    const nobody: Planner = planner({ status: "failed", problems: [], usage: null });
    const unclear = await planRequest(input("make it better", { planner: nobody }), services);
    expect(unclear).toMatchObject({ status: "refused", intake: { decision: "needs_clarification" } });
    const silent = compilePolicy({ schema_version: "1.0.0", policy_id: "policy_silent", rules: [] });
    if (!silent.ok) throw new Error("it must compile");
    expect(await planRequest(input(WISH, { routingPolicy: silent.policy }), services)).toMatchObject({
      status: "unrouted",
      routing: { reason: { code: "no_rule_matched" } },
    });
    const curious: Specify = () =>
      Promise.resolve({ status: "questions", questions: [{ id: "Q-1", question: "Which reports?" }] });
    expect(await planRequest(input(WISH, { specify: curious }), services)).toEqual({
      status: "questions",
      by: "product",
      questions: [{ id: "Q-1", question: "Which reports?" }],
    });
    const asking = planner({ status: "questions", questions: ["Which page?"], usage: null });
    expect(await planRequest(input(WISH, { planner: asking }), services)).toMatchObject({
      by: "pat",
      status: "questions",
    });
    expect(await planRequest(input(WISH, { planner: nobody }), services)).toMatchObject({
      status: "failed",
      by: "pat",
    });
  });

  it("refuses a proposal that names what the registry does not have", async () => {
    const proposed = await templatePlanner.plan(await given(), new AbortController().signal);
    if (proposed.status !== "success") throw new Error(proposed.status);
    const proposal = { ...proposed.proposal, workflow_id: "conquer_the_world" };
    expect(await planRequest(input(WISH, { planner: planner({ ...proposed, proposal }) }), services)).toMatchObject({
      status: "failed",
      problems: [{ code: "PROPOSAL_REFUSED", path: "workflow_id" }],
    });
  });
});

/** Input of the planner for the wish, as the flow gives it. */
async function given(): Promise<Parameters<Planner["plan"]>[0]> {
  let seen: Parameters<Planner["plan"]>[0] | undefined;
  const spy: Planner = {
    name: "spy",
    plan: (got) => {
      seen = got;
      return Promise.resolve({ status: "failed", problems: [], usage: null });
    },
  };
  await planRequest(input(WISH, { planner: spy }), services);
  if (seen === undefined) throw new Error("the planner must have been asked");
  return seen;
}
