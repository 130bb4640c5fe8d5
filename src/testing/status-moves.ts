import type { RunStatus } from "../model/run.js";

/** Which status may follow which, as the specification draws it: what the statuses of logs are held against. */
const STATUS_MOVES: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  pending: ["in_progress"],
  in_progress: ["completed", "failed", "blocked"],
  blocked: ["in_progress", "failed"],
  completed: [],
  failed: [],
};

export const mayMove = (from: RunStatus, to: RunStatus): boolean => STATUS_MOVES[from].includes(to);
