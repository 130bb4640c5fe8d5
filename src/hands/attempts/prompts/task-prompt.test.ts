import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AttemptRequest } from "../../agents/agent.js";
import { promptFor } from "../../agents/prompt.js";
import { BUILDER_OF } from "../../../model/adr.js";
import { promiseAskedIn } from "../../../mind/scope/promise.js";
import { TaskType } from "../../../model/task.js";
import { sealBrief } from "../../../mind/plan/inputs/brief.js";
import { layOut } from "../../../mind/run/layout.js";
import { sha256 } from "../../store/sha256.js";
import { planRef, runTask } from "../../../testing/run-fixtures.js";
import { contextOf } from "../../../app/run/brief.js";
import { contextFor, levelRecord, wholeLevelRecord } from "../../integration/level-records.js";
import { openRecords } from "../run-records.js";
import { taskPrompt } from "./task-prompt.js";

const SCOPE = {
  tools: [],
  commands: [],
  read: ["**"],
  write: ["src/export.ts", "test/export.test.ts"],
  network: [],
  minutes: 5,
  output_bytes: 1000,
  files: 2,
};

/* Two ways from one beginning, and an end that builds on one of them. */
const PLAN = planRef([
  runTask("begin"),
  runTask("left", { dependencies: ["begin"] }),
  runTask("right", { dependencies: ["begin"] }),
  runTask("end", {
    dependencies: ["left"],
    type: "feature",
    adr: "ADR-023",
    completion_promise: "EXPORT_COMPLETE",
    files: ["src/export.ts"],
    tests: ["test/export.test.ts"],
    iterations: 10,
  }),
]);
const left = (id: string, level_number: number) => ({
  level_number,
  completed_acs: [{ ac_index: 0, task_id: id, summary: `${id} is done`, files_modified: [`src/${id}.ts`] }],
  coordinator_review: null,
});

async function recordsOfAll() {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-prompt-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const records = openRecords(folder);
  for (const [id, level] of [
    ["begin", 1],
    ["left", 2],
    ["right", 2],
  ] as const)
    await records.write(levelRecord(id), left(id, level));
  await records.write(wholeLevelRecord(1), left("begin", 1));
  await records.write(wholeLevelRecord(2), {
    ...left("left", 2),
    completed_acs: [...left("left", 2).completed_acs, ...left("right", 2).completed_acs],
  });
  return records;
}

async function told(schedule: "dataflow" | "levels"): Promise<string> {
  const layout = layOut(PLAN);
  const task = PLAN.tasks[3] ?? runTask("end");
  const brief = sealBrief(
    {
      request: "Export it",
      spec: null,
      documents: [
        { ref: "docs/style.md", text: "Write as the lighthouse keeper would." },
        { ref: "attachments[0]", text: "Commas, please." },
      ],
      withheld: [],
    },
    sha256,
  );
  const prompt = taskPrompt({
    task,
    builder: { title: "FeatureBuilder", responsibilities: ["Build it"], completion_promise: "FEATURE_COMPLETE" },
    intent: "People can take their list with them.",
    scope: SCOPE,
    checks: [],
    levels: await contextFor(layout, task, await recordsOfAll(), schedule),
    guidance: [],
    allowed: null,
  });
  return promptFor({ prompt, context: contextOf(brief) } as unknown as AttemptRequest);
}

const times = (text: string, part: string) => text.split(part).length - 1;

describe("what a builder is told", () => {
  it("has each document, the intent and what was left to it once, and nothing it does not build on [S1-118]", async () => {
    const text = await told("dataflow");
    for (const once of [
      "Write as the lighthouse keeper would.",
      "Commas, please.",
      "People can take their list with them.",
      "begin is done",
      "left is done",
      "src/export.ts",
      "test/export.test.ts",
      "It is end",
    ])
      expect(times(text, once), once).toBe(1);
    expect(text).not.toContain("right is done");
    const levels = await told("levels");
    for (const once of ["begin is done", "left is done", "right is done"]) expect(times(levels, once), once).toBe(1);
  });

  it("is its role, its task by id, the promise of the task, its files and tests, and twice the estimated rounds [S3-072]", async () => {
    const text = await told("dataflow");
    expect(text).toContain("You are a FeatureBuilder.");
    expect(text).toContain("## Your task: Task end\nIt is end (feature, ADR-023).");
    expect(text).toContain("- `src/export.ts`\n- `test/export.test.ts`, tests of this task\n");
    expect(text).toContain("you have at most 10 turns for this task");
    expect(promiseAskedIn(text)).toBe("EXPORT_COMPLETE");
    expect(
      TaskType.options.map((type) => BUILDER_OF[type]),
      "one builder for each type",
    ).toHaveLength(new Set(Object.values(BUILDER_OF)).size);
  });
});
