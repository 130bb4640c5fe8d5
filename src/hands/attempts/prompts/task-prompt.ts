import type { Check } from "../../../model/settings/check.js";
import type { LevelContext } from "../../../model/plan/level.js";
import type { RunTask } from "../../../model/run.js";
import type { Scope, ScopeAddition } from "../../../model/scope.js";
import type { TaskType } from "../../../model/task.js";
import type { Alternative, Guidance } from "../../../mind/run/task-record.js";
import { BUILDER_PROMPTS, builderInstructions } from "./builder-prompts.js";
import { evidenceLine } from "../../../mind/run/decide/criteria.js";
import { STANDARD_ITERATIONS } from "../../../mind/run/decide/iterate.js";
import { askForPromise, STANDARD_PROMISE } from "../../../mind/scope/promise.js";
import { buildContextPrompt } from "../../integration/level-context.js";

/* The prompt of a builder. Equal tasks give equal texts; nothing of the environment and no secret goes into it. */

interface BuilderEntry {
  readonly title: string;
  readonly responsibilities: readonly string[];
  readonly completion_promise?: string | undefined;
  readonly builder?: TaskType | undefined;
}

export interface TaskPrompt {
  readonly task: RunTask;
  readonly builder: BuilderEntry | null;
  /** Requirements that must hold when the whole run is done, where the request has them. */
  readonly intent: string | null;
  readonly scope: Scope;
  readonly checks: readonly Check[];
  /** Criteria of the project's type that no check shows. */
  readonly criteria?: readonly string[];
  readonly levels: readonly LevelContext[];
  readonly guidance: readonly Guidance[];
  /** Another approach than the plan's, after attempts that did not get through. */
  readonly alternative?: Alternative | null;
  /** Uses that were refused before and are allowed now; null for the first attempt. */
  readonly allowed: ScopeAddition | null;
}

export function taskPrompt(asked: TaskPrompt): string {
  const { task, builder, intent, scope, checks, criteria = [], levels, guidance, allowed, alternative = null } = asked;
  const type = builder?.builder ?? task.type;
  const parts = [
    role(builder),
    type === undefined ? "" : builderInstructions(type),
    intent === null ? "" : `## What must be true in the end\n${intent}`,
    `## Your task: ${task.title}\n${nameOfTask(task)}\n${task.description ?? ""}`.trimEnd(),
    section("What you may change", [
      ...scope.write.map((path) => `\`${path}\`${task.tests?.includes(path) === true ? ", tests of this task" : ""}`),
      "Everything else is read-only for you.",
    ]),
    section(
      "How it will be checked",
      checks.map(({ name, run }) => `${name}: \`${run}\``),
    ),
    section("What else this type of project has to show", criteria.map(askForEvidence)),
    effort(task),
    mayBeDone(task),
    buildContextPrompt(levels),
    allowedText(allowed),
    otherWay(alternative, type),
    section("What people have said about this task", guidance.map(guidanceText)),
    describeEnding(promiseOf(task, builder)),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function role(builder: BuilderEntry | null): string {
  if (builder === null) return "You work on one task in a copy of a repository. Others work on other tasks.";
  return [
    `You are a ${builder.title}. You work on one task in a copy of a repository. Others work on other tasks.`,
    ...builder.responsibilities.map((line) => `- ${line}`),
  ].join("\n");
}

function effort(task: RunTask): string {
  return (
    "Run the checks yourself and mend what fails. When you end your turn they are run on your changes, and what fails " +
    `or is missing comes back to you: you have at most ${iterationsOf(task)} turns for this task.`
  );
}

/** How many turns an agent has for a task, and what it says when it is done. */
export const iterationsOf = ({ iterations }: Pick<RunTask, "iterations">) => iterations ?? STANDARD_ITERATIONS;
export const promiseOf = (task: Pick<RunTask, "completion_promise">, builder: BuilderEntry | null) =>
  task.completion_promise ?? builder?.completion_promise ?? STANDARD_PROMISE;

function askForEvidence(criterion: string): string {
  const name = criterion.replaceAll("_", " ");
  return `${name}: if your work touches it, say in your last message what shows it, on one line that begins with \`${evidenceLine(criterion)}\`. A person confirms it.`;
}

function allowedText(allowed: ScopeAddition | null): string {
  if (allowed === null) return "";
  const lines = [
    ...allowed.write.map((path) => `change \`${path}\``),
    ...allowed.commands.map((command) => `run \`${command.replace(/\\([\\*])/g, "$1")}\``),
    ...allowed.network.map((host) => `reach ${host}`),
  ];
  return [
    "## You worked on this before and were refused something",
    "A person has decided that you may now:",
    ...lines.map((line) => `- ${line}`),
    "What you did before is in the working directory. Go on from there, and finish what you could not.",
  ].join("\n");
}

/** The failure before, and how to try another way. */
function otherWay(alternative: Alternative | null, type: TaskType | undefined): string {
  if (alternative === null) return "";
  const { how, failed } = alternative;
  const way = how === "another_prompt" && type !== undefined ? ` ${BUILDER_PROMPTS[type].other_way}` : "";
  return [
    "## Earlier attempts at this task did not get through",
    `The last one ended so: ${failed}`,
    `Nothing of them is in the working directory. Take another approach.${way}`,
  ].join("\n");
}

/** Anyone who built it may have written its tests and its page as well. */
function mayBeDone({ type, dependencies }: RunTask): string {
  if ((type !== "test" && type !== "docs") || dependencies.length === 0) return "";
  return "If an earlier task did all of this already, change nothing and say where it is.";
}

function guidanceText({ asked, said: text }: Guidance): string {
  return asked === null ? text : `Asked: ${asked} Answer: ${text}`;
}

/** Others name it so, in what they left and in what people say. */
function nameOfTask({ task_id, type, adr }: RunTask): string {
  const more = [type, adr].filter((part) => part !== undefined);
  return `It is ${task_id}${more.length === 0 ? "" : ` (${more.join(", ")})`}.`;
}

function describeEnding(promise: string): string {
  return (
    "Work only on this task. Do not commit, do not push, do not change the history: your changes are taken from the " +
    `working directory as they are. ${askForPromise(promise)}`
  );
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [`## ${title}`, ...lines.map((line) => `- ${line}`)].join("\n");
}
