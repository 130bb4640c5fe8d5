import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { type Asked, asked } from "./asked.js";
import { atTerminal, CTRL_C, CTRL_D } from "./terminal.js";

/* What has to be known before there is a plan is asked where somebody is there to answer. */

beforeAll(ensureBuilt, 300_000);

const FILES = {
  "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
  "src/reports.mjs": "export const reports = [];\n",
  "test/reports.test.mjs": 'import { test } from "node:test";\ntest("nothing", () => {});\n',
  ".gitignore": ".coordinator/\n",
};
const SETTINGS = { settings: { default_agent: "scripted" } };
const open = (desk: Asked) => (desk.json("inbox")["entries"] as { id: string }[]).map(({ id }) => id);

describe.skipIf(process.platform !== "linux")("questions at a terminal", () => {
  it("of intake are answered in turn, and it goes on with the answers to a plan that is asked about [S1-049, S1-053]", async () => {
    const desk = asked(FILES, [], SETTINGS);
    const at = atTerminal(desk, ["run", "make it better"]);
    await at.type("CSV export on the reports page\r", "1 of 4 object");
    await at.type("\r", "2 of 4 behaviour");
    await at.type("\r", "3 of 4 place");
    await at.type("a file with a line\nfor each report\r", "4 of 4 acceptance");
    await at.type("n\r", "Carry out this plan?");
    expect(await at.ended).toBe(3);
    const [record = "", ...runs] = await desk.runs();
    expect([record.slice(0, 4), runs]).toEqual(["req_", []]);
    const events = (await desk.log()).map(({ event }) => event);
    expect(events.filter(({ type }) => type === "question_answered")).toEqual([
      {
        type: "question_answered",
        question_id: "object",
        answer: "CSV export on the reports page",
        decider: { by: "ada", how: "person", via: "terminal" },
      },
      expect.objectContaining({ question_id: "acceptance", answer: "a file with a line\nfor each report" }),
    ]);
  });

  it("of an agent are asked when nothing else is left to do, and the run goes on with the answer", async () => {
    const title = "Document the colours in docs/colours.md";
    const script = [
      {
        title,
        attempt: 1,
        steps: [{ usage: { in: 100, out: 20, cost_usd: 0.001 } }, { ask: "British or American spelling?" }],
      },
      { title, writes: { "docs/colours.md": "# Colours\n" } },
    ];
    const desk = asked(FILES, script, SETTINGS);
    const at = atTerminal(desk, ["run", title]);
    await at.type("y\r", "Carry out this plan?");
    await at.type("British\r", "1 of 1");
    expect(await at.ended).toBe(0);
    const events = (await desk.log()).map(({ event }) => event);
    expect(events.filter(({ type }) => type === "question_answered")).toEqual([
      expect.objectContaining({ answer: "British", decider: { by: "ada", how: "person", via: "terminal" } }),
    ]);
    expect(events.at(-1)).toMatchObject({ type: "run_finished", status: "completed" });
  });

  it("of product make up the Intent Spec, and one key overrules the route instead, with who did [S0-022, S0-028, S0-029]", async () => {
    const wish = "Add CSV export to the reports page";
    const desk = asked(FILES, [], SETTINGS);
    const specified = atTerminal(desk, ["run", wish]);
    await specified.type("Each report is one line of a file\r", "1 of 3 acceptance");
    await specified.type("1\r", "2 of 3 proof");
    await specified.type("Other formats\r", "3 of 3 out_of_scope");
    await specified.type("n\r", "Carry out this plan?");
    expect(await specified.ended).toBe(3);
    expect(specified.read().replaceAll(/\s+/g, " ")).toContain("Specified from your answers: 1 requirement");
    const overruled = atTerminal(desk, ["run", wish]);
    await overruled.type("t\r", "1 of 3 acceptance");
    await overruled.type("y\r", "Carry out this plan?");
    await overruled.type(CTRL_D, "1 of 1");
    await overruled.ended;
    const events = (await desk.log()).map(({ event }) => event);
    const decider = { by: "ada", how: "person", via: "terminal" };
    expect(events.find(({ type }) => type === "route_decided")).toMatchObject({
      routed_to: "dev",
      rule_id: "operator_says_technical",
      decider,
    });
    expect(events.find(({ type }) => type === "question_answered")).toMatchObject({ answer: "t", decider });
  });

  it("are left for later by Ctrl-C, and nothing that was typed is lost", async () => {
    const desk = asked(FILES, [], SETTINGS);
    const first = atTerminal(desk, ["run", "make it better"], 40);
    await first.type("CSV export on the reports page\r", "1 of 4");
    await first.type(CTRL_C, "2 of 4");
    expect(await first.ended).toBe(130);
    expect(open(desk)).toEqual(["behaviour", "place", "acceptance"]);
    const [record = ""] = await desk.runs();
    expect(first.read().replaceAll(/\s/g, "")).toContain(`coordinatorrun--resume${record}`);
    const resumed = desk.call("run", "--resume", record);
    expect([resumed.code, resumed.stdout + resumed.stderr]).toEqual([3, expect.stringContaining("acceptance")]);
    expect(open(desk), "intake takes what was typed, and product asks more").toEqual([
      "behaviour",
      "place",
      "acceptance",
      "proof",
      "out_of_scope",
    ]);
  });

  it("of a plan's own rules are chosen by number, asked again when they cannot be taken, and stand in the run's log", async () => {
    const policy = "schema_version: 1.0.0\npolicy_id: policy_careful\nmost_autonomy: interactive\nquestion_budget: 5\n";
    const desk = asked({ ...FILES, "governance/execution-policy.yaml": policy }, [], SETTINGS);
    const question = "q_param_write_migration_strategy";
    expect(desk.call("run", "Migrate the users table to the new schema", "--type", "technical").code).toBe(3);
    expect(desk.call("inbox").stdout).toContain("    - online\n    - offline\n");
    const at = atTerminal(desk, ["run", "--last"]);
    await at.type("somehow\r", "2) offline");
    await at.type("7\r", "must be one of online, offline");
    await at.type("2\r", "There are 2 to choose from");
    await at.type(CTRL_D, "Carry out this plan?");
    expect(await at.ended).toBe(3);
    const [, folder = ""] = /coordinator run --plan (\S+) carries it out/.exec(at.read()) ?? [];
    // Whoever carries it out later has the same log.
    expect(desk.call("run", "--plan", folder, "--json").stdout).toContain('"run_id"');
    const log = await desk.log();
    const answers = log.flatMap(({ event }) => (event.type === "question_answered" ? [event] : []));
    const decider = { by: "ada", how: "person", via: "terminal" };
    expect(answers).toMatchObject([
      { question_id: question, answer: "somehow", decider, answered_at: expect.stringMatching(/^20/) as unknown },
      { question_id: question, answer: "offline", decider, answered_at: expect.stringMatching(/^20/) as unknown },
    ]);
    const id = log[0]?.run_id ?? "";
    expect(desk.call("replay", id, "--events").stdout).toContain(`${question} answered by ada, when asked at 20`);
    expect(desk.call("verify", id).code).toBe(0);
  });

  it("are asked by plan too, which writes the plan somebody answered for, and puts what they left into the inbox", async () => {
    const desk = asked(FILES, [], SETTINGS);
    const whole = atTerminal(desk, ["plan", "make it better"]);
    await whole.type("CSV export on the reports page\r", "1 of 4");
    await whole.type("\r", "2 of 4");
    await whole.type("\r", "3 of 4");
    await whole.type("\r", "4 of 4");
    // One key says that it needs no specification.
    await whole.type("t\r", "1 of 3 acceptance");
    expect(await whole.ended).toBe(0);
    expect(whole.read()).toMatch(/Written: \.coordinator\/plans\//);
    expect(await desk.runs()).toEqual([]);
    const half = atTerminal(desk, ["plan", "change something"]);
    await half.type("the report\r", "1 of 4");
    await half.type(CTRL_C, "2 of 4");
    expect(await half.ended).toBe(130);
    expect(open(desk)).not.toContain("object");
  });
});
