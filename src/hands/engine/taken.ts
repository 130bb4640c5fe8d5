import type { Effect } from "../../mind/run/effects.js";
import type { RunState } from "../../mind/run/state.js";
import type { NewEvent } from "../store/event-store.js";

/** What a commit is going to say, and what follows from it. */
export class Taken {
  state: RunState;
  readonly events: NewEvent[] = [];
  readonly effects: Effect[] = [];
  /** Those that need not wait for the commit. */
  readonly ahead: Effect[] = [];
  /** Why events that were asked for are not among them, by their place in what was asked. Mostly all are. */
  readonly refusals = new Map<number, string>();
  asked = 0;

  constructor(state: RunState) {
    this.state = state;
  }
}
