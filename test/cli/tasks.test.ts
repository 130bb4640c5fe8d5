import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { coordinator, coordinatorJson, root } from "./program.js";
import { inTheMiddle, project } from "./run-logs.js";

const RUN = "run_20260203-040506-c0ffee";

it("what somebody writes into the queue is proposed, taken up by a person, approved by another, and then so", async () => {
  const cwd = await project({ [RUN]: inTheMiddle() });
  mkdirSync(join(cwd, "governance/contracts"), { recursive: true });
  const contract = join(cwd, "governance/contracts/coordinator.yaml");
  writeFileSync(contract, readFileSync(join(root, "policy/contract.yaml")));
  writeFileSync(join(cwd, "coordinator.yaml"), "project: exports\nboard: {}\n");
  // Any change brings the files up to date: this one is refused, for A is being worked on.
  const running = await coordinatorJson(["tasks", "skip", RUN, "A", "--approve"], { cwd });
  expect([running.code, running.json["reason"]]).toEqual([
    4,
    "A is in progress, and a running attempt is not disturbed",
  ]);
  const file = join(cwd, "tasks/work_queue.json");
  const written = readFileSync(file, "utf8");
  const queue = JSON.parse(written) as { tasks: { id: string; status: string; priority: string }[] };
  for (const task of queue.tasks) if (task.id === "B") task.priority = "P0";
  writeFileSync(file, JSON.stringify(queue));
  await coordinator(["tasks", "skip", RUN, "A"], { cwd });
  expect(readFileSync(file, "utf8")).toBe(written);
  const listed = await coordinator(["tasks", "--proposed"], { cwd });
  expect(listed.stdout).toMatch(/^\? chg_[0-9a-f]{10} {2}make B P0 {2}run_/m);
  const adopted = await coordinatorJson(["tasks", "adopt"], { cwd });
  expect(adopted).toMatchObject({ code: 3, json: { type: "edits", done: [{ edit: { task: "B" } }] } });
  const { json: inbox } = await coordinatorJson(["inbox"], { cwd });
  const entries = inbox["entries"] as { id: string; kind: string; about: string }[];
  const change = entries.find(({ kind }) => kind === "task_change");
  expect(change?.about).toMatch(/ wants to make B P0$/);
  expect(await coordinator(["approve", change?.id ?? ""], { cwd })).toMatchObject({ code: 0 });
  const { json } = await coordinatorJson(["tasks"], { cwd });
  expect(json["tasks"]).toMatchObject([{}, { id: "B", priority: "P0" }, { id: "C", status: "blocked" }, {}]);
  expect(json["proposed"]).toEqual([]);
  // Where the contract forbids it nobody can; where it allows it nobody has to be asked.
  const text = readFileSync(contract, "utf8").replace("  - skip_task\n", "");
  writeFileSync(contract, text.replace("  - write_code", "  - skip_task\n  - write_code"));
  expect(await coordinator(["tasks", "skip", RUN, "D", "--approve"], { cwd })).toMatchObject({ code: 4 });
  writeFileSync(contract, text.replace("  - read_adr\n", "  - read_adr\n  - skip_task\n"));
  expect(await coordinator(["tasks", "skip", RUN, "D"], { cwd })).toMatchObject({ code: 0 });
});
