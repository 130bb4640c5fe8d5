import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PlanReport } from "../../coordinator.js";
import { scanRepository } from "../../facts/scan-repository.js";
import { uuidOf } from "../../flow/messages.js";
import { type FlowOutcome, planRequest } from "../../flow/plan-request.js";
import { withAnswers } from "../../intake/answers.js";
import { toResponse } from "../../intake/respond.js";
import { diagnosticsOf } from "../../model/diagnostic.js";
import { type AdrSource, RequestOpening } from "../../model/opening.js";
import type { Configuration } from "../../model/configuration.js";
import { UserRequest } from "../../model/request.js";
import type { InputType } from "../../model/routing.js";
import { preferring } from "../../planner/preferences.js";
import type { Planner } from "../../planner/planner.js";
import { makeStateFolder, type StateFolder } from "../../runs/state-folder.js";
import { EXIT } from "../exit-codes.js";
import { failed, finished, type Finished, type PlanMade } from "../report.js";
import type { Surroundings } from "../surroundings.js";
import { readDocuments, readProjectContext } from "./context-registry.js";
import { readAnswers, readIntakePolicy } from "./intake.js";
import { reportPlan } from "./plan.js";
import { askersOf } from "./planners.js";
import { inputFailure, loadProjectRegistry, readPolicy, registryFailure } from "./project.js";
import { projectPacks } from "./project-facts.js";
import { loadRoutingPolicy } from "./routing-policy.js";
import { type Undone, undoneBy } from "./undone.js";
import { whoDecides } from "./who.js";
import { writeWhole } from "./write-file.js";

/** What a plan is asked for with, in words or by a decision record. */
export interface Asking {
  readonly words: string;
  /** The same words and time give the same plan. */
  readonly now: string | undefined;
  readonly by: string | undefined;
  /** A file with answers to what intake asked. */
  readonly clarify: string | undefined;
  readonly model: "claude" | "ollama" | undefined;
  readonly maxTokens: number | undefined;
  readonly maxSeconds: number | undefined;
  readonly policy: string | undefined;
  readonly registries: readonly string[];
  readonly facts: string | undefined;
  readonly memory: string | undefined;
  /** Where the plan is written to; nothing is written when absent. */
  readonly out: string | undefined;
  /** What is typed to ask again, for the person. */
  readonly again: string;
  /** The whole request, when it came as one: its words are `words`. */
  readonly request?: UserRequest;
  /** For a decision record: what it is, who proposes its tasks, and that it is an explicit instruction. */
  readonly adr?: { readonly source: AdrSource; readonly planner: Planner; readonly type: InputType };
}

export type Answer =
  | {
      readonly status: "planned";
      readonly made: PlanReport;
      readonly opening: RequestOpening;
      readonly finished: Planned;
    }
  /** There is no plan, and this is why; `undone` when that is a decision about the request. */
  | { readonly status: "ended"; readonly finished: Finished; readonly undone?: Undone };
type Planned = Finished & { readonly report: PlanMade };

export interface PlanningAround {
  readonly surroundings: Surroundings;
  readonly environment: NodeJS.ProcessEnv;
  /** Ends whoever specifies or plans. */
  readonly signal: AbortSignal;
  readonly unsafeNoSandbox: boolean;
}

/** From words to a frozen plan. Contract: nothing is written unless there is a plan or questions to put down. */
export async function planFromWords(
  asking: Asking,
  at: StateFolder,
  configuration: Configuration,
  { surroundings, environment, signal, unsafeNoSandbox }: PlanningAround,
): Promise<Answer> {
  const { coordinator, parts, progress } = surroundings;
  const intakePolicy = await readIntakePolicy(undefined);
  const routing = await loadRoutingPolicy(undefined);
  const policy = await readPolicy(asking.policy);
  const answers = await readAnswers(asking.clarify);
  const packs = await projectPacks(at, asking, configuration.project, surroundings);
  const context = await readProjectContext();
  const registry = await loadProjectRegistry(asking.registries);
  const inputs = [intakePolicy, routing, policy, answers, packs, context];
  const problems = inputs.flatMap((one) => (one.ok ? [] : one.problems));
  if (!intakePolicy.ok || !routing.ok || !policy.ok || !answers.ok || !packs.ok || !context.ok)
    return ended(inputFailure(problems));
  const broken = registryFailure(registry);
  if (broken !== null) return ended(broken);
  const timestamp = asking.now ?? parts.now();
  const request = UserRequest.safeParse(asking.request ?? requestOf(asking, timestamp, surroundings));
  if (!request.success) return ended(inputFailure(diagnosticsOf(request.error, "DOCUMENT_INVALID")));
  const family = request.data.context?.preferences?.model;
  const preferred = preferring(policy.value, family, registry.registry.models);

  const { facts, memory } = packs;
  const known = { at, configuration, registry, request: request.data, policy: preferred, facts, memory };
  const askers = askersOf({ ...known, environment, unsafeNoSandbox });

  progress("Judging, routing and planning …");
  const outcome = await planRequest(
    {
      request: withAnswers(request.data, answers.value),
      by: whoDecides(asking.by),
      intakePolicy: intakePolicy.value,
      repository: (await scanRepository(at.root)).facts ?? undefined,
      routingPolicy: routing.policy,
      context: context.value,
      read: (refs) => readDocuments(at.root, refs),
      ...(asking.adr === undefined ? {} : { inputType: asking.adr.type, adr: asking.adr.source }),
      registry: registry.registry,
      policy: preferred,
      facts,
      memory,
      planner: asking.adr?.planner ?? askers.planner,
      specify: askers.specify,
      signal,
    },
    parts,
  );
  if (outcome.status !== "drafted")
    return {
      status: "ended",
      finished: notDrafted(outcome, asking, timestamp, intakePolicy.value.policy_id, surroundings),
      undone: undoneBy(outcome, request.data),
    };
  const made = await coordinator.plan({
    intent: outcome.intent,
    policy: preferred,
    registry: registry.registry,
    facts,
    memory,
    now: timestamp,
  });
  const out = made.bundle === null || made.outcome.invalidInput ? undefined : asking.out;
  if (out !== undefined && made.bundle !== null) {
    // First what the plan was made from: a plan without it would be carried out as if nobody had asked for it.
    await keepOpening(at, outcome.opening);
    await parts.plans.write(out, made.bundle.files);
  }
  const report = reportPlan(made, { out, intent: null, registry, answers: null, stages: [], again: asking.again });
  const told = [...outcome.told, ...recommendations(outcome.opening)];
  const next =
    out !== undefined && made.outcome.state === "DONE" ? [`coordinator run --plan ${out}`] : report.report.next;
  return {
    status: "planned",
    made,
    opening: outcome.opening,
    finished: { exitCode: report.exitCode, report: { ...report.report, told, next } },
  };
}

function requestOf(asking: Asking, timestamp: string, { parts }: Surroundings): unknown {
  const { words, model, maxTokens, maxSeconds, adr } = asking;
  const preferences = {
    ...(model === undefined ? {} : { model }),
    ...(maxTokens === undefined ? {} : { max_budget_tokens: maxTokens }),
    ...(maxSeconds === undefined ? {} : { max_time_seconds: maxSeconds }),
  };
  const named = adr === undefined ? [timestamp, words] : [adr.source.label, adr.source.checksum];
  return {
    request_id: uuidOf(parts.sha256(JSON.stringify(named))),
    timestamp,
    user_request: words,
    context: { preferences },
  };
}

function notDrafted(
  outcome: Exclude<FlowOutcome, { status: "drafted" }>,
  { again }: Asking,
  timestamp: string,
  policyId: string,
  { parts }: Surroundings,
): Finished {
  switch (outcome.status) {
    case "refused": {
      const { intake: decision } = outcome;
      const response_id = uuidOf(parts.sha256(JSON.stringify([timestamp, decision])));
      return finished(decision.decision === "rejected" ? EXIT.refused : EXIT.waiting, {
        type: "intake",
        decision,
        response: toResponse(decision, { response_id, timestamp }),
        policyId,
        problems: [],
        screen: null,
        again: `${again} --clarify answers.yaml`,
      });
    }
    case "unrouted":
      return finished(outcome.routing.status === "failed" ? EXIT.failed : EXIT.waiting, {
        type: "route",
        decision: outcome.routing,
        policyId,
        description: null,
        problems: [],
        screen: null,
      });
    case "questions":
      return failed(EXIT.waiting, "QUESTIONS_OPEN", `${outcome.by} has to know more before there can be a plan`, {
        problems: outcome.questions.map((message) => ({ code: "QUESTION_UNANSWERED", path: "", message })),
        fix: "Ask again with the answers in the words.",
      });
    case "failed":
      return notProposed(outcome);
  }
}

/** Nothing came about, which may go better another time, or something came about that a rule refuses. */
function notProposed({ by, problems }: Extract<FlowOutcome, { status: "failed" }>): Finished {
  const all = (code: string) => problems.length > 0 && problems.every((problem) => problem.code === code);
  const fix = "Mend what is named, or let somebody else do it: planner and product in coordinator.yaml.";
  if (all("PROPOSAL_FAILED"))
    return failed(EXIT.failed, "PROPOSAL_FAILED", `${by} made no proposal`, { problems, fix });
  if (all("SPEC_FAILED")) return failed(EXIT.failed, "SPEC_FAILED", `${by} made no Intent Spec`, { problems, fix });
  if (all("SPEC_REFUSED"))
    return failed(EXIT.refused, "SPEC_REFUSED", `The Intent Spec of ${by} breaks rules`, { problems, fix });
  return failed(EXIT.refused, "PROPOSAL_REFUSED", `What ${by} proposed cannot be planned`, { problems, fix });
}

function recommendations({ messages }: RequestOpening): readonly string[] {
  return messages.flatMap((message) => (message.type === "planning_response" ? message.payload.recommendations : []));
}

function ended(result: Finished): Answer {
  return { status: "ended", finished: result };
}

/** What was asked stands by the checksum of its intent: whoever carries the plan out finds it, wherever the plan is. */
function openingFile({ folder }: StateFolder, intentChecksum: string): string {
  return join(folder, "requests", `${intentChecksum}.json`);
}

/** What went before the plan in a folder; null for one that nobody asked for in words. */
export async function openingOf(
  at: StateFolder,
  files: ReadonlyMap<string, { readonly text: string }>,
): Promise<RequestOpening | null> {
  const checksum = checksumIn(files.get("inputs/intent.json")?.text ?? "");
  if (checksum === null) return null;
  const read = await readFile(openingFile(at, checksum), "utf8").catch(() => null);
  if (read === null) return null;
  const opening = RequestOpening.safeParse(JSON.parse(read));
  return opening.success && opening.data.intent_checksum === checksum ? opening.data : null;
}

function checksumIn(intent: string): string | null {
  try {
    const { audit } = JSON.parse(intent) as { audit?: { checksum?: unknown } };
    return typeof audit?.checksum === "string" && /^[0-9a-f]{64}$/.test(audit.checksum) ? audit.checksum : null;
  } catch {
    return null;
  }
}

async function keepOpening(at: StateFolder, opening: RequestOpening): Promise<void> {
  makeStateFolder(at);
  await writeWhole(openingFile(at, opening.intent_checksum), `${JSON.stringify(opening, null, 2)}\n`);
}
