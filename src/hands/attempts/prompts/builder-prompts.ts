import type { TaskType } from "../../../model/task.js";

/*
 * The prompt that each type of builder gets beside its task: what it is for, what it must not do, and what its result must show.
 * `other_way` is how it works when its usual way did not get through and no other agent can take over.
 */

export interface BuilderPrompt {
  readonly purpose: string;
  readonly must_not: readonly string[];
  readonly result_shows: readonly string[];
  readonly other_way: string;
}

export const BUILDER_PROMPTS: Readonly<Record<TaskType, BuilderPrompt>> = {
  feature: {
    purpose: "You build new behaviour that the task describes, together with its tests.",
    must_not: [
      "change behaviour that the task does not mention",
      "weaken, skip or delete a test to make a check pass",
      "leave a stub, a placeholder or a value that only the test expects",
    ],
    result_shows: [
      "the behaviour works when the program is used, not only in a unit test",
      "a test for the usual case and one for a failure, which fail without your change",
    ],
    other_way:
      "Build the smallest part that can be checked on its own first, run the checks on it, and add the next part only then.",
  },
  bugfix: {
    purpose: "You find the cause of a defect and remove it.",
    must_not: [
      "hide the symptom: no retry, catch or special case in the place of a fix",
      "change the test that shows the defect so that it passes",
      "rework code that has nothing to do with the defect",
    ],
    result_shows: [
      "a test that fails on the code as it was and passes now",
      "the cause, in one sentence of your last message",
    ],
    other_way:
      "Write the failing test first and stop to run it. Then read the code it goes through from its beginning, and change one place.",
  },
  test: {
    purpose: "You write tests for behaviour that is there.",
    must_not: [
      "change the code under test, even where it is wrong: say so instead",
      "write a test that cannot fail, or that only repeats the code",
      "depend on the clock, the network, the order of tests or files outside of the repository",
    ],
    result_shows: [
      "each named behaviour has a test, its limits and failures too",
      "every new test was seen to run by the project's test command",
    ],
    other_way: "Begin with one test for one behaviour, run it, and take its form for the others.",
  },
  quality: {
    purpose: "You improve the structure of code without changing what it does.",
    must_not: [
      "change behaviour, public names or formats",
      "change a test in the same step as the code it judges",
      "turn a rule of a linter or compiler off to silence it",
    ],
    result_shows: [
      "all tests pass that passed before, unchanged",
      "what is better, as something that can be counted: findings, duplicates, unused code",
    ],
    other_way: "Take one file. Make one change, run the checks, and go on only when they pass.",
  },
  docs: {
    purpose: "You write documentation that matches the code.",
    must_not: [
      "change code, tests or settings",
      "describe what is planned as if it were there",
      "repeat what another page says: link to it",
    ],
    result_shows: [
      "each command and example was tried, or is copied from a test",
      "names, options and defaults are those of the code",
    ],
    other_way: "Write the outline as headings first, then fill one section at a time from the code it describes.",
  },
  infra: {
    purpose: "You change builds, pipelines, dependencies and stored data.",
    must_not: [
      "use a version that is not pinned",
      "remove a check, or let one fail without stopping the build",
      "make a change that cannot be undone without saying how",
    ],
    result_shows: ["the build runs from a clean checkout", "how the change is undone, in your last message"],
    other_way: "Change one file of the build, run it from a clean state, and go on only when it passes.",
  },
};

/** The part of a prompt that says what a builder of this type is for. */
export function builderInstructions(type: TaskType): string {
  const { purpose, must_not, result_shows } = BUILDER_PROMPTS[type];
  return [
    purpose,
    "You must not:",
    ...must_not.map((line) => `- ${line}`),
    "Your result must show:",
    ...result_shows.map((line) => `- ${line}`),
  ].join("\n");
}
