import type { KindOfWork } from "./kind-of-work.js";
import {
  type Places,
  NEW_DOCS,
  sourceToChange,
  sourceToExtend,
  sourceToRestructure,
  testsOf,
  listChangedAlong,
} from "./template-places.js";
import { after, documentTasks, main, type Template, testTask } from "./template.js";

/* Work on the product itself: what it does, how it is built inside, and what proves it. */

export const CODE_TEMPLATES = {
  feature: {
    workflow: "feature_delivery",
    reason: "The request asks for new behaviour.",
    tasks: ({ places }) => [
      main({
        verb: "build",
        type: "feature",
        command: "implement_feature",
        files: [...sourceToExtend(places), ...withoutPages(places)],
        tests: testsOf(places),
        says: "Build this behaviour together with a first test of it. Keep existing callers working.",
        iterations: 5,
      }),
      testTask(places),
      ...documentTasks(places),
    ],
  },
  new_project: {
    workflow: "feature_delivery",
    reason: "The request asks for a new project.",
    tasks: ({ places, scaffold }) => {
      const pages = ["README.md", ...(places.docs.length > 0 ? places.docs : NEW_DOCS)];
      return [
        after({
          verb: "scaffold",
          title: "Lay the ground: ",
          type: "feature",
          command: "implement_feature",
          files: [...sourceToExtend(places), ...scaffold.files, "README.md", ".gitignore"],
          tests: testsOf(places),
          says: "Make the smallest whole project that builds, starts and has one passing test. No feature yet.",
          priority: "P0",
          iterations: 4,
        }),
        main({
          verb: "build",
          type: "feature",
          command: "implement_feature",
          files: sourceToExtend(places),
          tests: testsOf(places),
          says: "Build what is asked for on the ground that was laid, with a first test of it.",
          iterations: 8,
        }),
        testTask(places),
        after({
          verb: "document",
          title: "Document: ",
          type: "docs",
          command: "write_documentation",
          files: pages,
          tests: [],
          says: "Say what the project is, how it is installed and started, and how it is tested.",
          priority: "P2",
          iterations: 2,
        }),
      ];
    },
  },
  bugfix: {
    workflow: "bugfix",
    reason: "The request reports a defect.",
    tasks: ({ places }) => [
      main({
        verb: "fix",
        type: "bugfix",
        command: "fix_bug",
        files: [...sourceToChange(places), ...listChangedAlong(places)],
        tests: testsOf(places),
        says: "First write a test that fails because of the defect. Then remove the cause, and keep the test.",
        iterations: 4,
      }),
    ],
  },
  vulnerability: {
    workflow: "bugfix",
    reason: "The request reports a weakness of security.",
    tasks: ({ places }) => [
      main({
        verb: "close",
        type: "bugfix",
        command: "fix_vulnerability",
        files: [...sourceToChange(places), ...listChangedAlong(places)],
        tests: testsOf(places),
        says: "First write a test that shows the weakness. Then close it everywhere it occurs, and keep the test.",
        iterations: 5,
      }),
    ],
  },
  refactoring: {
    workflow: "refactoring",
    reason: "The request asks for another structure with the same behaviour.",
    tasks: ({ places }) => [
      main({
        verb: "refactor",
        type: "quality",
        command: "refactor_code",
        files: [...sourceToRestructure(places), ...listChangedAlong(places)],
        tests: testsOf(places),
        says: "Change the structure in small steps. Behaviour stays as it is, and so do the tests of it.",
        iterations: 5,
      }),
    ],
  },
  tests: {
    workflow: "testing",
    reason: "The request asks for tests.",
    tasks: ({ places }) => [
      main({
        verb: "test",
        type: "test",
        command: "write_tests",
        files: testsOf(places),
        tests: [],
        says: "Write tests that would fail if this behaviour broke. Change no product code.",
        iterations: 4,
      }),
    ],
  },
} satisfies Partial<Record<KindOfWork, Template>>;

/** Pages are for the task that documents; files such as the changelog are part of it. */
function withoutPages({ named, news, alongside }: Places): readonly string[] {
  return [...named.docs, ...alongside, ...news];
}
