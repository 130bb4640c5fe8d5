import type { PlanState } from "../../model/tape.js";

/*
 * The thirteen states of planning and the moves between them. There is one loop, from AWAITING_ANSWERS back to
 * RULES_EVALUATED, for answers that a rule contradicts. BLOCKED is for what a person can mend in the data; ABORTED is
 * for what must not be planned at all.
 */
export type FromState = PlanState | "INIT";

export const MOVES: Readonly<Record<FromState, readonly PlanState[]>> = {
  INIT: ["RECEIVED"],
  RECEIVED: ["PRECHECKED", "BLOCKED", "ABORTED"],
  PRECHECKED: ["CONTEXT_BUILT", "BLOCKED", "ABORTED"],
  CONTEXT_BUILT: ["RULES_EVALUATED", "BLOCKED", "ABORTED"],
  RULES_EVALUATED: ["GRAPH_DRAFTED", "BLOCKED", "ABORTED"],
  GRAPH_DRAFTED: ["QUESTIONS_EMITTED", "GRAPH_FINALIZED", "BLOCKED", "ABORTED"],
  QUESTIONS_EMITTED: ["AWAITING_ANSWERS", "BLOCKED", "ABORTED"],
  AWAITING_ANSWERS: ["GRAPH_FINALIZED", "RULES_EVALUATED", "BLOCKED", "ABORTED"],
  GRAPH_FINALIZED: ["REVIEW_PACK_BUILT", "BLOCKED", "ABORTED"],
  REVIEW_PACK_BUILT: ["FROZEN_OUTPUTS", "BLOCKED", "ABORTED"],
  FROZEN_OUTPUTS: ["DONE", "BLOCKED", "ABORTED"],
  DONE: [],
  BLOCKED: [],
  ABORTED: [],
};
