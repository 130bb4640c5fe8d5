import type { PlanReport } from "../plan/planning.js";
import { scanRepository } from "../../hands/facts/scan-repository.js";
import { planRequest } from "../../mind/request/plan-request.js";
import { withoutSecrets } from "../../foundation/files/known-secrets.js";
import { diagnosticsOf } from "../../model/diagnostic.js";
import type { RequestOrigin } from "../../model/request-origin.js";
import { UserRequest } from "../../model/request.js";
import { boundsOf } from "../../mind/route/child-scope.js";
import type { Finished } from "../report.js";
import type { PlanMade } from "../plan-reports.js";
import type { CommandContext } from "../command-context.js";
import { bySide, clarifications, planWithAnswers } from "./answers-to-plan.js";
import { type RequestOptions, requestOf, withoutSaidSecrets } from "./request-options.js";
import { readDocuments, readProjectContext } from "../project/context-registry.js";
import { readHarmModel } from "../learned/harm-model.js";
import { readAnswers, readIntakePolicy } from "./intake.js";
import { reportUnplanned } from "./report-unplanned.js";
import { keepCorrections } from "../learned/keep-corrections.js";
import { writeOrigin } from "./origin-file.js";
import { reportPlan } from "../plan/plan.js";
import { readPlanCuts, refuseEmptyTasks } from "./plan-bounds.js";
import { askersOf } from "../plan/planners.js";
import { inputFailure } from "../project/input-failure.js";
import { readPolicy } from "../project/project-documents.js";
import { registryFailure } from "../project/project-registry.js";
import { projectPacks } from "../project/project-facts.js";
import { loadRoutingPolicy } from "./routing-policy.js";
import { readyRepository, withSettings, withWishes } from "../project/settings-in-policy.js";
import { type UnplannedRequest, toUnplannedRequest } from "./unplanned-request.js";
import { currentUser } from "../decide/current-user.js";

export type Answer =
  | {
      readonly status: "planned";
      readonly made: PlanReport;
      readonly opening: RequestOrigin;
      readonly finished: Planned;
    }
  /** There is no plan, and this is why; `undone` when that is a decision about the request. */
  | {
      readonly status: "ended";
      readonly finished: Finished;
      readonly undone?: UnplannedRequest;
      /** When the first decision stood. */
      readonly decided_at?: string;
    };
type Planned = Finished & { readonly report: PlanMade };

export interface PlanningContext {
  readonly context: CommandContext;
  /** Ends the specifier or the planner. */
  readonly signal: AbortSignal;
  readonly unsafeNoSandbox: boolean;
  /** When the request came in; now when absent. */
  readonly receivedAt?: string | undefined;
  /** Who was named to work on all of it. */
  readonly agent?: string | undefined;
}

/** From words to a frozen plan. Contract: nothing is written unless there is a plan or questions to put down. */
export async function planFromWords(
  asked: RequestOptions,
  { context, signal, unsafeNoSandbox, agent, receivedAt }: PlanningContext,
): Promise<Answer> {
  const { parts, project, progress, cwd } = context;
  const { at } = project;
  // Said before anything is read: on a large repository the rest takes a while.
  progress("Reading the repository, the registry and the policies …");
  const { configuration } = await project.settings();
  const received_at = receivedAt ?? parts.now();
  let decided_at = received_at;
  const asking = withoutSaidSecrets(asked);
  const intakePolicy = await readIntakePolicy(undefined, cwd);
  const routing = await loadRoutingPolicy(undefined, cwd);
  const policy = await readPolicy(asking.policy, cwd);
  const answers = await readAnswers(asking.clarify, cwd);
  const words = [asking.words, ...(asking.answers ?? []).map(({ answer }) => answer)].join("\n\n");
  const packs = await projectPacks({ ...asking, words }, configuration.project, context);
  const documents = await readProjectContext(cwd);
  const registry = await project.registry(asking.registries);
  const inputs = [intakePolicy, routing, policy, answers, packs, documents];
  const problems = inputs.flatMap((one) => (one.ok ? [] : one.problems));
  if (!intakePolicy.ok || !routing.ok || !policy.ok || !answers.ok || !packs.ok || !documents.ok)
    return endedAnswer(inputFailure(problems));
  const broken = registryFailure(registry);
  if (broken !== null) return endedAnswer(broken);
  const timestamp = asking.now ?? parts.now();
  const said = bySide(asking.answers ?? []);
  const request = UserRequest.safeParse(asking.request ?? requestOf(asking, timestamp, context));
  if (!request.success) return endedAnswer(inputFailure(diagnosticsOf(request.error, "DOCUMENT_INVALID")));
  const family = request.data.context?.preferences?.model;
  const { models } = registry.registry;
  const sensitivity = request.data.context?.data_sensitivity;
  const wished = withWishes(policy.value, { model: family, sensitivity }, models);
  const preferred = withSettings(wished, configuration, models, { agent, model: family });

  const { facts, memory } = packs;
  const known = { project, configuration, registry, request: request.data, policy: preferred, facts, memory };
  const bounds = boundsOf(routing.policy.policy, "product");
  const askers = askersOf({ ...known, unsafeNoSandbox, bounds });

  const by = currentUser(asking.by, context.project);
  const given = [...withoutSecrets(clarifications(answers.value, by)), ...said.flow];
  const harm = await readHarmModel();
  progress("Judging, routing and planning …");
  const outcome = await planRequest(
    {
      request: request.data,
      answers: given,
      by,
      intakePolicy: intakePolicy.value,
      harm,
      secondOpinion: askers.secondOpinion,
      repository: (await scanRepository(at.root)).facts ?? undefined,
      routingPolicy: routing.policy,
      context: documents.value,
      read: (refs) => readDocuments(at.root, refs),
      ...(asking.adr === undefined
        ? typeSaid(asking, by)
        : { inputType: asking.adr.type, adr: asking.adr.source, records: asking.adr.records }),
      ...(asking.queue === undefined ? {} : { inputType: asking.queue.type }),
      cut: asking.adr?.planner !== undefined || asking.queue !== undefined,
      registry: registry.registry,
      policy: preferred,
      facts,
      memory,
      planner: asking.adr?.planner ?? asking.queue?.planner ?? askers.planner,
      specify: askers.specify,
      signal,
      decided: () => void (decided_at = parts.now()),
    },
    parts,
  );
  if (outcome.status !== "drafted")
    return {
      status: "ended",
      decided_at,
      finished: reportUnplanned(outcome, asking, timestamp, intakePolicy.value.policy_id, context),
      undone: toUnplannedRequest(outcome, request.data, said.flow),
    };
  const judged = { asking, request: request.data, answers: given, routing: routing.policy };
  await keepCorrections({ ...judged, safety: { policy: intakePolicy.value, harm }, by, at: timestamp }, context);
  const inputsOfPlan = { policy: outcome.policy, registry: registry.registry, facts, memory, now: timestamp };
  const made = await planWithAnswers({ intent: outcome.intent, ...inputsOfPlan }, said.plan, context);
  // Anyone who answered the plan's own rules stands in the run's log as everybody does who was asked before.
  const opening: RequestOrigin = {
    ...outcome.opening,
    answers: [...outcome.opening.answers, ...said.plan],
    ...(asking.queue === undefined ? {} : { queue: asking.queue.file }),
    times: { received_at, decided_at, planned_at: parts.now() },
  };
  const cuts = await readPlanCuts(made.outcome.graph, {
    project,
    bounds: opening.bounds ?? bounds,
    agents: registry.registry.agents,
    hosts: configuration.scope.network,
  });
  const refused = refuseEmptyTasks(cuts);
  if (refused !== null) return { status: "ended", decided_at, finished: refused };
  const out = made.bundle === null || made.outcome.invalidInput ? undefined : asking.out;
  if (out !== undefined && made.bundle !== null) {
    // First what the plan was made from: a plan without it would be carried out as if nobody had asked for it.
    await writeOrigin(at, opening);
    await parts.plans.write(out, made.bundle.files);
  }
  const report = reportPlan(made, { out, intent: null, registry, answers: null, stages: [], again: asking.again });
  const told = [...outcome.told, ...recommendations(opening), ...cuts.told];
  const next =
    out !== undefined && made.outcome.state === "DONE" ? [`coordinator run --plan ${out}`] : report.report.next;
  return {
    status: "planned",
    made,
    opening,
    finished: {
      exitCode: report.exitCode,
      report: { ...report.report, told, next, ground: readyRepository(configuration, outcome.policy) },
    },
  };
}

/** Records the type that a person gave the request, and who. */
function typeSaid({ type, via = "command" }: RequestOptions, by: string) {
  if (type === undefined) return {};
  return { inputType: type, decider: { by, how: "person", via } as const };
}

function recommendations({ messages }: RequestOrigin): readonly string[] {
  return messages.flatMap((message) => (message.type === "planning_response" ? message.payload.recommendations : []));
}

function endedAnswer(result: Finished): Answer {
  return { status: "ended", finished: result };
}
