import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openProject } from "../../src/app/project/project.js";
import { type AskOptions, plannerFor, specifierFor, specifierForRoute } from "../../src/app/request/ask-for-run.js";
import { Configuration } from "../../src/model/settings/configuration.js";
import type { IntakeDecision } from "../../src/model/request.js";
import type { RoutedDecision } from "../../src/model/routing.js";
import type { Usage } from "../../src/model/run.js";
import type { Planner, PlannerInput } from "../../src/mind/propose/planner.js";
import type { SpecifyInput } from "../../src/mind/specify/specify.js";
import { type Reply, startModelServer } from "../../src/testing/model-server.js";
import { registryWith } from "../../src/testing/plan-fixtures.js";
import { type RealProject, realProject, type Steps } from "./real-run.js";

/*
 * From words to an Intent Spec and to a proposal, with real agents in real sandboxes and with models on loopback: what is
 * right passes, and every kind of sabotage is met by a rule.
 */

const SPEC = "write an Intent Spec";
const PLAN = "propose a plan";
const forever = new AbortController().signal;
const steps = (prompt_has: string, ...list: Record<string, unknown>[]): Steps => ({ prompt_has, steps: list });

const spec = {
  schema_version: "1.0.0",
  id: "IS-list",
  objective: "The list holds a line for beta.",
  requirements: [
    {
      id: "REQ-1",
      description: "The list has a line beta",
      verification: { kind: "file_contains", path: "src/list.txt", text: "beta" },
      source: "request:add beta to the list",
    },
  ],
  constraints: [{ id: "CON-1", description: "Lines stay sorted", source: "document:docs/principles.md" }],
  out_of_scope: ["Other lists"],
  assumptions: [],
  context_refs: ["docs/principles.md"],
};

const input: SpecifyInput = {
  about: "run_of_words",
  request: "Please add beta to the list.",
  documents: [{ ref: "docs/principles.md", text: "Lists are sorted." }],
  facts: null,
  memory: null,
  answers: [],
  checks: [],
};

interface Setting {
  readonly settings?: Record<string, unknown>;
  readonly preference?: string;
}

function optionsFor({ root, env }: RealProject, { settings = {}, preference }: Setting): AskOptions {
  return {
    runId: "run_of_words",
    project: openProject({ cwd: root, environment: env }),
    configuration: Configuration.parse({ ...configurationOf(root, env), ...settings }),
    models: [],
    guardrails: [],
    unsafeNoSandbox: false,
    preference,
    policy: null,
  };
}

function configurationOf(root: string, env: Record<string, string>): Record<string, unknown> {
  const agent = new URL("../../dist/hands/agents/scripted/scripted-agent.mjs", import.meta.url).pathname;
  return {
    agents: {
      scripted: {
        preset: "scripted",
        command: [process.execPath, agent, "--script", join(env["HOME"] ?? "", "script.json")],
        limits: { silence_seconds: 3, cancel_grace_seconds: 0.2 },
      },
    },
    workspace: { tools: [join(env["HOME"] ?? "", "script.json")] },
    product: "scripted",
    run: { failure: { base_delay_ms: 0 } },
    scope: { read: ["**"] },
    project: root,
  };
}

async function specifyWith(project: RealProject, setting: Setting = {}, more: Partial<SpecifyInput> = {}) {
  const options = optionsFor(project, setting);
  const counted: { purpose: string; usage: Usage }[] = [];
  const specify = specifierFor({ ...options, count: async (purpose, usage) => void counted.push({ purpose, usage }) });
  if (specify === null) throw new Error("nobody specifies");
  return { ...(await specify({ ...input, ...more }, forever)), counted };
}

describe("an Intent Spec by an agent", () => {
  it("is written from the injected documents, by an agent that sees nothing else, and is counted [S0-036]", async () => {
    const project = realProject([steps(SPEC, { usage: { in: 700, out: 70, cost_usd: 0.01 } }, { answer: spec })]);
    const specified = await specifyWith(project);
    expect(specified).toMatchObject({ status: "spec", by: "scripted", spec: { id: "IS-list", version: "1.0.0" } });
    expect(specified.usage?.amounts.tokens).toBeGreaterThan(0);
    expect(specified.counted.map(({ purpose }) => purpose)).toEqual(["specify: run_of_words by scripted 1"]);
    expect(project.git("for-each-ref", "refs/coord")).toBe("");
    // Asked the same again, as after a crash, what was done is taken and nobody works twice.
    expect(await specifyWith(project)).toEqual(specified);
    expect(readdirSync(join(project.root, ".coordinator", "attempts", "run_of_words"))).toHaveLength(1);
    // A program without a protocol tells which files it sees.
    const look =
      'printf \'{"insufficient":[{"question":"I see %s","why":"as it is"}]}\' "$(find . -path ./.git -prune -o -type f -print | tr "\\n" " ")"';
    const settings = { product: "shell", agents: { shell: { protocol: "command", command: ["/bin/sh", "-c", look] } } };
    const seen = await specifyWith(project, { settings });
    expect(seen).toMatchObject({
      status: "questions",
      questions: [{ id: "Q-1", question: "I see ./docs/principles.md ", why: "as it is" }],
    });
  });

  it("is asked for again when it is malformed, by a new instance each time, three times at most [S0-046] [S0-048] [S0-049] [S0-050]", async () => {
    const project = realProject([
      { prompt_has: SPEC, attempt: 1, steps: [{ say: "I would rather talk about it." }] },
      { prompt_has: SPEC, attempt: 2, steps: [{ answer: { ...spec, out_of_scope: [] } }] },
      { prompt_has: SPEC, attempt: 3, steps: [{ exit: 3 }] },
      steps(SPEC, { answer: spec }),
    ]);
    const specified = await specifyWith(project);
    expect(specified.status).toBe("spec");
    expect(specified.counted).toHaveLength(4);
    const folders = readdirSync(join(project.root, ".coordinator", "attempts", "run_of_words"));
    expect(folders).toHaveLength(4);
  });

  it("is taken from the agent that was at work when the Coordinator was killed", async () => {
    const project = realProject([steps(SPEC, { sleep: 1000 }, { answer: spec })]);
    const options = JSON.stringify(optionsFor(project, {}));
    const program = new URL("../../dist/app/request/ask-for-run.js", import.meta.url).href;
    const code = `const { specifierFor } = await import(${JSON.stringify(program)});
      await specifierFor(${options})(${JSON.stringify(input)}, new AbortController().signal);`;
    const first = spawn(process.execPath, ["--input-type=module", "-e", code], { env: project.env, stdio: "ignore" });
    const attempts = join(project.root, ".coordinator", "attempts", "run_of_words");
    const began = () =>
      existsSync(attempts) && readdirSync(attempts).some((effect) => existsSync(join(attempts, effect, "1", "claim")));
    await vi.waitFor(() => expect(began()).toBe(true), { timeout: 240_000, interval: 20 });
    first.kill("SIGKILL");
    expect(await specifyWith(project)).toMatchObject({ status: "spec", spec: { id: "IS-list" } });
    expect(readdirSync(attempts)).toHaveLength(1);
    expect(readdirSync(join(attempts, readdirSync(attempts)[0] ?? ""))).toEqual(["1"]);
  });

  it("is handed to a person with everything when it invents a source, and never asked for again [S0-057] [S0-058]", async () => {
    const invented = {
      ...spec,
      assumptions: [{ id: "ASM-1", description: "All agree", source: "document:docs/adr/9.md" }],
    };
    const project = realProject([steps(SPEC, { answer: invented })]);
    const specified = await specifyWith(project);
    expect(specified).toMatchObject({
      status: "failed",
      failure: "semantic",
      findings: [{ rule_id: "spec_source_document_unknown", path: "assumptions[0].source" }],
      package: { input: input.request, injected_context: ["docs/principles.md"] },
    });
    expect(specified.counted).toHaveLength(1);
    if (specified.status === "failed") {
      expect(specified.package.output).toContain("All agree");
      expect(specified.package.violation).toContain("spec_source_document_unknown assumptions[0].source");
    }
  });

  it("is questions for a person when the input is not enough, and goes on with their answers", async () => {
    const asks = { insufficient: [{ question: "Which of the lists is meant?", why: "There are two." }] };
    const answered = { ...spec, assumptions: [{ id: "ASM-1", description: "The first list", source: "answer:Q-1" }] };
    const project = realProject([
      { prompt_has: "`answer:Q-1` Which of the lists", steps: [{ answer: answered }] },
      steps("the undecided list", { ask: "Shall it be at the end?" }),
      steps(SPEC, { answer: asks }),
    ]);
    const first = await specifyWith(project);
    expect(first).toMatchObject({
      status: "questions",
      questions: [{ id: "Q-1", question: "Which of the lists is meant?" }],
    });
    const answers = [{ id: "Q-1", question: "Which of the lists is meant?", answer: "The first" }];
    expect(await specifyWith(project, {}, { answers })).toMatchObject({ status: "spec" });
    const asking = await specifyWith(project, {}, { request: "Add beta to the undecided list." });
    expect(asking).toMatchObject({ status: "questions", questions: [{ question: "Shall it be at the end?" }] });
  });

  it("ends at once when the agent writes, hangs at its limit or overruns its budget", async () => {
    const project = realProject([
      steps("add one", { write: "notes.txt", text: "mine", ask: false }, { answer: spec }),
      steps("add two", { hang: true, ignore_cancel: true }),
      steps("add three", { usage: { in: 450_000, out: 1, cost_usd: 9 } }, { sleep: 50 }, { answer: spec }),
    ]);
    const wrote = await specifyWith(project, {}, { request: "Please add one." });
    expect(wrote).toMatchObject({ status: "failed", failure: "semantic" });
    expect(wrote.counted).toHaveLength(1);
    const settings = { proposing: { minutes: 0.02 } };
    const hung = await specifyWith(project, { settings }, { request: "Please add two." });
    expect(hung).toMatchObject({ status: "failed", failure: "resource" });
    const dear = await specifyWith(project, {}, { request: "Please add three." });
    expect(dear).toMatchObject({ status: "failed", failure: "resource" });
    expect(dear.counted[0]?.usage.amounts.tokens).toBeGreaterThan(100_000);
  });
});

// ------------------------------------------------------------------------------------------------------- by a model

async function models(claude: readonly Reply[], ollama: readonly Reply[]) {
  const servers = await Promise.all([startModelServer(claude), startModelServer(ollama)]);
  onTestFinished(async () => {
    await Promise.all(servers.map((server) => server.close()));
  });
  const [first, second] = servers;
  const settings = {
    product: "model:claude",
    models: {
      claude: { provider: "anthropic", base_url: first?.url, model: "claude-sonnet-4-5" },
      ollama: { provider: "openai", base_url: `${second?.url}/v1`, model: "gemma2" },
    },
  };
  const told = () => JSON.stringify(servers.flatMap(({ requests }) => requests.map(({ body }) => body)));
  return { settings, asked: () => servers.map(({ requests }) => requests.length), told };
}

describe("an Intent Spec by a model", () => {
  it("comes from the primary, from the fallback when that fails, and from the one that is preferred [S1-020] [S1-129]", async () => {
    const project = realProject([]);
    const good: Reply = { json: spec, tokens: [900, 90] };
    const well = await models([good], [good]);
    expect(await specifyWith(project, well)).toMatchObject({ status: "spec", by: "claude" });
    expect(await specifyWith(project, { ...well, preference: "ollama" })).toMatchObject({ by: "ollama" });
    expect(well.asked()).toEqual([1, 1]);
    const down = await models([{ status: 529 }], [good]);
    const specified = await specifyWith(project, down);
    expect(specified).toMatchObject({ status: "spec", by: "ollama" });
    expect(down.asked()).toEqual([1, 1]);
  });

  it("never comes about without anything out of scope, however often it is asked for", async () => {
    const empty: Reply = { json: { ...spec, out_of_scope: [] }, tokens: [900, 90] };
    const setting = await models([empty], [empty]);
    const specified = await specifyWith(realProject([]), setting);
    expect(specified).toMatchObject({ status: "failed", failure: "structural" });
    expect(setting.asked()).toEqual([2, 2]);
    expect(specified.usage?.amounts.tokens).toBe(4 * 990);
  });

  it("is told what matters of the memory, and nothing else of it", async () => {
    const setting = await models([{ json: spec, tokens: [900, 90] }], []);
    const memory = {
      notes: [
        { ref: "decision:lists", text: "Decided: every list is sorted, beta included." },
        { ref: "run:colours", text: "Asked: paint the shed" },
      ],
    };
    await specifyWith(realProject([]), setting, { memory });
    expect(setting.told()).toContain("decision:lists: Decided: every list is sorted");
    expect(setting.told()).not.toContain("paint the shed");
  });

  it("is asked for as the flow from words does, with the documents of the routing decision", async () => {
    const invented = { ...spec, context_refs: ["docs/secret.md"] };
    const setting = await models([{ json: spec }, { json: invented }, { status: 401 }], [{ status: 404 }]);
    const specify = specifierFor(optionsFor(realProject([]), setting));
    expect(specifierFor(optionsFor(realProject([]), { settings: { product: undefined } }))).toBeNull();
    const read = async (refs: readonly string[]) => refs.map((ref) => ({ ref, text: "Lists are sorted." }));
    const grounds = { facts: null, memory: null, checks: [], read };
    const routed = specify === null ? null : specifierForRoute(specify, grounds);
    const request = { request_id: "r1", timestamp: "", user_request: input.request };
    const ask = () =>
      routed?.(
        { request, answers: [], routing: { injected_context: ["docs/principles.md"] } as RoutedDecision },
        forever,
      );
    expect(await ask()).toMatchObject({ status: "specified", spec: { id: "IS-list" } });
    expect(await ask()).toMatchObject({
      status: "failed",
      problems: [{ code: "SPEC_REFUSED", path: "context_refs[0]" }],
    });
    expect(await ask()).toMatchObject({ status: "failed", problems: [{ code: "SPEC_FAILED" }] });
  });

  it("is judged like every other", async () => {
    const invented = { ...spec, context_refs: ["docs/secret.md"] };
    const setting = await models([{ json: invented, tokens: [900, 90] }], []);
    expect(await specifyWith(realProject([]), setting)).toMatchObject({ status: "failed", failure: "semantic" });
    expect(setting.asked()).toEqual([1, 0]);
  });
});

// ----------------------------------------------------------------------------------------------------------- plans

const registry = registryWith();
const [workflow] = registry.workflows;
const [command] = registry.commands.filter(({ phase }) => workflow?.phases.some((each) => each.phase === phase));
const proposal = {
  workflow_id: workflow?.id,
  reason: "It is the one there is.",
  tasks: [
    {
      id: "add-beta",
      title: "Add beta",
      description: "One line.",
      type: "feature",
      command_id: command?.id,
      dependencies: [],
      priority: "P1",
      estimated_iterations: 1,
      files: ["src/list.txt"],
      tests: [],
    },
  ],
  risks: [],
  recommendations: [],
};

const planning: PlannerInput = {
  message: {
    message_id: "660f9511-f30c-42e5-b827-557766551111",
    from: "coordinator",
    to: "planner",
    type: "planning_request",
    timestamp: "2026-01-01T00:00:00Z",
    payload: {
      request_id: "req_of_words",
      objective: "The list holds beta",
      requirements: [{ requirement: "A line beta", priority: "must_have", acceptance_criteria: [] }],
      constraints: { max_tokens: 100_000, max_time_seconds: 600, technologies: [], project_type: "docs" },
      context: {},
    },
  },
  text: "Please add beta to the list.",
  intake: { approach: "enhancement" } as IntakeDecision,
  spec: null,
  registry,
  facts: null,
  memory: null,
  withheld: [],
};

const template: Planner = {
  name: "template",
  plan: async () => ({ status: "success", proposal: proposal as never, usage: null }),
};

function plannerOf(project: RealProject, setting: Setting): Planner {
  return plannerFor(optionsFor(project, setting), template);
}

describe("a proposal by an agent", () => {
  const settings = { planner: "scripted" };

  it("is taken when it names what there is, from an agent that may read the repository", async () => {
    const project = realProject([
      steps(PLAN, { read: "src/list.txt" }, { usage: { in: 100, out: 10 } }, { answer: proposal }),
    ]);
    const planned = await plannerOf(project, { settings }).plan(planning, forever);
    expect(planned).toMatchObject({ status: "success", proposal: { tasks: [{ id: "add-beta" }] } });
    expect(planned.usage?.amounts.tokens).toBeGreaterThan(0);
  });

  it("comes from an agent that sees no document which builders are not given, whatever its name [S0-036]", async () => {
    const project = realProject([]);
    const docs = ["docs/plan{1,2}.md", "docs/plan1.md", "docs/what?.md", "docs/what1.md", "docs/style.md"];
    mkdirSync(join(project.root, "docs"), { recursive: true });
    for (const path of docs) writeFileSync(join(project.root, path), "A page.\n");
    project.git("add", "docs");
    project.git("commit", "-qm", "Pages");
    const look = 'printf \'{"questions":["I see %s"]}\' "$(find docs -type f | sort | tr "\\n" " ")"';
    const agents = { shell: { protocol: "command", command: ["/bin/sh", "-c", look] } };
    const planned = await plannerOf(project, { settings: { planner: "shell", agents } }).plan(
      { ...planning, withheld: ["docs/plan{1,2}.md", "./docs/what?.md", "docs/style.md"] },
      forever,
    );
    expect(planned).toMatchObject({ status: "questions" });
    const seen = planned.status === "questions" ? planned.questions.join() : "";
    expect(docs.filter((path) => seen.includes(`${path} `))).toEqual(["docs/plan1.md", "docs/what1.md"]);
  });

  it("counts also when the agent was refused something on its way; one that gives none is told to have asked for more", async () => {
    const wants = { run: "git log --output=notes.txt" };
    const project = realProject([
      steps("please add one", wants, { answer: proposal }),
      steps("please add two", wants, { say: "I cannot." }),
    ]);
    const planner = plannerOf(project, { settings });
    const answered = await planner.plan({ ...planning, text: "please add one" }, forever);
    expect(answered).toMatchObject({ status: "success", proposal: { tasks: [{ id: "add-beta" }] } });
    expect(await planner.plan({ ...planning, text: "please add two" }, forever)).toMatchObject({
      status: "failed",
      problems: [{ message: "no proposal came about: it asked for what it may not have: notes.txt" }],
    });
  });

  it("is refused when it names an unknown command or a file outside, and is neither asked for again nor replaced", async () => {
    const [task] = proposal.tasks;
    const bad = { ...proposal, tasks: [{ ...task, command_id: "launch_rocket", files: ["../../etc/passwd"] }] };
    const project = realProject([steps(PLAN, { answer: bad })]);
    const planned = await plannerOf(project, {
      settings: { planner: "scripted", proposing: { otherwise: "template" } },
    }).plan(planning, forever);
    expect(planned.status).toBe("failed");
    if (planned.status === "failed")
      expect(planned.problems.map(({ code, path }) => `${code} ${path}`)).toEqual([
        "REGISTRY_MISSING tasks[0].command_id",
        "PROPOSAL_REFUSED tasks[0].files[0]",
      ]);
    expect(readdirSync(join(project.root, ".coordinator", "attempts", "run_of_words"))).toHaveLength(1);
  });
});

describe("a proposal by a model", () => {
  const planner = (more: object = {}) => ({ planner: "model:claude", proposing: more });

  it("is taken, may be questions, and fails within its budget when the model returns prose", async () => {
    const project = realProject([]);
    const good = await models([{ json: proposal, tokens: [900, 90] }], []);
    const taken = await plannerOf(project, { settings: { ...good.settings, ...planner() } }).plan(planning, forever);
    expect(taken).toMatchObject({ status: "success", usage: { amounts: { tokens: 990 } } });
    const asking = await models([{ json: { questions: ["Which of the lists is meant?"] } }], []);
    expect(
      await plannerOf(project, { settings: { ...asking.settings, ...planner() } }).plan(planning, forever),
    ).toMatchObject({ status: "questions", questions: ["Which of the lists is meant?"] });
    const prose = await models([{ text: "First I would add beta." }], [{ text: "Me too." }]);
    const planned = await plannerOf(project, { settings: { ...prose.settings, ...planner() } }).plan(planning, forever);
    expect(planned).toMatchObject({ status: "failed", problems: [{ code: "PROPOSAL_FAILED" }] });
    expect(prose.asked()).toEqual([2, 2]);
  });

  it("is left to the template only where the configuration says so, and then the plan says so", async () => {
    const project = realProject([]);
    const { settings } = await models([{ status: 401 }], [{ status: 404 }]);
    const with_ = (more: object) => plannerOf(project, { settings: { ...settings, ...planner(more) } });
    expect((await with_({}).plan(planning, forever)).status).toBe("failed");
    const planned = await with_({ otherwise: "template" }).plan(planning, forever);
    expect(planned.status).toBe("success");
    if (planned.status === "success")
      expect(planned.proposal.recommendations[0]).toContain("Planned by template, because no proposal came about");
  });
});
