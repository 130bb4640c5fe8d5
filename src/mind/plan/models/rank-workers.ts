import type { Alternative } from "../../../model/plan/decision.js";
import { plainModelName } from "../../../model/settings/model-name.js";
import type { ExecutionPolicy, Worker } from "../../../model/plan/policy.js";
import { priceTokens, UNKNOWN_PRICE } from "../../../model/settings/prices.js";
import type { Sensitivity } from "../../../model/primitives.js";
import type { ModelEntry, TaskCapability } from "../../../model/plan/registry.js";
import { CONTEXT_WANTED } from "./rank-models.js";

/*
 * Which of the configured agents, each with one of its models, may do a kind of work, the best choice first. The
 * registry's facts about a model order the candidates; they never widen what a person's own settings accept for their data.
 */

export interface WorkerRanking {
  readonly candidates: readonly Worker[];
  readonly rejected: readonly Alternative[];
}

/** `claude with claude-sonnet-4-5`; an agent that chooses by itself is said to. */
export function describeWorker({ agent, model }: Pick<Worker, "agent" | "model">): string {
  return model === null ? `${agent} with a model of its own choice` : `${agent} with ${model}`;
}

/**
 * Whether data of this class may be shown to an agent with that model. Confidential and restricted data go only where the
 * person's own settings say that it stays on this machine, or accept the agent for that class.
 *
 * Contract: pure. This is asked when a plan is made and again when an attempt starts.
 */
export function mayBeShown(
  worker: Pick<Worker, "local" | "accepts">,
  sensitivity: Sensitivity,
  most: ExecutionPolicy["models"]["cloud_allowed_up_to"],
): { readonly allowed: boolean; readonly reason: string } {
  if (worker.local === true) return { allowed: true, reason: "what it is shown stays on this machine" };
  if (worker.accepts?.includes(sensitivity) === true)
    return { allowed: true, reason: `your own settings accept it for ${sensitivity} data` };
  if (sensitivity === "confidential" || sensitivity === "restricted")
    return { allowed: false, reason: `your own settings do not accept it for ${sensitivity} data (data_agents)` };
  if (sensitivity === "internal" && most === "public")
    return { allowed: false, reason: "the policy lets only public data leave the machine" };
  return { allowed: true, reason: `${sensitivity} data may leave the machine` };
}

/** Contract: pure; the order of `workers` is that of the settings and breaks ties. */
export function rankWorkers(
  workers: readonly Worker[],
  wanted: { readonly taskType: TaskCapability; readonly sensitivity: Sensitivity; readonly quality: number },
  models: readonly ModelEntry[],
  policy: ExecutionPolicy,
): WorkerRanking {
  const rejected: Alternative[] = [];
  const ranked: { worker: Worker; key: readonly number[] }[] = [];
  const agents = [...new Set(workers.map(({ agent }) => agent))];
  for (const [place, worker] of workers.entries()) {
    const entry = entryOf(worker.model, models);
    const shown = mayBeShown(worker, wanted.sensitivity, policy.models.cloud_allowed_up_to);
    const why = isDenied(worker, entry, policy)
      ? `the policy ${policy.policy_id} denies its model`
      : entry !== undefined && entry.status !== "active"
        ? `the registry says its model is ${entry.status}`
        : shown.allowed
          ? null
          : shown.reason;
    if (why !== null) {
      rejected.push({ alternative: describeWorker(worker), reason_rejected: why });
      continue;
    }
    const key = [
      preference(worker, entry, policy),
      agents.indexOf(worker.agent),
      doubts(entry, wanted),
      price(worker),
      place,
    ];
    ranked.push({ worker, key });
  }
  ranked.sort((a, b) => compare(a.key, b.key));
  return { candidates: ranked.map(({ worker }) => worker), rejected };
}

/** The entry of a model in the registry, by its id or by its name without provider and date. */
export function entryOf(model: string | null, models: readonly ModelEntry[]): ModelEntry | undefined {
  if (model === null) return undefined;
  const name = plainModelName(model);
  return models.find(({ id }) => id === model) ?? models.find(({ id }) => plainModelName(id) === name);
}

function isDenied({ model }: Worker, entry: ModelEntry | undefined, { models: { denied } }: ExecutionPolicy): boolean {
  return (model !== null && denied.includes(model)) || (entry !== undefined && denied.includes(entry.id));
}

const LAST = 1_000;

function preference(
  { model }: Worker,
  entry: ModelEntry | undefined,
  { models: { preferred } }: ExecutionPolicy,
): number {
  const places = [model, entry?.id].flatMap((id) => {
    const place = id === undefined || id === null ? -1 : preferred.indexOf(id);
    return place < 0 ? [] : [place];
  });
  return Math.min(LAST, ...places);
}

/** In how many ways the registry holds a model unfit for the work. One that it does not know is not doubted. */
function doubts(
  entry: ModelEntry | undefined,
  { taskType, quality }: { readonly taskType: TaskCapability; readonly quality: number },
): number {
  if (entry === undefined) return 0;
  const unfit = [
    !entry.capabilities.includes(taskType),
    entry.context_tokens < CONTEXT_WANTED[taskType],
    entry.quality < quality,
  ];
  return unfit.filter(Boolean).length;
}

/** Four times as much is read as written. */
const price = ({ price: known }: Worker) => priceTokens({ in: 4_000_000, out: 1_000_000 }, known ?? UNKNOWN_PRICE);

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [at, value] of a.entries()) {
    const difference = value - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
