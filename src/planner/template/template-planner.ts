import type { Proposal, ProposedTask } from "../../model/proposal.js";
import type { Planner, PlannerInput } from "../planner.js";
import { cut, oneLine, safePaths, slugOf, titleOf, whole } from "../words.js";
import { kindOfWork } from "./kind-of-work.js";
import { factStrings } from "./fact-strings.js";
import { type Places, placesOf, sourceToChange, sourceToExtend } from "./places.js";
import type { TemplateTask } from "./template.js";
import { TEMPLATES } from "./templates.js";

/*
 * The planner that needs no model: the kind of work chooses a template, words and facts fill it. It proposes little and
 * always the same, which is what a person can check at a glance; a planner with a model may propose more.
 */

export const templatePlanner: Planner = {
  name: "template",
  plan: (input) => Promise.resolve({ status: "success", proposal: proposeFromTemplate(input), usage: null }),
};

/** Contract: pure and total. The same input gives the same bytes; no path is `**` by itself. */
export function proposeFromTemplate(input: Pick<PlannerInput, "text" | "intake" | "spec" | "facts">): Proposal {
  const { text, intake, spec, facts } = input;
  const kind = kindOfWork(intake, text);
  const template = TEMPLATES[kind];
  const places = placesOf(text, facts);
  const slug = slugOf(spec?.objective ?? text);
  const drawn = template.tasks({ text, slug, places });
  const points = pointsOf(text);
  return {
    workflow_id: template.workflow,
    reason: template.reason,
    tasks: laidOut(drawn, points, { title: titleOf(spec?.objective ?? text), slug, told: toldOf(input) }),
    risks: risksOf(input, kind),
    recommendations: [
      ...(kind === "release" ? ["Tag and publish by hand when the run is merged: nothing is published by it."] : []),
      ...scopeNotes(drawn, places, facts),
    ],
  };
}

/** How wide the work may write, and why: a person who reads the plan may narrow or widen it. */
function scopeNotes(drawn: readonly TemplateTask[], places: Places, facts: PlannerInput["facts"]): string[] {
  const { narrowing } = places;
  const source = [...sourceToExtend(places), ...sourceToChange(places)];
  if (!drawn.some(({ files }) => source.some((path) => files.includes(path)))) return [];
  if (factStrings(facts, "source_places").length === 0)
    return places.named.source.length > 0
      ? []
      : ["Name the files in the request: nothing is known of where the project keeps its source."];
  if (narrowing === null && places.named.source.length === 0)
    return [
      "It may write all source: nothing in the words names a file, a package or a definition. Name some to narrow it.",
    ];
  const scope = source.filter((path) => drawn.some(({ files }) => files.includes(path)));
  const why = narrowing?.because ?? [`it names ${places.named.source.join(", ")}`];
  return [
    cut(
      `It may write ${[...new Set(scope)].join(", ")}, because ${why.join(" and ")}. Name files to have it otherwise.`,
      500,
    ),
  ];
}

const MOST_POINTS = 8;
const POINT = /^\s{0,8}(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ x]\]\s+)?(\S.*)$/;

interface Points {
  readonly texts: readonly string[];
  /** Numbered: the one before it comes first. */
  readonly ordered: boolean;
}

/** What a request lists one under another. A single point is no list, and a long list is detail of one thing. */
function pointsOf(text: string): Points {
  const lines = whole(text).split(/\r?\n/);
  const found = lines.filter((line) => POINT.test(line));
  const texts = found.map((line) => oneLine(POINT.exec(line)?.[1] ?? "")).filter((point) => /\p{L}{2}/u.test(point));
  if (texts.length < 2 || texts.length > MOST_POINTS) return { texts: [], ordered: false };
  return { texts, ordered: found.every((line) => /^\s*\d/.test(line)) };
}

interface Naming {
  readonly title: string;
  readonly slug: string;
  readonly told: string;
}

/** The template's tasks in order; the main one once for each point. What comes later waits for all before it. */
function laidOut(drawn: readonly TemplateTask[], points: Points, naming: Naming): ProposedTask[] {
  const tasks: ProposedTask[] = [];
  for (const task of drawn) {
    const before = tasks.map(({ id }) => id);
    if (!task.main || points.texts.length === 0) {
      tasks.push(taskOf(task, `${task.verb}-${naming.slug}`, `${task.title}${naming.title}`, before, naming.told));
      continue;
    }
    for (const [at, point] of points.texts.entries()) {
      const previous = tasks.at(-1)?.id;
      const waits = points.ordered && at > 0 && previous !== undefined ? [...new Set([...before, previous])] : before;
      const told = `${naming.told}\n\nYour part of it: ${point}`;
      tasks.push(taskOf(task, `${task.verb}-${slugOf(point)}-${at + 1}`, titleOf(point), waits, told));
    }
  }
  return tasks;
}

function taskOf(
  task: TemplateTask,
  id: string,
  title: string,
  dependencies: readonly string[],
  told: string,
): ProposedTask {
  return {
    id,
    title: cut(title, 160),
    description: cut(`${task.says}\n\n${told}`, 4000),
    type: task.type,
    command_id: task.command,
    dependencies: [...dependencies],
    priority: task.priority,
    estimated_iterations: task.iterations,
    files: safePaths(task.files),
    tests: safePaths(task.tests),
  };
}

/** The request word for word, and what must be true in the end. */
function toldOf({ text, spec }: Pick<PlannerInput, "text" | "spec">): string {
  const asked = `What was asked:\n${cut(whole(text).trim(), 3000)}`;
  if (spec === null) return asked;
  const requirements = spec.requirements.map(({ id, description }) => `- ${id}: ${oneLine(description)}`);
  const excluded = spec.out_of_scope.map((line) => `- ${oneLine(line)}`);
  return ["What must be true in the end:", ...requirements, "", "What is not asked for:", ...excluded, "", asked].join(
    "\n",
  );
}

function risksOf({ intake, facts }: Pick<PlannerInput, "intake" | "facts">, kind: string): Proposal["risks"] {
  const risks: Proposal["risks"] = [];
  if (intake.estimate?.complexity === "large")
    risks.push({
      risk: "The request is large for one plan.",
      severity: "medium",
      mitigation: "Split it into requests that can be merged one by one.",
    });
  const tests = facts?.facts["has_tests"];
  if (kind !== "docs" && kind !== "research" && tests !== undefined && !Array.isArray(tests) && tests.value === false)
    risks.push({
      risk: "The project has no tests, so what breaks goes unnoticed.",
      severity: "medium",
      mitigation: "The plan writes tests for what it changes; write some for what is there first.",
    });
  if (kind === "migration" || kind === "vulnerability")
    risks.push({
      risk:
        kind === "migration"
          ? "Stored data outlives the code that changes it."
          : "A half-closed weakness looks closed.",
      severity: "high",
      mitigation: "A person reviews it before it is merged.",
    });
  return risks;
}
