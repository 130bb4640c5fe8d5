import type { Activity } from "../../hands/checks/on-trees/activity.js";
import { ago } from "../../foundation/text/figures.js";
import { oneLine } from "../../foundation/text/one-line.js";

/** An activity is reported only when it takes longer than this. */
const WORTH_TELLING_MS = 3000;
/** How often it is reported again where a line cannot be drawn over. */
const AGAIN_MS = 30_000;

/** `test on the base, 34 s: 120 passed, 2 failed`; the last line it printed where tests are not counted. */
export function activityLine(
  { what, on, task_id, since, passed, failed, last, ended, outcome, note }: Activity,
  now: string,
): string {
  if (note !== undefined) return oneLine(note);
  const counts = [...(passed > 0 ? [`${passed} passed`] : []), ...(failed > 0 ? [`${failed} failed`] : [])].join(", ");
  const where = on === "" ? "" : ` on ${on}`;
  const whose = task_id === null ? "" : ` of ${task_id}`;
  const head = `${oneLine(what)}${where}${whose}`;
  if (ended !== null) return `${head}: ${outcome} after ${ago(since, ended)}`;
  const told = counts === "" ? oneLine(last).slice(0, 100) : counts;
  return `${head}, ${ago(since, now)}${told === "" ? "" : `: ${told}`}`;
}

/** For streams of lines: reports a long activity when it proves long, every half minute, and when it is over; notes once. */
export class ActivityTeller {
  readonly #told = new Map<string, number>();

  /** The lines to be said now. */
  take(activities: readonly Activity[], now: string): string[] {
    const at = Date.parse(now);
    return activities.flatMap((activity) => {
      const { id, since, ended, note } = activity;
      const last = this.#told.get(id);
      const isOver = ended !== null;
      const due = isOver
        ? (last !== undefined || note !== undefined) && last !== Infinity
        : last === undefined
          ? at - Date.parse(since) >= WORTH_TELLING_MS
          : at - last >= AGAIN_MS;
      if (isOver) this.#told.set(id, Infinity);
      else if (due) this.#told.set(id, at);
      return due ? [activityLine(activity, now)] : [];
    });
  }
}
