import { chooseModels } from "../../hands/providers/choose-models.js";
import { createModel } from "../../hands/providers/create-model.js";
import { modelProposer } from "../../hands/providers/model-proposer.js";
import type { Configuration } from "../../model/settings/configuration.js";
import type { ModelSettings } from "../../model/settings/model-config.js";
import type { ExecutionPolicy, Worker } from "../../model/plan/policy.js";
import type { Sensitivity } from "../../model/primitives.js";
import type { Amounts } from "../../model/run.js";
import type { Proposer } from "../../mind/propose/proposer.js";
import { agentProposer, type AgentProposerOptions } from "./agent-proposer.js";
import { agentSettings } from "../../hands/attempts/agents-of.js";
import { modelWorker, workerOf } from "../../hands/attempts/configured-workers.js";
import { dataOf, holdForData } from "../../hands/attempts/data-class.js";
import { mayBeShown, describeWorker } from "../../mind/plan/models/rank-workers.js";
import { requireSandbox } from "../run/machine.js";

/* Who is asked to specify or to plan: an agent in a sandbox, or models in their order. Which, is configuration. */

export interface ProposersOptions extends AgentProposerOptions {
  /** The model that the request names: `preferences.model`. No other is asked then. */
  readonly preference?: string | undefined;
  /** The policy that says what may leave the machine; null when there is none yet. */
  readonly policy: ExecutionPolicy | null;
}

export interface ChosenProposers {
  readonly proposers: readonly Proposer[];
  /** The budget of all proposals together. */
  readonly budget: Amounts;
}

/** More calls than this are not a question any more. */
const MOST_CALLS = 200;

const MODEL = "model:";

/**
 * `who` is an agent's name or `model:ID`. Contract: throws NOT_FOUND for an agent that is neither configured nor a preset,
 * SANDBOX_MISSING for one that could only be started without a sandbox when nobody ordered that.
 * Anyone who may not be asked is left out; where nobody is left, asking fails with the reason of each.
 */
export function chooseProposers(who: string, options: ProposersOptions): ChosenProposers {
  const { configuration, models, project, policy, preference } = options;
  const { tokens, cost_usd, minutes: configured } = configuration.proposing;
  const minutes = Math.min(configured, (options.child?.time_limit_ms ?? Infinity) / 60_000);
  const budget = { tokens, cost_usd, minutes, files: 0, commits: 0, api_calls: MOST_CALLS };
  const data_sensitivity = policy?.models.least_sensitivity ?? policy?.models.default_sensitivity ?? "internal";
  const most = policy?.models.cloud_allowed_up_to ?? "internal";
  const mayBe = (worker: Worker) => mayBeShown(worker, data_sensitivity, most);
  const guard = (proposer: Proposer, worker: Worker): Proposer =>
    withinDataClass(proposer, worker, { data_sensitivity, configuration });
  const first = who.startsWith(MODEL) ? who.slice(MODEL.length) : undefined;
  if (first === undefined && (preference === undefined || isPlayedBy(preference, who, configuration))) {
    const { settings } = agentSettings(who, configuration, models);
    const worker = workerOf(who, settings, null, configuration, models);
    const shown = mayBe(worker);
    if (!shown.allowed) return { proposers: [refuseProposer({ name: who, reason: shown.reason })], budget };
    // Before anybody is asked: nobody could be.
    requireSandbox(options.unsafeNoSandbox);
    return { proposers: [guard(agentProposer(who, options), worker)], budget };
  }
  const mayAsk = (name: string, settings: ModelSettings) => mayBe(modelWorker(name, settings, configuration));
  const { chosen, left_out } = chooseModels({ configuration, first, preference, policy, mayAsk });
  const proposers = chosen.map(({ name, settings }) =>
    guard(
      modelProposer(createModel(name, { settings, registry: models, environment: project.environment })),
      modelWorker(name, settings, configuration),
    ),
  );
  return { proposers: proposers.length > 0 ? proposers : left_out.map(refuseProposer), budget };
}

/** Somebody who is never asked, and why. */
function refuseProposer({ name, reason }: { readonly name: string; readonly reason: string }): Proposer {
  const message = `${name} is not asked: ${reason}`;
  const failure = { kind: "structural", error: "model_unavailable", message } as const;
  return { name, propose: () => Promise.resolve({ status: "failed", failure, gone: true, output: "", usage: null }) };
}

/** Asked only with documents whose class the person's own settings accept it for, as an attempt is. */
function withinDataClass(
  proposer: Proposer,
  worker: Worker,
  {
    data_sensitivity,
    configuration,
  }: { readonly data_sensitivity: Sensitivity; readonly configuration: Configuration },
): Proposer {
  return {
    name: proposer.name,
    propose: async (inquiry, instance, signal) => {
      const data = dataOf({ data_sensitivity }, inquiry.documents, configuration);
      if (holdForData(worker, data) === null) return proposer.propose(inquiry, instance, signal);
      const message = `${data.sensitivity} data (${data.because}) is not shown to ${describeWorker(worker)}`;
      const failure = { kind: "structural", error: "model_unavailable", message } as const;
      return { status: "failed", failure, gone: true, output: "", usage: null };
    },
  };
}

/** Whether an agent is the one that was asked for: by its own name, or by that of the program behind it. */
function isPlayedBy(preference: string, agent: string, { agents }: Configuration): boolean {
  return agent === preference || (Object.hasOwn(agents, agent) && agents[agent]?.preset === preference);
}
