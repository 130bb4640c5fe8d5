import { byCodeUnit } from "../../../model/by-code-unit.js";
import type { Alternative } from "../../../model/plan/decision.js";
import type { ExecutionPolicy } from "../../../model/plan/policy.js";
import type { Sensitivity } from "../../../model/primitives.js";
import type { ModelEntry, TaskCapability } from "../../../model/plan/registry.js";

/** Whether data of this sensitivity may be shown to a model. Confidential and restricted data never leave the machine. */
export function checkCompliance(
  model: ModelEntry,
  sensitivity: Sensitivity,
  policy: ExecutionPolicy,
): { compliant: boolean; reason: string } {
  if (policy.models.denied.includes(model.id))
    return { compliant: false, reason: `the policy ${policy.policy_id} denies it` };
  if (model.location === "local") return { compliant: true, reason: "it runs on this machine" };
  if (sensitivity === "confidential" || sensitivity === "restricted")
    return { compliant: false, reason: `${sensitivity} data must not leave the machine` };
  if (sensitivity === "internal" && policy.models.cloud_allowed_up_to === "public")
    return { compliant: false, reason: "the policy lets only public data leave the machine" };
  return { compliant: true, reason: `${sensitivity} data may leave the machine` };
}

export const QUALITY_WANTED: Readonly<Record<TaskCapability, number>> = {
  extraction: 2,
  writing: 2,
  reasoning: 3,
  coding: 3,
  review: 3,
};
export const CONTEXT_WANTED: Readonly<Record<TaskCapability, number>> = {
  extraction: 8_000,
  writing: 16_000,
  reasoning: 32_000,
  coding: 64_000,
  review: 64_000,
};

export interface Ranking {
  readonly taskType: TaskCapability;
  readonly sensitivity: Sensitivity;
  readonly quality: number;
  readonly candidates: readonly ModelEntry[];
  readonly rejected: readonly Alternative[];
  /** The dearest model there is: what an action is assumed to cost when no model may be used. Never zero. */
  readonly dearest: ModelEntry | undefined;
}

/** Models that may be used for a kind of work, the best choice first, and why the others may not. */
export function rankModels(
  models: readonly ModelEntry[],
  taskType: TaskCapability,
  sensitivity: Sensitivity,
  quality: number,
  policy: ExecutionPolicy,
): Ranking {
  const candidates: ModelEntry[] = [];
  const rejected: Alternative[] = [];
  for (const model of models) {
    const { compliant, reason } = checkCompliance(model, sensitivity, policy);
    const why =
      model.status !== "active"
        ? `its status is ${model.status}`
        : model.location === "local" && !policy.models.installed.includes(model.id)
          ? "it is not installed (models.installed in the policy)"
          : !compliant
            ? reason
            : !model.capabilities.includes(taskType)
              ? `it is not for ${taskType}`
              : model.context_tokens < CONTEXT_WANTED[taskType]
                ? `its context of ${model.context_tokens} tokens is too small`
                : model.quality < quality
                  ? `its quality ${model.quality} is below the ${quality} wanted`
                  : null;
    if (why === null) candidates.push(model);
    else rejected.push({ alternative: model.id, reason_rejected: why });
  }
  const preference = (model: ModelEntry) =>
    policy.models.preferred.includes(model.id) ? policy.models.preferred.indexOf(model.id) : 1_000;
  const price = ({ price: p }: ModelEntry) => p.usd_per_million_in * 4 + p.usd_per_million_out;
  candidates.sort(
    (a, b) => preference(a) - preference(b) || price(a) - price(b) || b.quality - a.quality || byCodeUnit(a.id, b.id),
  );
  const dearest = models.reduce<ModelEntry | undefined>(
    (most, m) => (most === undefined || price(m) > price(most) ? m : most),
    undefined,
  );
  return { taskType, sensitivity, quality, candidates, rejected, dearest };
}
