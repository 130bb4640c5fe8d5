import { configuredWorkers, type WorkersWanted } from "../../hands/attempts/configured-workers.js";
import { holdersOf } from "../decide/roles.js";
import type { Configuration } from "../../model/settings/configuration.js";
import type { ExecutionPolicy } from "../../model/plan/policy.js";
import { ReviewCategory, type Sensitivity } from "../../model/primitives.js";
import type { ModelEntry } from "../../model/plan/registry.js";
import { preferModel } from "../../mind/propose/preferences.js";
import type { PlanGround } from "../plan-reports.js";

/**
 * The policy a plan is made with: the team's own, and what the settings say of who works and who reviews. It is kept
 * with the plan, so that the plan can be made again. `wanted`: the agent and the model that the person who asks named.
 */
export function withSettings(
  policy: ExecutionPolicy,
  configuration: Configuration,
  models: readonly ModelEntry[],
  wanted: WorkersWanted = {},
): ExecutionPolicy {
  const workers = configuredWorkers(configuration, models, wanted);
  const named = ReviewCategory.options.flatMap((category) => {
    const holders = holdersOf(`${category}_reviewer`, configuration);
    return holders.length === 0 ? [] : [[category, holders.slice(0, 20)] as const];
  });
  return {
    ...policy,
    reviewers: { ...Object.fromEntries(named), ...policy.reviewers },
    ...(workers === null || policy.workers !== undefined ? {} : { workers }),
  };
}

/** The policy with the model or family that the person who asks prefers, and with how sensitive they say the data is at least. */
export function withWishes(
  policy: ExecutionPolicy,
  { model, sensitivity }: { readonly model: string | undefined; readonly sensitivity: Sensitivity | undefined },
  models: readonly ModelEntry[],
): ExecutionPolicy {
  const asked = preferModel(policy, model, models);
  return sensitivity === undefined ? asked : { ...asked, models: { ...asked.models, least_sensitivity: sensitivity } };
}

/** The settings that a person is shown beside a plan. */
export function readyRepository({ checks }: Configuration, { workers }: ExecutionPolicy): PlanGround {
  return { checks: checks.map(({ name, run }) => ({ name, run })), workers };
}
