import { describe, expect, it } from "vitest";
import { TaskType } from "../../../model/task.js";
import { runTask } from "../../../testing/run-fixtures.js";
import { taskPrompt, type TaskPrompt } from "./task-prompt.js";
import { BUILDER_PROMPTS } from "./builder-prompts.js";

const SCOPE: TaskPrompt["scope"] = {
  tools: [],
  commands: [],
  read: ["**"],
  write: ["src/**"],
  network: [],
  minutes: 5,
  output_bytes: 1000,
  files: 3,
};
const promptFor = (difference: Partial<TaskPrompt>) =>
  taskPrompt({
    task: runTask("T1"),
    builder: null,
    intent: null,
    scope: SCOPE,
    checks: [],
    levels: [],
    guidance: [],
    allowed: null,
    ...difference,
  });

describe("the prompt of a builder", () => {
  it.each(TaskType.options)(
    "of type %s is its own: what it is for, what it must not do, what its result shows",
    (type) => {
      const { purpose, must_not, result_shows } = BUILDER_PROMPTS[type];
      const text = promptFor({ task: runTask("T1", { type }) });
      for (const line of [purpose, ...must_not, ...result_shows]) expect(text).toContain(line);
      for (const other of TaskType.options.filter((each) => each !== type))
        for (const line of [BUILDER_PROMPTS[other].purpose, ...BUILDER_PROMPTS[other].must_not])
          expect(text).not.toContain(line);
    },
  );

  it("is that of the builder's type, where the registry says another one than the task", () => {
    const builder = { title: "BugFixer", responsibilities: [], builder: "bugfix" as const };
    expect(promptFor({ task: runTask("T1", { type: "feature" }), builder })).toContain(BUILDER_PROMPTS.bugfix.purpose);
  });

  it("says what failed and another way, when it is another approach [S1-066]", () => {
    const alternative = { how: "another_prompt" as const, failed: "crash: it ended with code 3" };
    const text = promptFor({ task: runTask("T1", { type: "docs" }), alternative });
    expect(text).toContain("crash: it ended with code 3");
    expect(text).toContain(BUILDER_PROMPTS.docs.other_way);
    const byOther = promptFor({
      task: runTask("T1", { type: "docs" }),
      alternative: { ...alternative, how: "another_agent" },
    });
    expect(byOther).toContain("crash: it ended with code 3");
    expect(byOther).not.toContain(BUILDER_PROMPTS.docs.other_way);
  });
});
