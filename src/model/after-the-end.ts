import type { RunEventType } from "./event.js";

/** Events that may still be added to a run that is over. It changes nothing of what the run came to. */
export const AFTER_THE_END: ReadonlySet<RunEventType> = new Set(["approval_given", "notification_sent", "run_merged"]);
