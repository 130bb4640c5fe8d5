import type { EffectRunner, RunnableEffect } from "../../hands/engine/effect-runner.js";
import type { ContractAction } from "../../model/settings/contract.js";
import { type InForce, requireAction } from "../../mind/contract/permit.js";

/* The one gate between a run and its effects: none is carried out that the contract does not permit the Coordinator. */

const ACTION_OF_EFFECT: Readonly<Record<RunnableEffect["kind"], ContractAction>> = {
  start_attempt: "assign_task",
  stop_attempt: "stop_attempt",
  verify: "verify_result",
  integrate: "integrate_result",
  resolve_conflict: "integrate_result",
  review_level: "review_level",
  prove_requirements: "verify_result",
};

/** The actions of the contract that the effects of a run are. */
export const ACTIONS_OF_EFFECTS: readonly ContractAction[] = Object.values(ACTION_OF_EFFECT);

/** Contract: an effect that is not permitted is not begun; the run halts with the clause, and its log stays as it is. */
export function guardEffects(inForce: InForce): (runner: EffectRunner) => EffectRunner {
  return ({ run, repeatable }) => ({
    ...(repeatable === undefined ? {} : { repeatable }),
    run: (runId, effect, options) => {
      requireAction(inForce, ACTION_OF_EFFECT[effect.kind]);
      return run(runId, effect, options);
    },
  });
}

/** Contract: throws before a run is begun that could only halt on its way. */
export function requireEffectActions(inForce: InForce): void {
  for (const action of ACTIONS_OF_EFFECTS) requireAction(inForce, action);
}
