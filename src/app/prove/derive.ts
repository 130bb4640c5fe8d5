import type { LoggedEvent, RunEvent } from "../../model/event.js";
import { apply } from "../../mind/run/apply.js";
import { NEW_RUN, type RunState } from "../../mind/run/state.js";
import { refusal, step } from "../../mind/run/transition.js";
import { prepareEvents } from "../../hands/store/chain/hash-event.js";

/*
 * Does a log follow the rules? What people and hands report is given; everything else in it must be what the transition
 * function makes of that, at its place.
 */

export interface Derivation {
  /** The first event that could not have been taken when it stands in the log, and why. */
  readonly impossible: { readonly sequence: number; readonly why: string } | null;
  /** The first event that is not what the rules of this version give there. */
  readonly other: { readonly sequence: number; readonly expected: string; readonly found: string } | null;
  /** Events that were reported, and events that follow from them. */
  readonly reported: number;
  readonly derived: number;
  /** The state of the run, as far as its log could be followed. */
  readonly state: RunState;
}

/** Contract: pure and total, whatever the events are. They are looked at in the order they are given. */
export interface LogDeriver {
  take(logged: LoggedEvent): void;
  finish(): Derivation;
}

export function createDeriver(): LogDeriver {
  let state: RunState = NEW_RUN;
  let impossible: Derivation["impossible"] = null;
  let other: Derivation["other"] = null;
  let reported = 0;
  let derived = 0;
  /** Events that must come next, because the event before them demands them. */
  let due: RunEvent[] = [];

  function take({ sequence, event, clock_ms }: LoggedEvent): void {
    if (impossible !== null) return;
    const expected = due.shift();
    try {
      if (expected !== undefined && textOf(expected) === textOf(event)) derived++;
      else {
        if (expected !== undefined) other ??= { sequence, expected: expected.type, found: event.type };
        const why = refusal(state, event);
        if (why !== null) return void (impossible = { sequence, why });
        reported++;
        due = step(state, event, clock_ms).events.slice(1);
      }
      state = apply(state, event, clock_ms);
    } catch {
      impossible = { sequence, why: "it does not fit the events before it" };
    }
  }

  return { take, finish: () => ({ impossible, other, reported, derived, state }) };
}

function textOf(event: RunEvent): string {
  return prepareEvents([{ event, at: "", clock_ms: 0 }])[0]?.text ?? "";
}
