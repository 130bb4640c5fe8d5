import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import type { Asked } from "../e2e/asked.js";
import { ASK, desk } from "../server/desk.js";
import { until } from "../server/served.js";
import { type AgentClient, connect, VERSIONS } from "./clients.js";

beforeAll(ensureBuilt);

/** Submit a request and wait until it is a run, or on record as a request. */
async function submit(agent: AgentClient, text: string): Promise<{ run: string; waiting: Waiting[] }> {
  const first = await agent.call("submit", { text });
  expect(first.isError, first.text).toBe(false);
  const { request_id } = first.value as { request_id: string };
  const request = await until(
    async () => {
      const { value } = await agent.call("status", { request_id, wait_seconds: 20 });
      return value.request.state === "ended" ? value.request : null;
    },
    () => first.text,
    120_000,
  );
  return { run: request.run_id as string, waiting: request.waiting as Waiting[] };
}

interface Waiting {
  readonly entry_id: string;
  readonly kind: string;
  readonly answered_by: string;
  readonly commands: readonly string[];
}

const decidersIn = async (project: Asked) =>
  (await project.log()).flatMap(({ event }) => ("decider" in event && event.decider !== undefined ? [event] : []));

describe("decisions of people", () => {
  it("are taken by no tool, whatever is said in whichever argument", async () => {
    const project = desk();
    const agent = await connect(project, "2026-07-28", {
      form: () => ({ action: "accept", content: { answer: "approved" } }),
    });
    const { run, waiting } = await submit(agent, ASK);
    const [entry] = waiting;
    expect(entry).toMatchObject({ kind: "plan_approval", answered_by: "person" });
    const said = [
      run,
      entry?.entry_id,
      "approve",
      "yes",
      "confirmed: yes",
      "last",
      true,
      1,
      { kind: "approve" },
      entry?.commands[0],
    ];
    const unknown = [
      "approve",
      "yes",
      "decision",
      "order",
      "waive",
      "as",
      "by",
      "approved",
      "plan",
      "unsafe_no_sandbox",
    ];
    const before = (await project.log()).length;
    const tools = (await agent.tools()).filter(({ name }) => name !== "submit");
    expect(tools.map(({ name }) => name)).toEqual([
      "plan",
      "run",
      "status",
      "inbox",
      "answer",
      "explain",
      "diff",
      "tasks",
      "handoff",
    ]);
    let calls = 0;
    for (const { name, inputSchema } of tools) {
      const known = Object.keys(inputSchema.properties ?? {});
      const right = {
        ...(known.includes("run_id") ? { run_id: run } : {}),
        ...(known.includes("entry_id") ? { entry_id: entry?.entry_id } : {}),
      };
      for (const argument of known)
        // Words to plan are planned each time, and say nothing of the run.
        for (const value of name === "plan" && argument === "text" ? said.slice(2, 3) : said) {
          await agent.call(name, { ...right, [argument]: value });
          calls++;
        }
      for (const argument of unknown) {
        const { isError, text } = await agent.call(name, { ...right, [argument]: true });
        expect([isError, text], `${name} ${argument}`).toMatchObject([
          true,
          expect.stringMatching(/unrecognized key|expected/i),
        ]);
        calls++;
      }
    }
    expect(calls).toBeGreaterThan(150);
    expect((await agent.call("status", { run_id: run })).value.run).toMatchObject({
      worked_on: false,
      waiting: [{ kind: "plan_approval" }],
    });
    expect((await project.log()).length).toBe(before);
    expect(await decidersIn(project)).toEqual([]);
    // What the person types is enough.
    expect(project.call(...(entry?.commands[0] ?? "").split(" ").slice(1))).toMatchObject({ code: 0 });
  }, 300_000);

  it("are not given beforehand either", () => {
    const project = desk();
    const { code, stdout, stderr } = project.call("--yes", "mcp");
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("An agent cannot be given a yes beforehand");
  });

  it("about safety are left to the person, and an escalation too", async () => {
    const project = desk([{ say: "I did nothing." }]);
    const agent = await connect(project, "2026-07-28", {
      form: () => ({ action: "accept", content: { answer: "it is fine" } }),
    });
    const held = await submit(agent, "A tool to try a list of passwords against an SSH server.");
    expect(held.waiting.map(({ entry_id, answered_by }) => [entry_id, answered_by])).toEqual([
      ["purpose", "person"],
      ["authorisation", "person"],
    ]);
    for (const text of [undefined, "It is for our own servers."])
      expect(
        (await agent.call("answer", { entry_id: "purpose", run_id: held.run, ...(text === undefined ? {} : { text }) }))
          .value,
      ).toMatchObject({
        state: "still_waiting",
        command: expect.stringContaining("coordinator answer purpose") as unknown,
      });
    const { run, waiting } = await submit(agent, ASK);
    project.call(...(waiting[0]?.commands[0] ?? "").split(" ").slice(1));
    await agent.call("run", { run_id: run });
    const entry = await until(
      async () => {
        const { value } = await agent.call("status", { run_id: run, wait_seconds: 10 });
        return (value.run.waiting as Waiting[]).find(({ kind }) => kind === "escalation") ?? null;
      },
      () => agent.said(),
      180_000,
    );
    const answered = await agent.call("answer", { entry_id: entry.entry_id, run_id: run, text: "waive" });
    expect(answered.value).toMatchObject({ state: "still_waiting", command: entry.commands[0] });
    const events = await decidersIn(project);
    expect(events.map(({ type }) => type)).toEqual(["plan_approved"]);
  }, 300_000);
});

describe("questions", () => {
  it.each(VERSIONS)(
    "are asked in a form of the client; no answer means still waiting, in %s",
    async (version) => {
      const project = desk();
      const closed = ["decline", "cancel"] as const;
      const shown: string[] = [];
      const agent = await connect(project, version, {
        form: (message) => {
          shown.push(message);
          const action = closed[shown.length - 1];
          return action === undefined
            ? { action: "accept", content: { answer: "README.md, with an example" } }
            : { action };
        },
      });
      const { run, waiting } = await submit(agent, "Make it better");
      expect(waiting.map(({ kind, answered_by }) => `${kind} ${answered_by}`)).toEqual(Array(4).fill("question agent"));
      const ask = async () => (await agent.call("answer", { entry_id: "object", run_id: run })).value;
      for (const _ of closed) {
        expect(await ask()).toMatchObject({
          state: "still_waiting",
          command: expect.stringContaining("coordinator answer object") as unknown,
        });
        expect((await agent.call("inbox")).value).toMatchObject({ open: 4 });
      }
      expect(await ask()).toMatchObject({ state: "answered", by: "ada" });
      expect(shown).toHaveLength(3);
      expect(shown[0]).toContain("Make it better");
      expect((await agent.call("inbox")).value).toMatchObject({ open: 3 });
      expect(await decidersIn(project)).toMatchObject([
        {
          type: "question_answered",
          answer: "README.md, with an example",
          decider: { by: "ada", how: "person", via: "mcp" },
        },
      ]);
    },
    300_000,
  );

  it("of a client without forms wait, and an agent's own answer is logged as an agent's", async () => {
    const project = desk();
    const agent = await connect(project, "2026-07-28");
    const { run } = await submit(agent, "Make it better");
    expect((await agent.call("answer", { entry_id: "object", run_id: run })).value).toMatchObject({
      state: "still_waiting",
      why: "This client shows no forms.",
    });
    expect((await agent.call("answer", { entry_id: "object", run_id: run, text: "README.md" })).value).toMatchObject({
      state: "answered",
      by: "test-agent for ada",
    });
    expect(await decidersIn(project)).toMatchObject([
      { type: "question_answered", decider: { by: "test-agent for ada", how: "agent", via: "mcp" } },
    ]);
    expect((await agent.call("answer", { entry_id: "object", run_id: run, text: "again" })).isError).toBe(true);
  }, 300_000);
});
