import type { ProposedTask } from "../../model/proposal.js";
import type { KindOfWork } from "./kind-of-work.js";
import { NEW_DOCS, type Places, sourceToChange, sourceToExtend, testsOf } from "./places.js";
import { manifestsFor } from "./technologies.js";

/* One template a kind of work: which workflow it belongs to, and which tasks it takes, each after the one before. */

export interface TemplateTask {
  /** The beginning of its id. */
  readonly verb: string;
  /** The beginning of its title; the request's own title follows. */
  readonly title: string;
  readonly type: ProposedTask["type"];
  readonly command: string;
  readonly files: readonly string[];
  readonly tests: readonly string[];
  /** What the builder is told beside the request. */
  readonly says: string;
  readonly priority: ProposedTask["priority"];
  readonly iterations: number;
  /** The main work: of a request with several points, each point gets one. */
  readonly main: boolean;
}

export interface Template {
  readonly workflow: string;
  readonly reason: string;
  readonly tasks: (asked: { readonly text: string; readonly slug: string; readonly places: Places }) => TemplateTask[];
}

const main = (task: Omit<TemplateTask, "main" | "priority" | "title">): TemplateTask => ({
  title: "",
  priority: "P1",
  ...task,
  main: true,
});
const after = (task: Omit<TemplateTask, "main">): TemplateTask => ({ ...task, main: false });

const testing = (places: Places): TemplateTask =>
  after({
    verb: "test",
    title: "Write tests: ",
    type: "test",
    command: "write_tests",
    files: testsOf(places),
    tests: [],
    says: "Test what the earlier tasks built: the usual case, the limits and the failures. Change no product code.",
    priority: "P1",
    iterations: 3,
  });

/** A page only where the project keeps pages: nobody asked for a new habit. */
const documenting = (places: Places): TemplateTask[] =>
  places.docs.length === 0
    ? []
    : [
        after({
          verb: "document",
          title: "Document: ",
          type: "docs",
          command: "write_documentation",
          files: places.docs,
          tests: [],
          says: "Describe for users what the earlier tasks built, in the style of the pages that are there.",
          priority: "P2",
          iterations: 2,
        }),
      ];

export const TEMPLATES: Readonly<Record<KindOfWork, Template>> = {
  feature: {
    workflow: "feature_delivery",
    reason: "The request asks for new behaviour.",
    tasks: ({ places }) => [
      main({
        verb: "build",
        type: "feature",
        command: "implement_feature",
        files: sourceToExtend(places),
        tests: testsOf(places),
        says: "Build this behaviour together with a first test of it. Keep existing callers working.",
        iterations: 5,
      }),
      testing(places),
      ...documenting(places),
    ],
  },
  new_project: {
    workflow: "feature_delivery",
    reason: "The request asks for a new project.",
    tasks: ({ text, places }) => {
      const pages = ["README.md", ...(places.docs.length > 0 ? places.docs : NEW_DOCS)];
      return [
        after({
          verb: "scaffold",
          title: "Lay the ground: ",
          type: "feature",
          command: "implement_feature",
          files: [...sourceToExtend(places), ...manifestsFor(text), "README.md", ".gitignore"],
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
        testing(places),
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
        files: sourceToChange(places),
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
        files: sourceToChange(places),
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
        files: sourceToChange(places),
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
  docs: {
    workflow: "documentation",
    reason: "The request asks for a document.",
    tasks: ({ text, slug, places }) => [
      main({
        verb: "document",
        type: "docs",
        command: "write_documentation",
        files: pagesFor(text, slug, places),
        tests: [],
        says: "Write the document. Check every statement against the code and keep examples runnable.",
        iterations: 2,
      }),
    ],
  },
  research: {
    workflow: "research",
    reason: "The request asks for findings and for no change of the product.",
    tasks: ({ slug }) => [
      main({
        verb: "report",
        type: "docs",
        command: "write_research_report",
        files: [`docs/research/${slug}.md`],
        tests: [],
        says:
          "Write a report: the question, what is known and from where, the options with their costs, a recommendation, " +
          "and what stays open. Change nothing else.",
        iterations: 3,
      }),
    ],
  },
  dependencies: {
    workflow: "dependency_update",
    reason: "The request is about the versions of dependencies.",
    tasks: ({ places }) => [
      main({
        verb: "update",
        type: "infra",
        command: "update_dependencies",
        files: [...places.manifests, ...places.named.source],
        tests: [],
        says: "Raise the versions together with the lockfile, and adapt the code where an interface changed.",
        iterations: 4,
      }),
    ],
  },
  pipelines: {
    workflow: "dependency_update",
    reason: "The request is about how the project is built and checked.",
    tasks: ({ places }) => [
      main({
        verb: "pipeline",
        type: "infra",
        command: "update_ci",
        files: [...places.pipelines, ...places.named.source],
        tests: [],
        says: "Change the pipelines so that a clean checkout passes. Pin what is fetched.",
        iterations: 4,
      }),
    ],
  },
  infrastructure: {
    workflow: "dependency_update",
    reason: "The request is about infrastructure code.",
    tasks: ({ places }) => [
      main({
        verb: "provision",
        type: "infra",
        command: "update_infrastructure",
        files: infrastructureOf(places),
        tests: [],
        says: "Change the infrastructure code and nothing else. Nothing is applied.",
        iterations: 4,
      }),
    ],
  },
  migration: {
    workflow: "migration",
    reason: "The request changes stored data.",
    tasks: ({ places }) => {
      const files = places.migrations.length > 0 ? places.migrations : ["migrations/**"];
      return [
        main({
          verb: "migrate",
          type: "infra",
          command: "write_migration",
          files,
          tests: testsOf(places),
          says: "Write a migration that can run twice without harm. Say what it locks and for how long.",
          iterations: 5,
        }),
        after({
          verb: "rollback",
          title: "Write the way back: ",
          type: "infra",
          command: "write_rollback_script",
          files,
          tests: testsOf(places),
          says: "Write what undoes the migration without losing rows that were added since.",
          priority: "P1",
          iterations: 4,
        }),
      ];
    },
  },
  release: {
    workflow: "release",
    reason: "The request prepares a release.",
    tasks: ({ places }) => [
      main({
        verb: "version",
        type: "infra",
        command: "bump_version",
        files: places.manifests.length > 0 ? places.manifests : ["VERSION"],
        tests: [],
        says: "Raise the version everywhere it is written. Publish nothing.",
        iterations: 2,
      }),
      after({
        verb: "changelog",
        title: "Write the changelog: ",
        type: "docs",
        command: "write_changelog",
        files: ["CHANGELOG.md"],
        tests: [],
        says: "Write what is new from what was really changed since the last release.",
        priority: "P2",
        iterations: 2,
      }),
    ],
  },
};

function pagesFor(text: string, slug: string, { docs, named }: Places): readonly string[] {
  if (named.docs.length > 0) return named.docs;
  if (/\breadme\b/i.test(text)) return ["README.md"];
  if (/\bchangelog\b/i.test(text)) return ["CHANGELOG.md"];
  return docs.length > 0 ? docs : [`docs/${slug}.md`];
}

function infrastructureOf({ infrastructure, named }: Places): readonly string[] {
  const known = [...infrastructure, ...named.source];
  return known.length > 0 ? known : ["infra/**", "deploy/**", "Dockerfile"];
}
