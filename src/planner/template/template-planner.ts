import type { Proposal, ProposedTask } from "../../model/proposal.js";
import type { Planner, PlannerInput } from "../planner.js";
import { cut, oneLine, safePaths, slugOf, titleOf, whole } from "../words.js";
import { kindOfPoint, kindOfWork } from "./kind-of-work.js";
import { factStrings } from "./fact-strings.js";
import { type Places, placesOf, sourceToChange, sourceToExtend } from "./places.js";
import { textAroundPoints } from "./list-points.js";
import { placesApart, pointsOf } from "./points.js";
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
  const said = kindOfWork(intake, text);
  const points = pointsOf(text, said, (part) => placesOf(part, facts));
  // Where one point of a list changes code, the whole is not a document.
  const kinds = points.texts.map((point) => kindOfPoint(point, said));
  const kind = kinds.find((each) => each !== "docs") ?? said;
  const template = TEMPLATES[kind];
  const places = placesOf(text, facts);
  const slug = slugOf(spec?.objective ?? text);
  const drawn = template.tasks({ text, slug, places });
  const around = points.texts.length === 0 ? places : placesOf(textAroundPoints(text), facts);
  const parts = points.texts.map((point, at): Part => {
    const own = placesApart(placesOf(point, facts), around);
    const tasks = TEMPLATES[kinds[at] ?? said].tasks({ text: point, slug: slugOf(point), places: own });
    return { text: point, places: own, task: tasks.find(({ main }) => main) };
  });
  return {
    workflow_id: template.workflow,
    reason: template.reason,
    tasks: laidOut(withNews(drawn, parts, places), points.ordered, {
      title: titleOf(spec?.objective ?? text),
      slug,
      told: toldOf(input),
    }),
    risks: risksOf(input, kind),
    recommendations: [
      ...(kind === "release" ? ["Tag and publish by hand when the run is merged: nothing is published by it."] : []),
      ...(parts.length === 0
        ? scopeNotes("It", drawn, places, facts)
        : parts.flatMap(({ task, places: own }, at) =>
            scopeNotes(`Part ${at + 1}`, task === undefined ? [] : [task], own, facts),
          )),
    ],
  };
}

/** How wide the work may write, and why: a person who reads the plan may narrow or widen it. */
function scopeNotes(
  who: string,
  drawn: readonly TemplateTask[],
  places: Places,
  facts: PlannerInput["facts"],
): string[] {
  const { narrowing, named } = places;
  if (narrowing === null && named.source.length > 0 && named.source.every((path) => named.docs.includes(path)))
    return [];
  const source = [...sourceToExtend(places), ...sourceToChange(places)];
  if (!drawn.some(({ files }) => source.some((path) => files.includes(path)))) return [];
  if (factStrings(facts, "source_places").length === 0)
    return places.named.source.length > 0
      ? []
      : ["Name the files in the request: nothing is known of where the project keeps its source."];
  if (narrowing === null && places.named.source.length === 0)
    return [
      `${who} may write all source: nothing in the words names a file, a package or a definition. Name some to narrow it.`,
    ];
  const scope = source.filter((path) => drawn.some(({ files }) => files.includes(path)));
  const why = narrowing?.because ?? [`it names ${places.named.source.join(", ")}`];
  return [
    cut(
      `${who} may write ${[...new Set(scope)].join(", ")}, because ${why.join(" and ")}. Name files to have it otherwise.`,
      500,
    ),
  ];
}

interface Naming {
  readonly title: string;
  readonly slug: string;
  readonly told: string;
}

/** One point of a request, with the scope that its own words give it. */
interface Part {
  readonly text: string;
  readonly places: Places;
  readonly task: TemplateTask | undefined;
}

interface Drawn {
  readonly task: TemplateTask;
  /** The point it is for; null for tasks of the whole request. */
  readonly point: string | null;
}

/**
 * The template's tasks in order; the main one once for each point. Points whose scopes are apart share no changelog, or
 * they would have to wait for each other: the last of them writes it for all.
 */
function withNews(drawn: readonly TemplateTask[], parts: readonly Part[], { news }: Places): Drawn[] {
  return drawn.flatMap((task): Drawn[] => {
    if (!task.main || parts.length === 0) return [{ task, point: null }];
    const own = parts.map(({ text, task: mine = task }) => ({ task: mine, point: text }));
    const told = news.filter((path) => task.files.includes(path));
    const last = own.at(-1);
    if (last === undefined || told.length === 0 || own.some(({ task: { files } }) => files.includes(told[0] ?? "")))
      return own;
    const says = `${last.task.says} Write the changelog for all parts of the request: the others leave it to you.`;
    return [...own.slice(0, -1), { ...last, task: { ...last.task, says, files: [...last.task.files, ...told] } }];
  });
}

/** What comes later waits for all before it; points wait for each other only when they are numbered. */
function laidOut(drawn: readonly Drawn[], ordered: boolean, naming: Naming): ProposedTask[] {
  const tasks: ProposedTask[] = [];
  let before: string[] = [];
  drawn.forEach(({ task, point }, at) => {
    if (point === null) {
      before = tasks.map(({ id }) => id);
      tasks.push(taskOf(task, `${task.verb}-${naming.slug}`, `${task.title}${naming.title}`, before, naming.told));
      return;
    }
    const number = drawn.slice(0, at + 1).filter((each) => each.point !== null).length;
    if (number === 1) before = tasks.map(({ id }) => id);
    const previous = tasks.at(-1)?.id;
    const waits = ordered && number > 1 && previous !== undefined ? [...new Set([...before, previous])] : before;
    const told = `${naming.told}\n\nYour part of it: ${point}`;
    tasks.push(taskOf(task, `${task.verb}-${slugOf(point)}-${number}`, titleOf(point), waits, told));
  });
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
