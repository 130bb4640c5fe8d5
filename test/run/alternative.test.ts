import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { carryOutRun, FILE, RUN, realProject, realTask } from "./real-run.js";

/* A technical blocker in a whole run: the agent of the plan always crashes, and another one is configured. */

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const FAILURE = { max_retries: 1, base_delay_ms: 1 };
const CRASHES = [{ prompt_has: "Your task: Extend the list", steps: [{ exit: 3 }] }];
/** Works only when it is told what failed before it. */
const WORKS = [
  {
    prompt_has: "Earlier attempts at this task did not get through",
    steps: [{ edit: FILE, replace: "omega", with: "beta" }],
  },
];

const policy = (failure: object) => ({ failure }) as Parameters<typeof carryOutRun>[2];

it("is worked on by another agent that is told what failed, before a person is asked [S1-066]", async () => {
  const project = realProject(CRASHES, {}, { other: WORKS });
  const run = await carryOutRun(
    project,
    [realTask("T1", "Extend the list", { alternatives: ["other"] })],
    policy(FAILURE),
  );
  expect(run.status).toBe("completed");
  expect(run.of("attempt_started").map(({ agent }) => agent)).toEqual(["scripted", "scripted", "other"]);
  expect(run.of("alternative_chosen")).toMatchObject([{ agent: "other", how: "another_agent", attempt: 2 }]);
  expect(run.of("escalation_raised")).toEqual([]);
  expect(project.git("show", `refs/coord/${RUN}/head:${FILE}`)).toBe("alpha\nbeta");
  const { root: cwd, env } = project;
  const explained = spawnSync(process.execPath, [MAIN, "explain", "T1#3", "--run", RUN], {
    cwd,
    env,
    encoding: "utf8",
  });
  expect(explained.stdout).toContain("other is configured beside scripted, and takes over");
});

it("is a person's when the other approach does not get through either [S1-066]", async () => {
  const project = realProject(CRASHES);
  const task = realTask("T1", "Extend the list", { alternatives: [], type: "feature" });
  const run = await carryOutRun(project, [task], policy({ ...FAILURE, max_retries: 0 }));
  expect(run.status).toBe("blocked");
  expect(run.of("alternative_chosen")).toMatchObject([{ agent: "scripted", how: "another_prompt" }]);
  expect(run.of("attempt_started")).toHaveLength(2);
  expect(run.of("escalation_raised")[0]?.escalation.summary).toContain(
    "did not get through with another prompt either",
  );
});
