import type { Proposal, ProposedTask } from "../../../model/proposal.js";
import type { Planner, PlannerInput } from "../planner.js";
import { cutText, oneLine, safePaths, slugOf, titleOf, replaceHalfCharacters } from "../words.js";
import { type ConcernedPart, criteriaOf, criteriaOfTask, questionsOf, risksOf } from "./concerns.js";
import { factStrings } from "./fact-strings.js";
import type { KindOfWork } from "./kind-of-work.js";
import { textAroundPoints } from "./list-points.js";
import { placeOnScaffold, type Places, placesOf, sourceToChange, sourceToExtend } from "./template-places.js";
import { placesApart } from "./points.js";
import { partsOfRequest } from "./request-parts.js";
import { type Scaffold, scaffoldFor } from "./scaffolds.js";
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

/** Contract: pure and total. Equal inputs give equal bytes; no path is `**` by itself. */
export function proposeFromTemplate(
  input: Pick<PlannerInput, "text" | "asked" | "intake" | "spec" | "facts">,
): Proposal {
  const { text, asked = text, intake, spec, facts } = input;
  const scaffold = scaffoldFor(text, intake.project_type.type);
  const placeOf = (part: string) => placeOnScaffold(placesOf(part, facts), scaffold);
  const { kind, points, ordered } = partsOfRequest(asked, intake, facts);
  const template = TEMPLATES[kind];
  // In a new project files that only prove the result do not say where all of it is kept.
  const places = placeOf(intake.approach === "new_project" ? asked : text);
  const slug = slugOf(spec?.objective ?? text);
  const drawn = template.tasks({ text, slug, places, scaffold });
  const around = points.length === 0 ? places : placeOf(textAroundPoints(asked));
  const parts = points.map((point): Part => {
    const own = placesApart(placeOf(point.text), around);
    const tasks = TEMPLATES[point.kind].tasks({ text: point.text, slug: slugOf(point.text), places: own, scaffold });
    return { ...point, places: own, task: tasks.find(({ main }) => main) };
  });
  const concerned = concernedParts({ text: asked, kind, drawn }, parts);
  const questions = questionsOf(concerned, text);
  return {
    workflow_id: template.workflow,
    reason: template.reason,
    tasks: orderTasks(withNews(drawn, parts, places), ordered, {
      title: titleOf(spec?.objective ?? text),
      slug,
      told: requestText(input),
      whole: { text, kind, demanded: intake.intent.acceptance },
    }),
    risks: [...foundRisks(input, kind), ...risksOf(concerned)].slice(0, 50),
    recommendations: [
      ...(kind === "release" ? ["Tag and publish by hand when the run is merged: nothing is published by it."] : []),
      ...(parts.length === 0
        ? scopeNotes("It", drawn, places, facts, scaffold)
        : parts.flatMap(({ task, places: own }, at) =>
            scopeNotes(`Part ${at + 1}`, task === undefined ? [] : [task], own, facts, scaffold),
          )),
    ],
    ...(questions.length === 0 ? {} : { open_questions: questions }),
  };
}

/** The parts that rules speak of: each point with its own command, or the whole request with its main one. */
function concernedParts(
  whole: { readonly text: string; readonly kind: KindOfWork; readonly drawn: readonly TemplateTask[] },
  parts: readonly Part[],
): ConcernedPart[] {
  const main = whole.drawn.find((task) => task.main)?.command ?? "";
  if (parts.length === 0) return [{ text: whole.text, kind: whole.kind, command: main }];
  return parts.map(({ text, kind, task }) => ({ text, kind, command: task?.command ?? main }));
}

/** How wide the work may write, and why: a person who reads the plan may narrow or widen it. */
function scopeNotes(
  who: string,
  drawn: readonly TemplateTask[],
  places: Places,
  facts: PlannerInput["facts"],
  scaffold: Scaffold,
): string[] {
  const { narrowing, named } = places;
  if (narrowing === null && named.source.length > 0 && named.source.every((path) => named.docs.includes(path)))
    return [];
  const source = [...sourceToExtend(places), ...sourceToChange(places)];
  if (!drawn.some(({ files }) => source.some((path) => files.includes(path)))) return [];
  if (factStrings(facts, "source_places").length === 0)
    return places.named.source.length > 0
      ? []
      : [
          `${who} may write the usual places of a ${scaffold.name} project: nothing is known of where this one keeps its source. Name files to have it otherwise.`,
        ];
  if (narrowing === null && places.named.source.length === 0)
    return [
      `${who} may write all source: nothing in the words names a file, a package or a definition. Name some to narrow it.`,
    ];
  const scope = source.filter((path) => drawn.some(({ files }) => files.includes(path)));
  const why = narrowing?.because ?? [`it names ${places.named.source.join(", ")}`];
  return [
    cutText(
      `${who} may write ${[...new Set(scope)].join(", ")}, because ${why.join(" and ")}. Name files to have it otherwise.`,
      500,
    ),
  ];
}

interface Naming {
  readonly title: string;
  readonly slug: string;
  readonly told: string;
  readonly whole: { readonly text: string; readonly kind: KindOfWork; readonly demanded: readonly string[] };
}

/** One point of a request, with the scope that its own words give it. */
interface Part {
  readonly text: string;
  readonly kind: KindOfWork;
  readonly places: Places;
  readonly task: TemplateTask | undefined;
}

interface Drawn {
  readonly task: TemplateTask;
  /** The point it is for; null for tasks of the whole request. */
  readonly point: Pick<Part, "text" | "kind"> | null;
}

/**
 * The template's tasks in order; the main one once for each point. Points whose scopes are apart share no changelog, or
 * they would have to wait for each other: the last of them writes it for all.
 */
function withNews(drawn: readonly TemplateTask[], parts: readonly Part[], { news }: Places): Drawn[] {
  return drawn.flatMap((task): Drawn[] => {
    if (!task.main || parts.length === 0) return [{ task, point: null }];
    const own = parts.map(({ text, kind, task: mine = task }) => ({ task: mine, point: { text, kind } }));
    const told = news.filter((path) => task.files.includes(path));
    const last = own.at(-1);
    if (last === undefined || told.length === 0 || own.some(({ task: { files } }) => files.includes(told[0] ?? "")))
      return own;
    const says = `${last.task.says} Write the changelog for all parts of the request: the others leave it to you.`;
    return [...own.slice(0, -1), { ...last, task: { ...last.task, says, files: [...last.task.files, ...told] } }];
  });
}

/** Later tasks wait for all before them; points wait for each other only when they are numbered. */
function orderTasks(drawn: readonly Drawn[], ordered: boolean, naming: Naming): ProposedTask[] {
  const tasks: ProposedTask[] = [];
  let before: string[] = [];
  drawn.forEach(({ task, point }, at) => {
    if (point === null) {
      before = tasks.map(({ id }) => id);
      const { text, kind, demanded } = naming.whole;
      tasks.push({
        ...taskOf(task, `${task.verb}-${naming.slug}`, `${task.title}${naming.title}`, before, naming.told),
        acceptance_criteria: task.main ? criteriaOf(text, kind, demanded) : criteriaOfTask(task),
      });
      return;
    }
    const number = drawn.slice(0, at + 1).filter((each) => each.point !== null).length;
    if (number === 1) before = tasks.map(({ id }) => id);
    const previous = tasks.at(-1)?.id;
    const waits = ordered && number > 1 && previous !== undefined ? [...new Set([...before, previous])] : before;
    const told = `${naming.told}\n\nYour part of it: ${point.text}`;
    tasks.push({
      ...taskOf(task, `${task.verb}-${slugOf(point.text)}-${number}`, titleOf(point.text), waits, told),
      acceptance_criteria: criteriaOf(point.text, point.kind, []),
    });
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
    title: cutText(title, 160),
    description: cutText(`${task.says}\n\n${told}`, 4000),
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
function requestText({ text, spec }: Pick<PlannerInput, "text" | "spec">): string {
  const asked = `What was asked:\n${cutText(replaceHalfCharacters(text).trim(), 3000)}`;
  if (spec === null) return asked;
  const requirements = spec.requirements.map(({ id, description }) => `- ${id}: ${oneLine(description)}`);
  const excluded = spec.out_of_scope.map((line) => `- ${oneLine(line)}`);
  return ["What must be true in the end:", ...requirements, "", "What is not asked for:", ...excluded, "", asked].join(
    "\n",
  );
}

/** Risks from the project and the size of the request, beside those of its kind. */
function foundRisks({ intake, facts }: Pick<PlannerInput, "intake" | "facts">, kind: string): Proposal["risks"] {
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
  return risks;
}
