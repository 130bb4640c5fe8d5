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

/** Those of the event store, which no command reaches while it only plans. */
export const STORE_CRASH_POINTS = ["store.before_commit", "store.after_commit"] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number] | (typeof STORE_CRASH_POINTS)[number];

let armed: ((point: CrashPoint) => void) | null = null;

/** For tests only. */
export function armCrashPoints(action: (point: CrashPoint) => void): void {
  armed = action;
}

export function crashPoint(point: CrashPoint): void {
  armed?.(point);
}
