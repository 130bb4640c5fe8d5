import { NOTHING } from "./amounts.js";
import { Chunked } from "./chunked.js";
import { layOut } from "./layout.js";
import type { PlanRef } from "../../model/run.js";
import { ReadyQueue } from "./ready-queue.js";
import { alter, NEW_RUN, type RunState } from "./state.js";
import type { TaskRecord } from "./task-record.js";

/*
 * A state as plain data, for anyone who keeps one beside its log. Parts that follow from the plan are left out and made again.
 */

export interface PackedState extends Omit<RunState, "tasks" | "ready" | "layout" | "levels"> {
  readonly tasks: readonly TaskRecord[];
  readonly ready: readonly number[];
  /** The order of the tasks may be another than the plan's: people change priorities. */
  readonly layout: { readonly plan: PlanRef; readonly place: Int32Array } | null;
  readonly levels: { readonly open: readonly number[]; readonly current: number } | null;
}

export function packState({ tasks, ready, layout, levels, ...rest }: RunState): PackedState {
  return {
    ...rest,
    tasks: [...tasks],
    ready: [...ready],
    layout: layout === null ? null : { plan: layout.plan, place: layout.place },
    levels: levels === null ? null : { open: [...levels.open], current: levels.current },
  };
}

/** Contract: the state that was packed, for this very version of the program. */
export function unpackState({ tasks, ready, layout, levels, ledger, ...rest }: PackedState): RunState {
  const laidOut = layout === null ? null : { ...layOut(layout.plan), place: layout.place };
  return alter(NEW_RUN, {
    ...rest,
    tasks: Chunked.of(tasks),
    ready: ReadyQueue.of(ready, laidOut?.place ?? new Int32Array()),
    layout: laidOut,
    levels: levels === null ? null : { open: Chunked.of(levels.open), current: levels.current },
    // Nothing in flight is told by the value itself, and not by its zeros.
    ledger: {
      ...ledger,
      open: ledger.open.map((one) => (isNothing(one.in_flight) ? { ...one, in_flight: NOTHING } : one)),
    },
  });
}

function isNothing(amounts: typeof NOTHING): boolean {
  return Object.values(amounts).every((amount) => amount === 0);
}
