import type { Effect } from "../../mind/run/effects.js";
import type { RunState } from "../../mind/run/state.js";
import type { NewEvent } from "../store/event-store.js";

/** The events of the next commit, the state they lead to, and the effects that follow from them. */
export class PendingCommit {
  state: RunState;
  readonly events: NewEvent[] = [];
  readonly effects: Effect[] = [];
  /** Effects that need not wait for the commit. */
  readonly ahead: Effect[] = [];
  /** Why a queued event is not part of the commit, by its place in the queue. Most are part of it. */
  readonly refusals = new Map<number, string>();
  /** How many queued events were judged. */
  judged = 0;

  constructor(state: RunState) {
    this.state = state;
  }
}
