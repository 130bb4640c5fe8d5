/*
 * Named places at every commit boundary, where a process may die. They do nothing in the product; a test arms one and
 * kills the process there, so that "survives a crash here" is shown and not believed.
 */
export const CRASH_POINTS = [
  "plan.files_written",
  "plan.old_set_aside",
  "plan.new_in_place",
  "plan.old_removed",
] as const;

/** Crash points of the event store, which no command reaches while it only plans. */
export const STORE_CRASH_POINTS = ["store.before_commit", "store.after_commit"] as const;

/** Crash points of the process that asks for an effect, and those of the shim that does it. */
export const ASKER_CRASH_POINTS = [
  "instance.folder_made",
  "instance.order_written",
  "instance.shim_spawned",
  "instance.result_read",
] as const;
export const SHIM_CRASH_POINTS = [
  "shim.before_claim",
  "shim.claimed",
  "shim.body_ended",
  "shim.result_drafted",
  "shim.result_written",
] as const;

/** Crash points of the workspace: between any two of them a process may die and no work is lost. */
export const WORKSPACE_CRASH_POINTS = [
  "workspace.view_made",
  "workspace.clone_made",
  "workspace.handed_over",
  "workspace.imported",
  "workspace.ref_written",
  "workspace.salvage_written",
  "workspace.set_aside",
  "workspace.removed",
] as const;
/** Crash points of a conflict: judged and written down, and not in the log yet. */
export const RESOLVE_CRASH_POINTS = ["resolve.judged"] as const;
/** Crash points of the queue onto the run's branch: merged in memory, the branch moved, the branch published. */
export const INTEGRATE_CRASH_POINTS = ["integrate.merged", "integrate.ref_moved", "integrate.published"] as const;
/** Crash points of the requirements of a run whose tasks are done: seen and written down, and not in the log yet. */
export const REQUIREMENTS_CRASH_POINTS = ["requirements.proven", "requirements.written"] as const;
/** Crash points of a person's decision on its way into a run. */
export const SIGNAL_CRASH_POINTS = ["signal.left", "signal.taken", "signal.judged"] as const;

/** Crash points of a request on its way to a run: its run has begun, and the request's own log does not say so yet. */
export const REQUEST_CRASH_POINTS = ["request.run_begun"] as const;

/** Crash points of a handoff: its name is taken, the document is there. */
export const BOARD_CRASH_POINTS = ["board.handoff_named", "board.handoff_written"] as const;

/** Crash points of a notification: it is claimed, and it is sent but not in the log yet. */
const NOTICE_CRASH_POINTS = ["notice.claimed", "notice.sent"] as const;

export type CrashPoint =
  | (typeof CRASH_POINTS)[number]
  | (typeof STORE_CRASH_POINTS)[number]
  | (typeof ASKER_CRASH_POINTS)[number]
  | (typeof SHIM_CRASH_POINTS)[number]
  | (typeof WORKSPACE_CRASH_POINTS)[number]
  | (typeof RESOLVE_CRASH_POINTS)[number]
  | (typeof INTEGRATE_CRASH_POINTS)[number]
  | (typeof REQUIREMENTS_CRASH_POINTS)[number]
  | (typeof SIGNAL_CRASH_POINTS)[number]
  | (typeof REQUEST_CRASH_POINTS)[number]
  | (typeof BOARD_CRASH_POINTS)[number]
  | (typeof NOTICE_CRASH_POINTS)[number];

let armed: ((point: CrashPoint) => void) | null = null;

/** For tests only. */
export function armCrashPoints(action: (point: CrashPoint) => void): void {
  armed = action;
}

export function crashPoint(point: CrashPoint): void {
  armed?.(point);
}
