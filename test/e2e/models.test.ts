import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { EventOf, RunEvent } from "../../src/model/event.js";
import { ensureBuilt } from "../build.js";
import { addOwnSettings } from "../own-settings.js";
import { type Asked, asked, inputsOf, type Said } from "./asked.js";

/* The model that a plan chooses is the one that works, with the agent that the plan names; or nobody works. */

beforeAll(ensureBuilt);

const FILES = {
  "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
  "src/reports.mjs": "export const reports = [];\n",
  "test/reports.test.mjs":
    'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { reports } from "../src/reports.mjs";\ntest("a list", () => assert.ok(Array.isArray(reports)));\n',
  ".gitignore": ".coordinator/\n",
};
const ASK = "Fix src/reports.mjs: the list of reports must hold the yearly report";

const FIXED = {
  "src/reports.mjs": 'export const reports = ["yearly"];\n',
  "test/yearly.test.mjs":
    'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { reports } from "../src/reports.mjs";\ntest("yearly", () => assert.ok(reports.includes("yearly")));\n',
};

type Steps = NonNullable<Said["steps"]>;

const writes = (files: Readonly<Record<string, string>> = FIXED): Steps => [
  ...Object.entries(files).map(([write, text]) => ({ write, text })),
  { tell_model: true as const },
];
const LIMITED: Steps = [{ fail: { code: -32_603, message: "429 rate limit reached" } }];

/** A desk whose agents follow one script; each differs in what it offers and in what its settings say. */
function desk(
  agents: Readonly<Record<string, { offers?: string; settings?: object }>>,
  script: readonly Said[],
  settings: object = {},
): Asked {
  const made = asked(FILES, script, { settings: { default_agent: Object.keys(agents)[0], ...settings } });
  addOwnSettings(made.env["HOME"] ?? "", {
    agents: Object.fromEntries(
      Object.entries(agents).map(([name, { offers, settings: more }]) => [
        name,
        {
          preset: "scripted",
          command: [...made.agent, ...(offers === undefined ? [] : ["--models", offers])],
          ...more,
        },
      ]),
    ),
  });
  return made;
}

async function events<T extends RunEvent["type"]>(made: Asked, type: T): Promise<EventOf<T>[]> {
  const log = await made.log();
  return log.flatMap(({ event }) => (event.type === type ? [event as EventOf<T>] : []));
}

/** Both are in the registry, and the small one is cheaper. */
const SMALL = "gpt-5-mini";
const LARGE = "gpt-5";

describe("the model of a plan", () => {
  it("is chosen out of what is configured, set over the protocol, read back and used [S1-148, S1-020]", async () => {
    const made = desk({ helper: { offers: `${LARGE},${SMALL}`, settings: { models: [LARGE, SMALL] } } }, [
      { title: ASK, steps: writes() },
    ]);
    const ran = made.call("run", ASK, "--yes");
    expect([ran.code, ran.stderr], ran.stdout).toEqual([0, ""]);
    const [frozen] = await events(made, "plan_frozen");
    expect(frozen?.plan.tasks[0]).toMatchObject({
      agent: "helper",
      model: SMALL,
      fallbacks: [{ agent: "helper", model: LARGE }],
    });
    expect(await events(made, "attempt_started")).toMatchObject([{ agent: "helper", model: SMALL }]);
    const [ended] = await events(made, "attempt_finished");
    expect(ended?.said).toContain(`My model is ${SMALL}.`);
    // What it may cost is the price of the model that was chosen, and of no other.
    const cost = frozen?.plan.tasks[0]?.planned?.cost_usd ?? 0;
    const tokens = frozen?.plan.tasks[0]?.planned?.tokens ?? 0;
    expect(cost).toBeGreaterThan(0);
    expect(cost).toBeLessThan((tokens * 1.25) / 1_000_000);
  });

  it("that a request names is used whoever is the default, or the request is refused with what there is [S1-020]", async () => {
    const made = desk(
      {
        helper: { offers: SMALL, settings: { models: [SMALL] } },
        ollama: { offers: "qwen3", settings: { models: ["qwen3"] } },
      },
      [{ title: ASK, steps: writes() }],
    );
    const refused = made.call("run", ASK, "--yes", "--model", "claude");
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(
      `Nothing configured here can serve the model claude; configured: helper with ${SMALL}`,
    );
    expect(refused.stderr).toContain("ollama with qwen3 [MODEL_NOT_CONFIGURED]");
    expect(await made.runs()).toEqual([]);
    const ran = made.call("run", ASK, "--yes", "--model", "ollama");
    expect([ran.code, ran.stderr], ran.stdout).toEqual([0, ""]);
    expect(await events(made, "attempt_started")).toMatchObject([{ agent: "ollama", model: "qwen3" }]);
    expect((await events(made, "attempt_finished"))[0]?.said).toContain("My model is qwen3.");
    // An intent that somebody wrote down names agent and model as a request in words does.
    expect(made.call("plan", ASK, "--out", "words").code).toBe(0);
    const unknown = made.call("plan", "--intent", ...inputsOf("words"), "--model", "claude");
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("MODEL_NOT_CONFIGURED")]);
    const planned = made.call("plan", "--intent", ...inputsOf("words"), "--model", "ollama", "--out", "intent");
    expect(planned.code, planned.stderr).toBe(0);
    expect(made.call("run", "--plan", "intent", "--yes").code).toBe(0);
    expect(await events(made, "attempt_started")).toMatchObject([{ agent: "ollama", model: "qwen3" }]);
  });

  it("that an agent does not have stops the attempt before anything is asked of it, with what to do", async () => {
    const made = desk({ helper: { offers: LARGE, settings: { models: [SMALL] } } }, [{ title: ASK, steps: writes() }]);
    const ran = made.call("run", ASK, "--yes");
    expect(ran.code).toBe(3);
    const ended = await events(made, "attempt_finished");
    expect(ended.map(({ outcome }) => outcome)).toMatchObject([
      {
        kind: "structural",
        error: "model_unavailable",
        message: expect.stringContaining(`it does not offer the model ${SMALL}, only ${LARGE}`) as string,
      },
    ]);
    expect(ended[0]).not.toHaveProperty("said");
    expect(ran.stdout).toContain(`helper cannot use the model ${SMALL}`);
  });

  it("that is limited or missing gives way to the fallback that was planned, and the log says so [S4-058]", async () => {
    const made = desk(
      {
        helper: { offers: SMALL, settings: { models: [SMALL, LARGE] } },
        other: { offers: LARGE, settings: { model: LARGE } },
      },
      [
        { title: ASK, attempt: 1, steps: LIMITED },
        { title: ASK, steps: writes() },
      ],
      { fallback_agents: ["other"] },
    );
    const ran = made.call("run", ASK, "--yes");
    expect([ran.code, ran.stderr], ran.stdout).toEqual([0, ""]);
    // The small one is limited, the large one is not offered by that agent, the other agent has it.
    expect(await events(made, "fallback_taken")).toMatchObject([
      {
        attempt: 1,
        from: { agent: "helper", model: SMALL },
        to: { agent: "helper", model: LARGE },
        reason: expect.stringContaining("rate_limit") as string,
      },
      {
        attempt: 2,
        from: { agent: "helper", model: LARGE },
        to: { agent: "other", model: LARGE },
        reason: expect.stringContaining("model_unavailable") as string,
      },
    ]);
    const at = (await made.log()).find(({ event }) => event.type === "fallback_taken")?.sequence ?? 0;
    const told = made.call("explain", String(at), "--run", "last").stdout.replaceAll(/\s+/g, " ");
    expect(told).toContain("passed by at once with the next fallback of the plan");
    const task = (await events(made, "fallback_taken"))[0]?.task_id ?? "";
    expect(made.call("explain", `model:${task}`, "--run", "last").stdout).toMatch(
      /Decision model_decision_\w+ of plan/,
    );
    const started = await events(made, "attempt_started");
    expect(started.map(({ agent, model }) => `${agent} ${model ?? ""}`)).toEqual([
      `helper ${SMALL}`,
      `helper ${LARGE}`,
      `other ${LARGE}`,
    ]);
  });

  it("that an agent leaves by itself ends the attempt, and the planned fallback takes over [S1-148, S4-058]", async () => {
    const made = desk({ helper: { offers: `${SMALL},${LARGE}`, settings: { models: [SMALL, LARGE] } } }, [
      { title: ASK, attempt: 1, steps: [{ model: LARGE }, { sleep: 20_000 }, ...writes()] },
      { title: ASK, steps: writes() },
    ]);
    const ran = made.call("run", ASK, "--yes");
    expect([ran.code, ran.stderr], ran.stdout).toEqual([0, ""]);
    const [left] = await events(made, "attempt_finished");
    expect(left?.outcome).toMatchObject({
      kind: "structural",
      error: "model_unavailable",
      message: expect.stringContaining(
        `had to work with the model ${SMALL} and changed to ${LARGE} by itself`,
      ) as string,
    });
    expect(await events(made, "fallback_taken")).toMatchObject([{ to: { agent: "helper", model: LARGE } }]);
    expect((await events(made, "attempt_finished"))[1]?.said).toContain(`My model is ${LARGE}.`);
  });

  it("is the agent's own where none is configured, and is said to be [S0-005]", async () => {
    const made = desk({ helper: {} }, [{ title: ASK, steps: writes() }]);
    const planned = made.call("plan", ASK, "--out", "plan");
    expect(planned.code, planned.stdout).toBe(0);
    // The same words asked twice are two executions: each is routed and kept under an id of its own.
    expect(made.call("plan", ASK, "--out", "again").code).toBe(0);
    const requests = join(made.cwd, ".coordinator/requests");
    const ids = readdirSync(requests).map((file) => {
      const opening = JSON.parse(readFileSync(join(requests, file), "utf8")) as { request_id: string };
      return opening.request_id;
    });
    expect([ids.length, new Set(ids).size]).toEqual([2, 2]);
    const ran = made.call("run", "--plan", "plan", "--yes");
    expect([ran.code, ran.stderr], ran.stdout).toEqual([0, ""]);
    const [started] = await events(made, "attempt_started");
    expect(started).toMatchObject({ agent: "helper" });
    expect(started).not.toHaveProperty("model");
    expect((await events(made, "attempt_finished"))[0]?.said).toContain("My model is my own.");
  });
});

const CLOUD = { helper: {} };

describe("sensitive data", () => {
  it("holds a task until the person's own settings accept its agent, and says how [S4-055]", async () => {
    const made = desk(CLOUD, [{ title: ASK, steps: writes() }]);
    const held = made.call("run", ASK, "--yes", "--sensitivity", "confidential");
    expect(held.code, held.stdout).toBe(3);
    expect(held.stdout).toContain("confidential data (the plan says so) is not shown to helper");
    expect(held.stdout).toContain("data_agents: {confidential: [helper]}");
    const [ended] = await events(made, "attempt_finished");
    expect(ended).toMatchObject({ outcome: { kind: "clarification" }, usage: { amounts: { tokens: 0, cost_usd: 0 } } });
    expect(ended).not.toHaveProperty("said");

    addOwnSettings(made.env["HOME"] ?? "", { data_agents: { confidential: ["helper"] } });
    const [, answer = ""] = /coordinator answer (\S+)/.exec(held.stdout) ?? [];
    expect(made.call("answer", answer, "accepted").code).toBe(0);
    const ran = made.call("run", "--last");
    expect([ran.code, ran.stderr], ran.stdout).toEqual([0, ""]);
  });

  it("goes to the agent that is marked for it, and never to one the project put under its name [S4-055]", async () => {
    const made = desk({ helper: {}, near: {} }, [{ title: ASK, steps: writes() }]);
    addOwnSettings(made.env["HOME"] ?? "", { data_agents: { local: ["near"] } });
    const ran = made.call("run", ASK, "--yes", "--sensitivity", "restricted");
    expect([ran.code, ran.stderr], ran.stdout).toEqual([0, ""]);
    expect(await events(made, "attempt_started")).toMatchObject([{ agent: "near" }]);
  });

  it("in files goes to nobody who is not accepted for it: they are not in the workspace [S4-055]", async () => {
    const made = desk(
      CLOUD,
      [
        {
          title: ASK,
          steps: [{ run: "ls data src" }, ...writes(), { say: "DONE" }],
        },
      ],
      { data_paths: { confidential: ["data/**"] }, scope: { commands: ["ls *"] } },
    );
    made.git("config", "user.name", "ada");
    addFile(made, "data/customers.csv", "name\nAda\n");
    const ran = made.call("run", ASK, "--yes");
    expect([ran.code, ran.stderr], ran.stdout).toEqual([0, ""]);
    const [run = ""] = await made.runs();
    expect(Object.values(made.orders(run))[0]?.hidden).toContain("data/**");
    const uses = await events(made, "tool_judged");
    expect(JSON.stringify(uses)).not.toContain("customers.csv");
    expect(made.git("show", `refs/coord/${run}/head:data/customers.csv`)).toContain("Ada");
    const named = made.call(
      "run",
      "Fix data/customers.csv: add the missing column email",
      "--type",
      "technical",
      "--yes",
    );
    expect(named.stdout, named.stderr).toContain("it works on data/customers.csv (data_paths)");
  });
});

describe("sensitive data that is known only when a run goes on", () => {
  const SECRET = "SECRET-OF-CUSTOMERS";
  const MARKED = { data_paths: { confidential: ["src/private/**", "data/**"] } };

  it("in a document that routing gives later holds the next attempt [S4-055, S0-044]", async () => {
    const made = desk(CLOUD, [{ title: ASK, attempt: 1, steps: [{ ask: "Which reports?" }] }], MARKED);
    addFile(made, "docs/style.md", "Short names.\n");
    addFile(made, "data/reports.md", `${SECRET}\n`);
    addFile(made, "governance/context.yaml", "- ref: docs/style.md\n  kind: standard\n");
    const waits = made.call("run", ASK, "--type", "technical");
    const [, approval = ""] = /Next: coordinator approve (\S+)/.exec(waits.stdout) ?? [];
    expect(made.call("approve", approval).code).toBe(0);
    const registry = join(made.cwd, "governance/context.yaml");
    writeFileSync(registry, `${readFileSync(registry, "utf8")}- ref: data/reports.md\n  kind: standard\n`);
    const held = made.call("run", "--last");
    expect([held.code, held.stdout]).toEqual([3, expect.stringContaining("it is given data/reports.md (data_paths)")]);
    expect(await events(made, "route_reevaluated")).toMatchObject([{ outcome: "dispatched" }]);
    const [run = ""] = await made.runs();
    const orders = Object.values(made.orders(run));
    expect(JSON.stringify(orders)).not.toContain(SECRET);
  });

  it("in a file that a task wrote is shown to no reviewer who is not accepted for it [S4-055, S2-006]", async () => {
    // Whoever renames may write all source.
    const rename = "Rename the function list in src/reports.mjs to reports";
    const made = desk(
      { near: {}, cloud: {} },
      [
        {
          title: rename,
          steps: writes({ ...FIXED, "src/private/customers.mjs": `export const all = "${SECRET}";\n` }),
        },
      ],
      { ...MARKED, reviewer: "cloud", run: { coordinator_mode: "always" } },
    );
    addOwnSettings(made.env["HOME"] ?? "", { data_agents: { local: ["near"] } });
    const ran = made.call("run", rename, "--type", "technical", "--yes");
    expect([ran.code, ran.stderr], ran.stdout).toEqual([0, ""]);
    const [run = ""] = await made.runs();
    expect(made.git("show", `refs/coord/${run}/head:src/private/customers.mjs`)).toContain(SECRET);
    const [reviewed] = await events(made, "review_finished");
    expect(reviewed?.summary).toContain(
      "confidential data (it works on src/private/customers.mjs (data_paths)) is not shown to cloud",
    );
    expect(await events(made, "coordination_used")).toEqual([]);
    // The same work without that file is reviewed.
    const open = desk({ near: {}, cloud: {} }, [{ title: rename, steps: writes() }], {
      ...MARKED,
      reviewer: "cloud",
      run: { coordinator_mode: "always" },
    });
    addOwnSettings(open.env["HOME"] ?? "", { data_agents: { local: ["near"] } });
    open.call("run", rename, "--type", "technical", "--yes");
    expect((await events(open, "coordination_used")).length).toBeGreaterThan(0);
  });

  it("in the request is shown to no planner and no product agent who is not accepted, and they are named [S4-055]", async () => {
    const made = desk(CLOUD, [], { planner: "helper", product: "helper" });
    for (const [words, code] of [
      [ASK, "PROPOSAL_FAILED"],
      ["Make the checkout page faster for customers", "SPEC_FAILED"],
    ] as const) {
      const ran = made.call("run", words, "--yes", "--sensitivity", "confidential");
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(code)]);
      expect(ran.stderr).toContain("helper is not asked: your own settings do not accept it for confidential data");
    }
    expect(readdirSync(join(made.cwd, ".coordinator"))).not.toContain("attempts");
  });
});

function addFile(made: Asked, path: string, text: string): void {
  mkdirSync(join(made.cwd, path, ".."), { recursive: true });
  writeFileSync(join(made.cwd, path), text);
  made.git("add", ".");
  made.git("commit", "-qm", "Data");
}
