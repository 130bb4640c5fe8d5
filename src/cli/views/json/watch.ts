import { VERSION } from "../../../version.js";
import type { Watcher } from "../../../app/inspect/watch.js";

/** JSON lines: the version, the run, its events and how far it is, the end. */
export function jsonWatcher(write: (text: string) => Promise<void>): Watcher {
  const line = (value: unknown) => write(`${JSON.stringify(value)}\n`);
  return {
    start: async (run_id, before) => {
      await line({ type: "version", version: VERSION, stream: "1.0" });
      await line({ type: "run", run_id, from: before + 1 });
    },
    event: (logged) => line({ type: "event", ...logged }),
    progress: (message) => line({ type: "message", message }),
    state: async () => undefined,
    doing: async () => undefined,
    quiet: async () => undefined,
    idle: () => undefined,
    end: ({ run_id, status, reason, tasks, needs_you, spend }, exit_code, next) =>
      line({ type: "end", run_id, status, reason, exit_code, tasks, needs_you, spend, next }),
  };
}
