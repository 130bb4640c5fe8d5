import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { specifiedBlock } from "../e2e/specified.js";
import { carryOutRun, realProject, realTask, RUN, scopeOf, THERE } from "./real-run.js";

/* The level of the specification's own example: two of three parallel tasks change the same file, and the next is told. */

const APP = "src/app.py";
const OURS = [
  "## Previous Work Context",
  "- AC 1: Created user model (src/models.py)",
  "- AC 3: Created API routes (src/routes.py)",
  "## Coordinator Review (Level 1)",
  `Conflicts resolved: ${APP} (AC 1 and AC 3 both modified)`,
  "Warnings: Ensure you import the new routes in src/main.py",
];
const SPECIFIED = specifiedBlock("", "## Previous Work Context", "## Coordinator Review (Level 1)");
const WANTED =
  SPECIFIED?.split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "") ?? OURS;

it("is detected, resolved by an agent, and told to the next level in the specification's own words [S2-016, S2-026, S2-027]", async () => {
  const writes = (title: string, files: Readonly<Record<string, string>>) => ({
    prompt_has: `Your task: ${title}\n`,
    steps: [...Object.entries(files).map(([write, text]) => ({ write, text })), { say: "done" }],
  });
  const answer = {
    review_summary: "AC 1 and AC 3 register in one file.",
    fixes_applied: ["kept both registrations"],
    left_out: [],
    warnings_for_next_level: ["Ensure you import the new routes in src/main.py"],
  };
  const project = realProject(
    [
      {
        prompt_has: "You are a Level Coordinator",
        steps: [{ read: APP }, { write: APP, text: "use(models)\nuse(routes)\n" }, { answer }],
      },
      writes("Created user model", { "src/models.py": "class User: pass\n", [APP]: "use(models)\n" }),
      writes("Wrote the style page", { "docs/style.md": "Short names.\n" }),
      writes("Created API routes", { "src/routes.py": "ROUTES = []\n", [APP]: "use(routes)\n" }),
      writes("Wire it up", { "src/main.py": "import routes\n" }),
    ],
    { checks: THERE },
  );
  const tasks = [
    realTask("T1", "Created user model", { scope: scopeOf("src/models.py", APP) }),
    realTask("T2", "Wrote the style page", { scope: scopeOf("docs/style.md") }),
    realTask("T3", "Created API routes", { scope: scopeOf("src/routes.py", APP) }),
    realTask("T4", "Wire it up", { scope: scopeOf("src/main.py"), dependencies: ["T1", "T2", "T3"] }),
  ];
  const { status, of } = await carryOutRun(project, tasks, { schedule: "levels" });
  expect(status).toBe("completed");
  expect(project.git("show", `refs/coord/${RUN}/head:${APP}`)).toBe("use(models)\nuse(routes)");
  const starts = of("attempt_started").map(({ task_id }) => task_id);
  expect([starts.slice(0, 3).toSorted(), starts.slice(3)]).toEqual([["T1", "T2", "T3"], ["T4"]]);
  const attempts = join(project.root, ".coordinator/attempts", RUN);
  const prompts = readdirSync(attempts)
    .map((name) => readFileSync(join(attempts, name, "1/order.json"), "utf8"))
    .map((text) => (JSON.parse(text) as { input: { prompt: string } }).input.prompt);
  const told = prompts.find((prompt) => prompt.includes("## Your task: Wire it up")) ?? "";
  // The files of a task are all that it changed; the example leaves out the one that both did.
  const lines = told.replaceAll(`${APP}, `, "").replaceAll(`, ${APP}`, "").split("\n");
  for (const line of WANTED) {
    const isWarning = line.startsWith("Warnings: ");
    const found = isWarning
      ? lines.some((each) => each.startsWith("Warnings: ") && each.includes(line.slice("Warnings: ".length)))
      : lines.includes(line);
    expect([line, found], told).toEqual([line, true]);
  }
});
