import type { Deed, Hands, RunDeed } from "../../hands/engine/hands.js";
import type { ContractAction } from "../../model/settings/contract.js";
import { type InForce, requireAction } from "../../mind/contract/permit.js";

/* The one gate between a run and its hands: no deed is done that the contract does not let the Coordinator do. */

const ACTION_OF_DEED: Readonly<Record<(Deed | RunDeed)["kind"], ContractAction>> = {
  start_attempt: "assign_task",
  stop_attempt: "stop_attempt",
  verify: "verify_result",
  integrate: "integrate_result",
  resolve_conflict: "integrate_result",
  review_level: "review_level",
  prove_requirements: "verify_result",
};

/** What the deeds of a run are in the words of the contract. */
export const ACTIONS_OF_DEEDS: readonly ContractAction[] = Object.values(ACTION_OF_DEED);

/** Contract: a deed that is not permitted is not begun; the run halts with the clause, and its log stays as it is. */
export function guardHands(inForce: InForce): (hands: Hands) => Hands {
  return ({ act, actOnRun, repeatable }) => ({
    ...(repeatable === undefined ? {} : { repeatable }),
    act: (runId, deed, wanted) => {
      requireAction(inForce, ACTION_OF_DEED[deed.kind]);
      return act(runId, deed, wanted);
    },
    ...(actOnRun === undefined
      ? {}
      : {
          actOnRun: (runId, deed, wanted) => {
            requireAction(inForce, ACTION_OF_DEED[deed.kind]);
            return actOnRun(runId, deed, wanted);
          },
        }),
  });
}

/** Contract: throws before a run is begun that could only halt on its way. */
export function requireDeeds(inForce: InForce): void {
  for (const action of ACTIONS_OF_DEEDS) requireAction(inForce, action);
}
