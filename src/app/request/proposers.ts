import { chooseModels } from "../../hands/providers/choose-models.js";
import { createModel } from "../../hands/providers/create-model.js";
import { modelProposer } from "../../hands/providers/model-proposer.js";
import type { Configuration } from "../../model/settings/configuration.js";
import type { ExecutionPolicy } from "../../model/plan/policy.js";
import type { Amounts } from "../../model/run.js";
import type { Proposer } from "../../mind/propose/proposer.js";
import { agentProposer, type AgentProposerOptions } from "./agent-proposer.js";
import { agentSettings } from "../../hands/attempts/agents-of.js";
import { workerOf } from "../../hands/attempts/configured-workers.js";
import { mayBeShown } from "../../mind/plan/models/rank-workers.js";
import { requireSandbox } from "../run/execute-run.js";

/* Who is asked to specify or to plan: an agent in a cage, or models in their order. Which, is configuration. */

export interface ProposersOptions extends AgentProposerOptions {
  /** What the request asks for: `preferences.model`. Nobody who is not that is asked then. */
  readonly preference?: string | undefined;
  /** What the policy lets leave the machine; null when there is none yet. */
  readonly policy: ExecutionPolicy | null;
}

export interface ChosenProposers {
  readonly proposers: readonly Proposer[];
  /** What all of it together may use. */
  readonly budget: Amounts;
  readonly left_out: readonly { readonly name: string; readonly reason: string }[];
}

/** More calls than this are no question any more. */
const MOST_CALLS = 200;

const MODEL = "model:";

/**
 * `who` is an agent's name or `model:ID`. Contract: throws NOT_FOUND for an agent that is neither configured nor a preset,
 * SANDBOX_MISSING for one that could only be started without a sandbox when nobody ordered that.
 * Models that may not be asked are left out with the reason; nobody at all is a failure only when asked.
 */
export function chooseProposers(who: string, options: ProposersOptions): ChosenProposers {
  const { configuration, models, environment, policy, preference } = options;
  const { tokens, cost_usd, minutes: configured } = configuration.proposing;
  const minutes = Math.min(configured, (options.child?.time_limit_ms ?? Infinity) / 60_000);
  const budget = { tokens, cost_usd, minutes, files: 0, commits: 0, api_calls: MOST_CALLS };
  const sensitivity = policy?.models.least_sensitivity ?? policy?.models.default_sensitivity ?? "internal";
  const first = who.startsWith(MODEL) ? who.slice(MODEL.length) : undefined;
  if (first === undefined && (preference === undefined || isPlayedBy(preference, who, configuration))) {
    const { settings } = agentSettings(who, configuration, models);
    const worker = workerOf(who, settings, null, configuration, models);
    const shown = mayBeShown(worker, sensitivity, policy?.models.cloud_allowed_up_to ?? "internal");
    if (!shown.allowed) return { proposers: [], budget, left_out: [{ name: who, reason: shown.reason }] };
    // Before anybody is asked: nobody could be.
    requireSandbox(options.unsafeNoSandbox);
    return { proposers: [agentProposer(who, options)], budget, left_out: [] };
  }
  const { chosen, left_out } = chooseModels({
    configuration,
    first,
    preference,
    registry: models,
    policy,
    sensitivity,
  });
  const proposers = chosen.map(({ name, settings }) =>
    modelProposer(createModel(name, { settings, registry: models, environment })),
  );
  return { proposers, budget, left_out };
}

/** Whether an agent is the one that was asked for: by its own name, or by that of the program behind it. */
function isPlayedBy(preference: string, agent: string, { agents }: Configuration): boolean {
  return agent === preference || (Object.hasOwn(agents, agent) && agents[agent]?.preset === preference);
}
