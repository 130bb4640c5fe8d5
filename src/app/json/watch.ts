import { VERSION } from "../../version.js";
import type { Watcher } from "../inspect/watch.js";

/** Watches a run as JSON values: the version, the run, its events and its progress, the end. */
export function jsonWatcher(say: (line: object) => Promise<void>): Watcher {
  return {
    start: async (run_id, before) => {
      await say({ type: "version", version: VERSION, stream: "1.0" });
      await say({ type: "run", run_id, from: before + 1 });
    },
    event: (logged) => say({ type: "event", ...logged }),
    progress: (message) => say({ type: "message", message }),
    state: async () => undefined,
    doing: async () => undefined,
    quiet: async () => undefined,
    idle: () => undefined,
    end: ({ run_id, status, reason, tasks, needs_you, spend }, exit_code, next) =>
      say({ type: "end", run_id, status, reason, exit_code, tasks, needs_you, spend, next }),
  };
}
