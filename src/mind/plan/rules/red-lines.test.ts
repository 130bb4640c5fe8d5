import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { baseIntent } from "../../../testing/plan-fixtures.js";
import { findBreaches, isPayloadKey } from "./red-lines.js";

const found = (document: unknown) => findBreaches(document).map(({ code, path }) => `${code} ${path}`);

describe("I1: no execution payload", () => {
  const spelled = ["execute", "run", "shell", "bash", "python", "powershell", "subprocess", "command_line", "script"];
  const cased = ["Execute", "RUN", "commandLine", "command-line", "CommandLine", "shell_command", "shellCommand"];
  const joined = ["run-script", "bashCode", "exec", "eval", "pre_exec_hook", "python3", "sh", "cmd", "spawn", "popen"];

  it.each([...spelled, ...cased, ...joined])("takes the key %s for a payload [S4-077]", (key) => {
    expect(isPayloadKey(key)).toBe(true);
  });

  it.each(["execution", "command_id", "planned_commands", "description", "runtime", "running", "shelf", "evaluation"])(
    "lets the key %s pass",
    (key) => {
      expect(isPayloadKey(key)).toBe(false);
    },
  );

  it("finds it at any depth, inside lists, and says where", () => {
    const document = {
      ...baseIntent(),
      scope: { deeper: [{ ok: 1 }, { and: { shell: "rm -rf /" } }] },
      metadata: { "command line": "x", nested: { runs: [] } },
    };
    expect(found(document)).toEqual([
      "RED_LINE_I1 scope.deeper[1].and.shell",
      'RED_LINE_I1 metadata["command line"]',
      "RED_LINE_I1 metadata.nested.runs",
    ]);
  });

  it("finds it in a document that is a list", () => {
    expect(found([{ run: 1 }])).toEqual(["RED_LINE_I1 [0].run"]);
  });

  it("takes the ids under registry_versions for ids, and looks at anything there that is not a version", () => {
    const pins = { commands: { run: "1.0.0", shell: "1.0.0" }, rules: { bash: "echo" }, shell: {} };
    expect(found({ ...baseIntent(), registry_versions: pins })).toEqual([
      "RED_LINE_I1 registry_versions.rules.bash",
      "RED_LINE_I1 registry_versions.shell",
    ]);
  });

  it("looks at keys and not at texts", () => {
    const intent = { ...baseIntent(), description: "run the shell script", title: "execute" };
    expect(found(intent)).toEqual([]);
  });
});

describe("I2 and I3: full_auto", () => {
  const interaction = (overrides: object, risk: object = {}) => ({
    ...baseIntent(),
    interaction: { mode: "full_auto", question_budget: 0, question_policy: "never", ...overrides },
    risk: { ...baseIntent().risk, ...risk },
  });

  it.each([
    [{ question_budget: 1 }, {}, ["RED_LINE_I2 interaction.question_budget"]],
    [{ question_budget: "0" }, {}, ["RED_LINE_I2 interaction.question_budget"]],
    [{ question_budget: undefined }, {}, ["RED_LINE_I2 interaction.question_budget"]],
    [{ question_policy: "blockers_only" }, {}, ["RED_LINE_I2 interaction.question_policy"]],
    [{}, { overall: "high" }, ["RED_LINE_I3 interaction.mode"]],
    [{}, { overall: "critical" }, ["RED_LINE_I3 interaction.mode"]],
    [{}, { overall: "medium" }, []],
    [{ mode: "semi_auto", question_budget: 9 }, { overall: "critical" }, []],
  ])("%j with risk %j gives %j", (overrides, risk, expected) => {
    expect(found(interaction(overrides, risk))).toEqual(expected);
  });
});

describe("I4: evidence on every command", () => {
  it.each([
    ["none", undefined, false],
    ["an empty list", [], false],
    ["only blanks", ["  ", ""], false],
    ["no strings", [1, null], false],
    ["one of several", ["", "scan://x"], true],
  ])("%s", (_, evidence_refs, enough) => {
    const [first, ...rest] = baseIntent().planned_commands;
    const intent = { ...baseIntent(), planned_commands: [{ ...first, evidence_refs }, ...rest] };
    expect(found(intent)).toEqual(enough ? [] : ["RED_LINE_I4 planned_commands[0].evidence_refs"]);
  });
});

it("findBreaches is total: any JSON value gives a list", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(findBreaches(value)).toBeInstanceOf(Array);
    }),
  );
});
