import type { PlanReport, PlanRequest } from "./planning.js";
import type { Diagnostic } from "../../model/diagnostic.js";
import type { Sensitivity } from "../../model/primitives.js";
import { AnswerPack } from "../../model/plan/questions.js";
import { printDraft } from "../../mind/plan/graph/build-graph.js";
import type { LoadedRegistry } from "../../hands/registry/load-registry.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import type { Finished } from "../report.js";
import type { PlanMade } from "../plan-reports.js";
import type { CommandContext } from "../command-context.js";
import { answerPackFrom } from "../request/answers.js";
import { type Located, placeIn } from "../../foundation/documents/path-segments.js";
import { withoutLearning } from "../request/learning.js";
import { readPlanCuts, refuseEmptyTasks } from "../request/plan-bounds.js";
import { currentBounds } from "../request/routing-bounds.js";
import { readyRepository, withSettings, withWishes } from "../project/settings-in-policy.js";
import { placeInRule } from "../project/place-in-rule.js";
import { inputFailure } from "../project/input-failure.js";
import { readFacts, readLock, readMemory, readPolicy } from "../project/project-documents.js";
import { registryFailure } from "../project/project-registry.js";
import { type Input, readInput, readRaw } from "../project/read-input.js";

export interface PlanArguments {
  readonly intent: string;
  readonly policy: string | undefined;
  readonly registries: readonly string[];
  readonly facts: string | undefined;
  readonly memory: string | undefined;
  readonly answers: readonly string[];
  readonly now: string | undefined;
  readonly out: string | undefined;
  readonly stages: boolean;
  /** Whether what earlier runs taught counts; it does when absent. */
  readonly learning?: boolean;
  /** The model or family that the person who asks wants, and how sensitive the data is. */
  readonly model?: string | undefined;
  readonly sensitivity?: Sensitivity | undefined;
}

export interface ResumeArguments {
  readonly folder: string;
  readonly answersFile: string | undefined;
  /** Single answers as `question_id=text`. */
  readonly answers: readonly string[];
  readonly now: string | undefined;
}

/** Make a plan. Contract: nothing is written unless every input could be read and the engine made a plan. */
export async function makePlan(args: PlanArguments, context: CommandContext): Promise<Finished> {
  const { coordinator, parts, project, progress, cwd } = context;
  progress("Reading the registry and the inputs …");
  const intent = await readRaw(args.intent, cwd);
  const lock = await readLock(args.intent, cwd);
  const policy = await readPolicy(args.policy, cwd);
  const facts = await readFacts(args.facts, cwd);
  const remembered = await readMemory(args.memory, cwd);
  const memory = args.learning !== false ? remembered : withoutLearning(remembered, parts);
  const answers = await Promise.all(args.answers.map((file) => readInput(file, AnswerPack, cwd)));
  const registry = await project.registry(args.registries);
  const problems = problemsOf([intent, lock, policy, facts, memory, ...answers]);
  if (!intent.ok || !lock.ok || !policy.ok || !facts.ok || !memory.ok || problems.length > 0)
    return inputFailure(problems);
  const broken = registryFailure(registry);
  if (broken !== null) return broken;

  const loaded = await project.settings();
  if (loaded.problems.length > 0) return inputFailure(loaded.problems);
  const { configuration } = loaded;
  const bounds = await currentBounds(cwd);
  if ("problems" in bounds) return inputFailure(bounds.problems);
  // Who works is decided here, so that anyone who carries the plan out starts them and nobody else.
  const { models } = registry.registry;
  const asked = withWishes(policy.value, { model: args.model, sensitivity: args.sensitivity }, models);
  const inForce = withSettings(asked, configuration, models, { model: args.model });

  progress("Planning …");
  const stages: { stage: string; graph: string }[] = [];
  const request: PlanRequest = {
    intent: intent.value,
    lock: lock.value,
    policy: inForce,
    registry: registry.registry,
    facts: facts.value,
    memory: memory.value,
    answers: answers.flatMap((pack) => (pack.ok ? [pack.value] : [])),
    now: args.now ?? parts.now(),
    ...(args.stages ? { watch: (stage, draft) => stages.push({ stage, graph: printDraft(draft) }) } : {}),
  };
  const made = await (await coordinator()).plan(request);
  const cuts = await readPlanCuts(made.outcome.graph, {
    project,
    bounds,
    agents: registry.registry.agents,
    hosts: configuration.scope.network,
  });
  const refused = refuseEmptyTasks(cuts);
  if (refused !== null) return refused;
  if (args.out !== undefined && made.bundle !== null && !made.outcome.invalidInput)
    await parts.plans.write(args.out, made.bundle.files);
  const lastAnswers = answers.at(-1);
  const { report, exitCode } = reportPlan(made, {
    out: args.out,
    intent,
    registry,
    answers: lastAnswers?.ok === true ? lastAnswers : null,
    stages,
    again: `coordinator plan --intent ${args.intent} --out DIR`,
  });
  const { told } = cuts;
  const ground = inForce.workers === undefined ? {} : { ground: readyRepository(configuration, inForce) };
  return { exitCode, report: { ...report, ...(told.length === 0 ? {} : { told }), ...ground } };
}

/** Go on with a plan that waits for answers. Contract: a plan that cannot take the answers goes on waiting. */
export async function resumePlan(args: ResumeArguments, context: CommandContext): Promise<Finished> {
  const { coordinator, parts, cwd } = context;
  const now = args.now ?? parts.now();
  const answers =
    args.answersFile === undefined
      ? await answerPackFrom(args.folder, args.answers, now, context)
      : await readInput(args.answersFile, AnswerPack, cwd);
  if (!answers.ok) return inputFailure(answers.problems);
  const made = await (await coordinator()).resume(args.folder, answers.value, now);
  return reportPlan(made, {
    out: args.folder,
    intent: null,
    registry: null,
    answers: args.answersFile === undefined ? null : answers,
    stages: [],
    again: "",
  });
}

function problemsOf(inputs: readonly Input<unknown>[]): Diagnostic[] {
  return inputs.flatMap((input) => (input.ok ? [] : input.problems));
}

interface PlanReportContext {
  readonly out: string | undefined;
  readonly intent: Located | null;
  readonly registry: LoadedRegistry | null;
  readonly answers: Located | null;
  readonly stages: PlanMade["stages"];
  readonly again: string;
}

export function reportPlan(
  made: PlanReport,
  around: PlanReportContext,
): { readonly exitCode: ExitCode; readonly report: PlanMade } {
  const { outcome, bundle } = made;
  const { out, stages, again } = around;
  const writtenTo = bundle !== null && out !== undefined && !outcome.invalidInput ? out : null;
  const report: PlanMade = {
    type: "plan",
    ...made,
    problems: placeProblems(outcome.problems, around),
    writtenTo,
    stages,
    next: nextCommands(made, writtenTo ?? (outcome.invalidInput ? (out ?? null) : null), again),
  };
  return { exitCode: exitCodeOf(made), report };
}

function exitCodeOf({ outcome }: PlanReport): ExitCode {
  if (outcome.invalidInput) return EXIT.invalid;
  if (outcome.state === "DONE") return EXIT.done;
  return outcome.state === "AWAITING_ANSWERS" ? EXIT.waiting : EXIT.refused;
}

const IN_INTENT = /^(?:INTENT_|RED_LINE_|PLAN_LIMIT$|POLICY_BREACH$)/;

/** The problems the engine found, with their places in files, as far as files were read. */
function placeProblems(
  problems: readonly Diagnostic[],
  { intent, registry, answers }: Pick<PlanReportContext, "intent" | "registry" | "answers">,
): Diagnostic[] {
  const of = (belongs: (code: string) => boolean) => problems.filter(({ code }) => belongs(code));
  const inAnswers = (code: string) => code === "ANSWER_INVALID";
  const inIntent = (code: string) => IN_INTENT.test(code);
  const others = of((code) => !inAnswers(code) && !inIntent(code));
  return [
    ...(answers === null ? of(inAnswers) : placeIn(answers, of(inAnswers))),
    ...(intent === null ? of(inIntent) : placeIn(intent, of(inIntent))),
    ...others.map((problem) =>
      problem.code === "RULE_UNDECIDABLE" && registry !== null ? placeInRule(problem, registry) : problem,
    ),
  ];
}

function nextCommands({ outcome, bundle }: PlanReport, folder: string | null, again: string): string[] {
  if (bundle === null) return [];
  if (folder === null) return [again];
  if (outcome.state === "DONE") return [`coordinator verify ${folder}`];
  const first = outcome.questions.at(-1)?.questions[0]?.question_id ?? "ID";
  return [
    `coordinator plan --resume ${folder} --answers FILE`,
    `coordinator plan --resume ${folder} --answer ${first}=TEXT`,
  ];
}
