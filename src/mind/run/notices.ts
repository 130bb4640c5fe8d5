import type { NoticeAbout } from "../../model/settings/record-config.js";
import { isOver, type RunState } from "./state.js";
import type { InboxEntry } from "./inbox-entry.js";

/**
 * A notice to somebody about a run: an effect like every other, with a stable id, that follows from the state alone.
 * It is asked for beside the run and not with each event, because nothing of the run waits for it.
 */
export interface NotifyEffect {
  readonly kind: "notify";
  readonly id: string;
  readonly about: NoticeAbout;
  /** The entry that waits; null for the end of the run. */
  readonly entry: string | null;
}

/** Contract: pure. Anyone who folds the same log finds the same. A review of work that is not there yet is not news. */
export function noticesOf(state: RunState): NotifyEffect[] {
  if (isOver(state)) {
    const about = state.status === "failed" ? "failed" : "ended";
    return [{ kind: "notify", id: "notify:end", about, entry: null }];
  }
  return state.inbox
    .filter((entry) => isPressing(state, entry))
    .map(({ id }) => ({ kind: "notify", id: `notify:${id}`, about: "waiting", entry: id }));
}

function isPressing({ layout, tasks, plan_approved }: RunState, entry: InboxEntry): boolean {
  if (entry.kind !== "review" || layout === null) return true;
  const guarded = layout.plan.tasks.flatMap((task, i) => (task.gates.includes(entry.id) ? [i] : []));
  const isNext = (index: number) => {
    const { state } = tasks.get(index);
    return state.status !== "pending" || state.waiting_on === 0;
  };
  return plan_approved && (guarded.length === 0 || guarded.some(isNext));
}
