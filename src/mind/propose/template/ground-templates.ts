import type { KindOfWork } from "./kind-of-work.js";
import { type Places, sourceToChange, testsOf } from "./template-places.js";
import { after, main, type Template } from "./template.js";

/* Work on what the product stands on: dependencies, pipelines, infrastructure, stored data, releases. */

export const GROUND_TEMPLATES = {
  dependencies: {
    workflow: "dependency_update",
    reason: "The request is about the versions of dependencies.",
    tasks: ({ places }) => [
      main({
        verb: "update",
        type: "infra",
        command: "update_dependencies",
        files: [
          ...places.manifests,
          ...places.builds,
          ...sourceToChange(places),
          ...places.alongside,
          ...places.named.docs,
          ...places.news,
        ],
        tests: testsOf(places),
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
        files: [
          ...pipelinesOf(places),
          ...places.manifests,
          ...places.builds,
          ...places.alongside,
          ...places.named.source,
          ...places.named.docs,
          ...places.docs.filter((path) => /readme|contributing/i.test(path)),
        ],
        tests: testsOf(places),
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
        files: places.news.length > 0 ? places.news : ["CHANGELOG.md"],
        tests: [],
        says: "Write what is new from what was really changed since the last release.",
        priority: "P2",
        iterations: 2,
      }),
    ],
  },
} satisfies Partial<Record<KindOfWork, Template>>;

/** Where the pipelines are; GitHub's where there are none, as a project that moves to them has none yet. */
function pipelinesOf({ pipelines }: Places): readonly string[] {
  return pipelines.some((path) => path.startsWith(".github/")) ? pipelines : [...pipelines, ".github/workflows/**"];
}

function infrastructureOf({ infrastructure, named }: Places): readonly string[] {
  const known = [...infrastructure, ...named.source];
  return known.length > 0 ? known : ["infra/**", "deploy/**", "Dockerfile"];
}
