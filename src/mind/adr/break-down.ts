import { AdrTask, BUILDER_OF } from "../../model/adr.js";
import { codePoints } from "../../model/primitives.js";
import type { TaskType } from "../../model/task.js";
import { findDependencies } from "./dependencies.js";
import type { LearnedModel } from "../../foundation/learned/model.js";
import { findWork, type Unclear, type Why, type Work } from "./find-work.js";
import { fold, plain } from "./fold.js";
import type { ParsedAdr } from "./parse-adr.js";
import { isTestPath, layerOf, pathsIn, typeOf } from "./task-kind.js";

/** The work of a decision record. */
export interface Breakdown {
  /** The tasks it asks for, in its order. */
  readonly tasks: readonly AdrTask[];
  /** Why none of it may be queued; null when it may. Only an accepted record gives work. */
  readonly held: string | null;
  /** How many more it asks for than the most that are taken. */
  readonly omitted: number;
  /** Why each task was taken for one, in their order. */
  readonly why: readonly Why[];
  /** Whether the record lists work; where it does not, tasks are sentences of its prose. */
  readonly listed: boolean;
  /** Sentences that may oblige somebody and were not made into tasks. */
  readonly unclear: readonly Unclear[];
}

/** A plan holds no more tasks than this. */
const MOST_TASKS = 200;

/** Break a record into tasks; `model` weighs its sentences. Contract: pure; the same record gives the same tasks; dependencies have no cycle. */
export function breakDown(adr: ParsedAdr, model: LearnedModel): Breakdown {
  const held = heldBecause(adr);
  if (isDead(adr)) return { tasks: [], held, omitted: 0, why: [], listed: false, unclear: [] };
  const { work: found, listed, unclear } = findWork(adr, model);
  const asked = found.filter(({ text }) => codePoints(titleOf(text)) >= 3);
  const work = asked.slice(0, MOST_TASKS);
  const name = (at: number) => `TASK-${adr.label.replace(/^ADR-/, "")}-${String(at + 1).padStart(3, "0")}`;
  const linked = work.map((entry) => ({
    ...entry,
    text: titleText(entry),
    layer: layerOf(titleText(entry), typeOf(titleText(entry))),
    paths: pathsOf(entry),
  }));
  const dependencies = findDependencies(linked, name);
  const tasks = work.map((entry, at) =>
    taskOf(entry, {
      id: name(at),
      adr: adr.label,
      dependencies: (dependencies[at] ?? []).map(({ on, reason }) => ({ task: name(on), reason: cut(reason, 240) })),
    }),
  );
  return { tasks, held, omitted: asked.length - work.length, why: work.map(({ why }) => why), listed, unclear };
}

/** Nobody will do what was rejected, given up or replaced. A record that was replaced in parts may still ask for the rest. */
function isDead({ status, partly }: ParsedAdr): boolean {
  return status === "rejected" || status === "deprecated" || (status === "superseded" && !partly);
}

function heldBecause({ label, status, partly, supersededBy }: ParsedAdr): string | null {
  switch (status) {
    case "accepted":
      return null;
    case "proposed":
      return `${label} is proposed: its tasks are queued when it is accepted.`;
    case "rejected":
      return `${label} was rejected: it gives no tasks.`;
    case "deprecated":
      return `${label} is deprecated: it gives no tasks.`;
    case "superseded": {
      const by = supersededBy === null ? "" : ` by ${supersededBy}`;
      if (partly) return `${label} is superseded in parts${by}: a person has to say which tasks still hold.`;
      return `${label} is superseded${by}: it gives no tasks.`;
    }
    case null:
      return `${label} states no status: its tasks are queued when it is accepted.`;
  }
}

const PROMISE: Readonly<Record<TaskType, string>> = {
  feature: "FEATURE_COMPLETE",
  bugfix: "BUGFIX_COMPLETE",
  test: "TESTS_COMPLETE",
  quality: "QUALITY_COMPLETE",
  docs: "DOCS_COMPLETE",
  infra: "INFRA_COMPLETE",
};

/** How many rounds a builder is given at first, before what stands under the task is counted. */
const ITERATIONS: Readonly<Record<TaskType, number>> = {
  feature: 5,
  bugfix: 4,
  test: 4,
  quality: 4,
  docs: 2,
  infra: 5,
};
const MOST_ITERATIONS = 15;

function taskOf(work: Work, known: Pick<AdrTask, "id" | "adr" | "dependencies">): AdrTask {
  const type = typeOf(titleText(work));
  const paths = pathsOf(work);
  return {
    id: known.id,
    adr: known.adr,
    title: titleOf(titleText(work)),
    description: cut([work.text, ...work.details].join("\n"), 4000),
    type,
    agent: BUILDER_OF[type],
    dependencies: known.dependencies,
    status: "pending",
    priority: priorityOf(work),
    estimated_iterations: Math.min(MOST_ITERATIONS, ITERATIONS[type] + work.details.length),
    completion_promise: PROMISE[type],
    files: paths.filter((path) => !isTestPath(path)),
    tests: paths.filter(isTestPath),
  };
}

function titleText({ text, verb }: Work): string {
  return verb === null ? text : `${verb} ${text}`;
}

function pathsOf({ text, details }: Work): readonly string[] {
  return pathsIn([text, ...details].join("\n"));
}

/** The stated priority; else P1 for what has to be, P2 for what should be, P3 for what may be. */
function priorityOf({ text, tentative }: Work): AdrTask["priority"] {
  const [, stated] = /\b(P[0-3])\b/.exec(text) ?? [];
  const known = AdrTask.shape.priority.safeParse(stated);
  if (known.success) return known.data;
  if (tentative) return "P3";
  return /\b(?:should|sollte|devrait|deberia|deveria|dovrebbe|zou moeten)\b/.test(fold(text)) ? "P2" : "P1";
}

/** One line that fits: the whole text, else its first sentence, else as many words as there is room for. */
function titleOf(text: string): string {
  const line = plain(text).replace(/[\s;,:：；，]+$/, "");
  if (line.length <= 160) return line;
  const [sentence = ""] = /^.{20,158}?[.。](?=\s|$)/.exec(line) ?? [];
  return sentence === "" ? cut(line, 160) : sentence;
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const room = text.slice(0, most - 1);
  // Half of a character is none.
  const whole = /[\uD800-\uDBFF]$/.test(room) ? room.slice(0, -1) : room;
  return `${whole.replace(/\s+\S*$/, "") || whole}…`;
}
