/** How a task in the work queue can stand. */
export const QUEUE_STATUSES = [
  "pending",
  "in_progress",
  "completed",
  "blocked",
  "failed",
  "skipped",
  "cancelled",
] as const;
