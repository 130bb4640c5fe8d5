import { describe, expect, it } from "vitest";
import { Proposal } from "../../model/proposal.js";
import { command, registryWith, workflow } from "../../testing/plan-fixtures.js";
import { judgeProposal } from "./judge-proposal.js";

const registry = registryWith((all) => {
  all.workflows = [
    workflow("delivery", ["implementation"]),
    { ...workflow("old", ["implementation"]), status: "deprecated" },
  ];
  all.commands = [
    command("edit_code"),
    command("ship_it", { phase: "release" }),
    command("gone", { status: "deprecated" }),
  ];
});

const task = (id: string, more: object = {}) => ({
  id,
  title: `Do ${id}`,
  description: "",
  type: "feature",
  command_id: "edit_code",
  dependencies: [],
  priority: "P1",
  estimated_iterations: 1,
  files: ["src/**"],
  tests: ["src/a.test.ts"],
  ...more,
});

const judged = (tasks: readonly object[], workflow_id = "delivery") =>
  judgeProposal(
    Proposal.parse({ workflow_id, reason: "It fits.", tasks, risks: [], recommendations: [] }),
    registry,
  ).map(({ code, path }) => `${code} ${path}`);

describe("judgeProposal", () => {
  it("lets pass what names what there is, in an order", () => {
    expect(judged([task("one"), task("two", { dependencies: ["one"] })])).toEqual([]);
  });

  it.each([
    ["an unknown workflow", [task("one")], "dream", ["REGISTRY_MISSING workflow_id"]],
    ["a workflow of the past", [task("one")], "old", ["REGISTRY_INACTIVE workflow_id"]],
    ["an unknown command", [task("one", { command_id: "fly" })], "delivery", ["REGISTRY_MISSING tasks[0].command_id"]],
    [
      "a command of the past",
      [task("one", { command_id: "gone" })],
      "delivery",
      ["REGISTRY_INACTIVE tasks[0].command_id"],
    ],
    [
      "a phase the workflow has not",
      [task("one", { command_id: "ship_it" })],
      "delivery",
      ["PROPOSAL_REFUSED tasks[0].command_id"],
    ],
    ["an absolute path", [task("one", { files: ["/etc/passwd"] })], "delivery", ["PROPOSAL_REFUSED tasks[0].files[0]"]],
    [
      "a path that leaves",
      [task("one", { tests: ["a", "src/../../b"] })],
      "delivery",
      ["PROPOSAL_REFUSED tasks[0].tests[1]"],
    ],
    [
      "git's own files",
      [task("one", { files: [".Git/hooks/pre-commit"] })],
      "delivery",
      ["PROPOSAL_REFUSED tasks[0].files[0]"],
    ],
    [
      "our own files",
      [task("one", { files: [".coordinator/**"] })],
      "delivery",
      ["PROPOSAL_REFUSED tasks[0].files[0]"],
    ],
    ["an id twice", [task("one"), task("one")], "delivery", ["PROPOSAL_REFUSED tasks[1].id"]],
    [
      "a task nobody proposed",
      [task("one", { dependencies: ["two"] })],
      "delivery",
      ["PROPOSAL_REFUSED tasks[0].dependencies[0]"],
    ],
    ["a task that waits for itself", [task("one", { dependencies: ["one"] })], "delivery", ["PROPOSAL_REFUSED tasks"]],
    [
      "a circle",
      [task("one", { dependencies: ["two"] }), task("two", { dependencies: ["one"] }), task("three")],
      "delivery",
      ["PROPOSAL_REFUSED tasks"],
    ],
  ])("refuses %s", (_, tasks, workflow_id, problems) => {
    expect(judged(tasks, workflow_id)).toEqual(problems);
  });
});
