import { CoordinatorError } from "../../model/errors.js";
import type { IntentLock } from "../../model/plan/intent.js";
import type { FactPack, MemoryPack } from "../../model/settings/packs.js";
import type { ExecutionPolicy } from "../../model/plan/policy.js";
import type { AnswerPack } from "../../model/plan/questions.js";
import type { Registry } from "../../model/plan/registry.js";
import { renderBundle, type PlanBundle } from "../../mind/plan/bundle.js";
import { explain, type Explanation, type ExplainSource, similarIds } from "../../mind/plan/explain.js";
import type { Watch } from "../../mind/plan/graph/build-graph.js";
import { type PlanInputs, prepareRegistry } from "../../mind/plan/inputs.js";
import { plan, type PlanOutcome } from "../../mind/plan/plan.js";
import { readExplainSource } from "../../mind/plan/read-plan.js";
import { type SealResult, sealIntent } from "../../mind/plan/inputs/seal-intent.js";
import type { Services } from "../../mind/plan/services.js";
import { type FoundFile, inputsOf, type PlanVerification, verifyPlan } from "../../mind/plan/verify-plan.js";

/*
 * Making, proving and explaining plans. Each method reads as the pipeline does: the hands bring what is needed, the mind
 * decides, the hands put the result away. All other use cases are listed in `app/coordinator.ts`.
 *
 *   intent ─▶ plan ─▶ frozen plan        a plan is made once, by rules, from inputs that are saved inside it
 *   frozen plan ─▶ verify                anyone can make it again from those inputs and compare
 *   frozen plan ─▶ explain               every decision in it says which rule, which evidence, which alternatives
 */

/** The hands a Coordinator works with. `compose.ts` is where they are chosen. */
export interface Parts extends Services {
  readonly now: () => string;
  readonly plans: {
    readonly write: (folder: string, files: ReadonlyMap<string, string>) => Promise<void>;
    readonly read: (folder: string) => Promise<ReadonlyMap<string, FoundFile>>;
  };
}

export interface PlanRequest {
  /** The raw intent document. */
  readonly intent: unknown;
  readonly lock?: IntentLock | null;
  readonly policy: ExecutionPolicy;
  readonly registry: Registry;
  readonly facts: FactPack | null;
  readonly memory: MemoryPack | null;
  readonly answers?: readonly AnswerPack[];
  /** When planning takes place; the present moment when absent. */
  readonly now?: string;
  /** Called with the graph after each of its transforms, for people who debug one. */
  readonly watch?: Watch;
  /** The folder to write the plan to; nothing is written when absent. */
  readonly out?: string;
}

export interface PlanReport {
  readonly outcome: PlanOutcome;
  /** The plan's files; null when planning was refused, and then nothing was written. */
  readonly bundle: PlanBundle | null;
}

export interface Coordinator {
  /** Make a plan and freeze it. Contract: the folder is touched only when there is a plan or a question to put there. */
  readonly plan: (request: PlanRequest) => Promise<PlanReport>;
  /** Go on with a plan that waits for answers, from the inputs saved in it. */
  readonly resume: (folder: string, answers: AnswerPack, now?: string) => Promise<PlanReport>;
  /** Prove that a plan follows from its inputs and that no bit of it was changed. */
  readonly verify: (folder: string) => Promise<PlanVerification>;
  readonly explain: (folder: string, id: string) => Promise<Explanation>;
  /** Seal an intent: its checksum, and the registry versions it was made against. */
  readonly seal: (intent: unknown, registry: Registry) => SealResult;
}

export function createCoordinator(parts: Parts): Coordinator {
  return {
    plan: (request) => makePlan(parts, inputsFrom(parts, request), request.out, request.watch),
    resume: (folder, answers, now) => resumePlan(parts, folder, answers, now),
    verify: async (folder) => verifyPlan(await parts.plans.read(folder), parts),
    explain: (folder, id) => explainFromPlan(parts, folder, id),
    seal: (intent, registry) => sealIntent(intent, prepareRegistry(registry, parts), parts),
  };
}

function inputsFrom(parts: Parts, request: PlanRequest): PlanInputs {
  const now = request.now ?? parts.now();
  const answers = request.answers ?? [];
  return {
    intent: request.intent,
    lock: request.lock ?? null,
    policy: request.policy,
    registry: prepareRegistry(request.registry, parts),
    facts: request.facts,
    memory: request.memory,
    answers,
    instants: [now, ...answers.map(() => now)],
  };
}

/** The heart: rules decide (plan), the outputs are frozen (renderBundle), and only then is anything written. */
async function makePlan(parts: Parts, inputs: PlanInputs, out: string | undefined, watch?: Watch): Promise<PlanReport> {
  const outcome = plan(inputs, parts, watch);
  if (outcome.state !== "DONE" && outcome.state !== "AWAITING_ANSWERS") return { outcome, bundle: null };
  const bundle = renderBundle(outcome, inputs, parts);
  // Answers that cannot be taken change nothing: what waits on disk goes on waiting.
  if (out !== undefined && !outcome.invalidInput) await parts.plans.write(out, bundle.files);
  return { outcome, bundle };
}

async function resumePlan(parts: Parts, folder: string, answers: AnswerPack, now?: string): Promise<PlanReport> {
  const found = await parts.plans.read(folder);
  const verification = verifyPlan(found, parts);
  if (!verification.passed)
    throw new CoordinatorError("PLAN_CHANGED", `The plan in ${folder} does not verify: ${firstFailure(verification)}`, {
      fix: "Plan again; a changed plan is not resumed.",
    });
  if (verification.manifest?.state !== "AWAITING_ANSWERS")
    throw new CoordinatorError(
      "USAGE",
      `The plan in ${folder} is ${verification.manifest?.state ?? "unreadable"} and waits for no answers`,
      { fix: "Only a plan in AWAITING_ANSWERS can be resumed." },
    );
  const inputs = inputsOf(found, parts);
  if (inputs === null) throw new CoordinatorError("PLAN_CHANGED", `The inputs saved in ${folder} cannot be read`);
  const resumed = {
    ...inputs,
    answers: [...inputs.answers, answers],
    instants: [...inputs.instants, now ?? parts.now()],
  };
  return makePlan(parts, resumed, folder);
}

function firstFailure({ checks }: PlanVerification): string {
  return checks.find((check) => !check.passed)?.detail ?? "unknown";
}

async function explainFromPlan(parts: Parts, folder: string, id: string): Promise<Explanation> {
  const source: ExplainSource = readExplainSource(await parts.plans.read(folder));
  const explanation = explain(id, source);
  if (explanation !== null) return explanation;
  const similar = similarIds(id, source);
  throw new CoordinatorError("NOT_FOUND", `The plan in ${folder} knows no ${id}`, {
    fix:
      similar.length > 0
        ? `Did you mean ${similar.join(", ")}?`
        : "Ids of nodes, rules and questions stand in plan.md and graph.json.",
  });
}
