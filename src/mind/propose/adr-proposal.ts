import type { AdrTask } from "../../model/adr.js";
import type { FactPack } from "../../model/settings/packs.js";
import type { Proposal, ProposedTask } from "../../model/proposal.js";
import type { TaskType } from "../../model/task.js";
import { type Places, placesOf, sourceToExtend, testsOf } from "./template/template-places.js";
import { cutText, safePaths, slugOf, replaceHalfCharacters } from "./words.js";

/* A decision record has been broken into tasks already: what is missing is who may write where. */

const COMMAND_OF: Readonly<Record<TaskType, string>> = {
  feature: "implement_feature",
  bugfix: "fix_bug",
  test: "write_tests",
  quality: "refactor_code",
  docs: "write_documentation",
  infra: "update_infrastructure",
};

/** A task that somebody has cut already, in a decision record or in a work queue. */
export type CutTask = Pick<
  AdrTask,
  "id" | "title" | "description" | "type" | "dependencies" | "priority" | "estimated_iterations" | "files" | "tests"
> & { readonly adr?: string | undefined };

export function proposeFromAdr(label: string, tasks: readonly AdrTask[], facts: FactPack | null): Proposal {
  return proposeCutTasks(`${label} was accepted and asks for this work.`, tasks, facts);
}

/** Contract: pure; tasks keep their ids, order and dependencies. Paths that are named hold before what facts say. */
export function proposeCutTasks(reason: string, tasks: readonly CutTask[], facts: FactPack | null): Proposal {
  return {
    workflow_id: "feature_delivery",
    reason: cutText(reason, 800),
    tasks: tasks.map((task) => taskOf(task, facts)),
    risks: [],
    recommendations: [],
  };
}

function taskOf(task: CutTask, facts: FactPack | null): ProposedTask {
  const places = placesOf(`${task.title}\n${task.description}`, facts);
  const reasons = task.dependencies.map(({ task: on, reason }) => `It waits for ${on}: ${reason}.`);
  return {
    id: task.id,
    title: task.title,
    description: cutText(replaceHalfCharacters([task.description, "", ...reasons].join("\n").trim()), 4000),
    type: task.type,
    command_id: COMMAND_OF[task.type],
    dependencies: task.dependencies.map(({ task: on }) => on),
    priority: task.priority,
    estimated_iterations: task.estimated_iterations,
    ...scopeOf(task, places),
    ...(task.adr === undefined ? {} : { adr: task.adr }),
  };
}

function scopeOf(task: CutTask, places: Places): { files: string[]; tests: string[] } {
  const named = safePaths(task.files);
  const tests = safePaths(task.tests.length > 0 ? task.tests : testsOf(places));
  switch (task.type) {
    case "test":
      return { files: safePaths([...named, ...tests]), tests: [] };
    case "docs":
      return {
        files:
          named.length > 0
            ? named
            : safePaths(places.docs.length > 0 ? places.docs : [`docs/${slugOf(task.title)}.md`]),
        tests: [],
      };
    case "infra":
      return {
        files: named.length > 0 ? named : safePaths([...places.infrastructure, ...places.pipelines, "infra/**"]),
        tests: [],
      };
    default:
      return {
        files: named.length > 0 ? named : safePaths([...sourceToExtend(places), ...migrationsFor(task, places)]),
        tests,
      };
  }
}

/** The migrations folder, for a task that changes tables: it writes there beside the source. */
function migrationsFor({ title }: CutTask, { migrations }: Places): readonly string[] {
  return /\b(?:tables?|columns?|schema|migrations?|index(?:es)?|database)\b/i.test(title) ? migrations : [];
}
