import { builtProgram } from "../../../foundation/processes/built-program.js";
import { spawn } from "node:child_process";

export interface WatchOrder {
  /** The workspace outside, absolute. */
  readonly root: string;
  /** Paths that may be written, from its root: never reported. */
  readonly write: readonly string[];
  /** Paths that are ignored, such as `.git`. */
  readonly ignore: readonly string[];
}

/** Folders to be watched from now on; the contents of a new one are reported as seen. */
export interface WatchCommand {
  readonly folders: readonly string[];
  readonly fresh: boolean;
}

/** Something happened to this path, and this is what stood there a moment later. */
export interface Seen {
  readonly path: string;
  readonly kind: "file" | "folder" | "gone";
}

export type WatchReport =
  | { readonly type: "ready"; readonly folders: number }
  | { readonly type: "seen"; readonly paths: readonly Seen[] }
  /** A folder that cannot be watched: too many watches, or no right to. */
  | { readonly type: "blind"; readonly path: string; readonly why: string };

export interface Watcher {
  readonly pid: number;
  /** Contract: resolves when the first folders are watched, or when there is no watcher; never rejects. */
  readonly ready: Promise<void>;
  /** Contract: a folder is watched alone, not what is below it; new folders in it are reported. */
  readonly enter: (folder: string) => void;
  /** Contract: nothing is reported after it was called. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts watching these folders of a workspace.
 *
 * Contract: `onReport` is called soon for each change of a path outside of what may be written. A watcher
 * that dies is reported as blind: nothing depends on it but the time to a kill.
 */
export function startWatcher(
  order: WatchOrder,
  folders: readonly string[],
  onReport: (report: WatchReport) => void,
  program: string = builtProgram(new URL("./watch-process.js", import.meta.url)),
): Watcher {
  // A process for each attempt: it needs little and shall hold little.
  const small = ["--max-old-space-size=48", "--max-semi-space-size=1"];
  const child = spawn(process.execPath, [...small, program, JSON.stringify(order)], {
    env: { PATH: "/usr/bin:/bin", LANG: "C.UTF-8" },
    cwd: "/",
    stdio: ["pipe", "pipe", "ignore"],
  });
  let stopped = false;
  let rest = "";
  let isReady: () => void;
  const ready = new Promise<void>((resolve) => (isReady = resolve));
  child.stdin.on("error", () => undefined);
  const command = (words: WatchCommand) => void child.stdin.write(`${JSON.stringify(words)}\n`);
  child.stdout.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (stopped) return;
      const report = JSON.parse(line) as WatchReport;
      if (report.type === "ready") isReady();
      onReport(report);
    }
  });
  const ended = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  });
  void ended.then(() => {
    if (!stopped) onReport({ type: "blind", path: "", why: "the watcher ended" });
    isReady();
  });
  command({ folders, fresh: false });
  const stop = async () => {
    stopped = true;
    child.kill("SIGKILL");
    await ended;
  };
  return {
    pid: child.pid ?? 0,
    ready,
    enter: (folder) => {
      if (!stopped) command({ folders: [folder], fresh: true });
    },
    stop,
  };
}
