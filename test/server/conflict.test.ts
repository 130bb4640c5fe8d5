import { describe, expect, it } from "vitest";
import { useCases } from "../../src/app/coordinator.js";
import { quietContext } from "../../src/app/quiet-context.js";
import { ConflictJson, GraphJson } from "../../src/model/api/details.js";
import { carryOutRun, FILE, realProject, realTask, RUN, THERE } from "../run/real-run.js";

const builder = (title: string, line: string) => ({
  prompt_has: `Your task: ${title}`,
  steps: [{ write: FILE, text: `alpha\n${line}\nomega\n` }, { say: "done" }],
});
const TASKS = [realTask("T1", "Name the fruit"), realTask("T2", "Name the trees")];
const BUILDERS = [builder("Name the fruit", "fruit: apple"), builder("Name the trees", "tree: beech")];
const BOTH = "alpha\nfruit: apple\ntree: beech\nomega\n";

describe("the detail of a conflict", () => {
  it("shows base, both sides and the result that was taken, file by file", async () => {
    const resolver = {
      prompt_has: "You are a Level Coordinator",
      steps: [
        { write: FILE, text: BOTH },
        {
          answer: {
            review_summary: "Both name something.",
            fixes_applied: ["kept both lines"],
            left_out: [],
            warnings_for_next_level: [],
          },
        },
      ],
    };
    const project = realProject([...BUILDERS, resolver]);
    const { status, of } = await carryOutRun(project, TASKS);
    expect(status).toBe("completed");
    const { task_id } = of("conflict_found")[0] ?? { task_id: "" };
    const base = project.git("show", `main:${FILE}`);
    const context = await quietContext({ cwd: project.root, environment: { ...project.env }, approved: false });
    const shown = ConflictJson.parse(await useCases.showConflict(RUN, task_id, context));
    const lines = { T1: "fruit: apple", T2: "tree: beech" };
    const [mine, other] = task_id === "T1" ? [lines.T1, lines.T2] : [lines.T2, lines.T1];
    expect(shown).toMatchObject({ task_id, attempt: 1, taken: true, objections: [] });
    expect(shown.files).toEqual([
      {
        path: FILE,
        base: `${base}\n`,
        branch: `alpha\n${other}\nomega\n`,
        task: `alpha\n${mine}\nomega\n`,
        result: BOTH,
      },
    ]);
    const without = task_id === "T1" ? "T2" : "T1";
    await expect(useCases.showConflict(RUN, without, context)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("a task that does not go on", () => {
  it("says why in words, and which entry of the inbox it waits on", async () => {
    const wrong = { prompt_has: "Your task: Name the fruit", steps: [{ write: FILE, text: "" }, { say: "done" }] };
    const project = realProject([wrong], { checks: THERE });
    const { status } = await carryOutRun(project, TASKS.slice(0, 1));
    expect(status).toBe("blocked");
    const context = await quietContext({ cwd: project.root, environment: { ...project.env }, approved: false });
    const [task] = GraphJson.parse(await useCases.showGraph(RUN, context)).tasks;
    expect(task).toMatchObject({ status: "blocked", waits_on: expect.stringMatching(/^esc_/) as unknown });
    expect(task?.reason).toMatch(/there/);
    expect(task?.reason).not.toMatch(/sha256|T1#1/);
  });
});
