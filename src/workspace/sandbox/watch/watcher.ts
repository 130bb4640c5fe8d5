import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface WatchOrder {
  /** The workspace outside, absolute. */
  readonly root: string;
  /** What may be written, from its root. */
  readonly write: readonly string[];
  /** What is nobody's business, such as `.git/**`: the gate looks at the files themselves. */
  readonly ignore: readonly string[];
}

export type WatchReport =
  | { readonly type: "ready"; readonly directories: number }
  | { readonly type: "violation"; readonly path: string; readonly event: string }
  /** A directory that cannot be watched: too many watches, or no right to. */
  | { readonly type: "blind"; readonly path: string; readonly why: string };

export interface Watcher {
  readonly pid: number;
  /** Contract: resolves when everything that was there is watched, or when there is no watcher; never rejects. */
  readonly ready: Promise<void>;
  /** Contract: nothing is reported after it resolved. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts watching a workspace.
 *
 * Contract: `onReport` is called at once for each path that is written outside of the scope, at most once per path. A
 * watcher that dies is reported as blind: nothing depends on it but the time to a kill.
 */
export function startWatcher(
  order: WatchOrder,
  onReport: (report: WatchReport) => void,
  program: string = compiled(),
): Watcher {
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    env: { PATH: "/usr/bin:/bin", LANG: "C.UTF-8" },
    cwd: "/",
    stdio: ["pipe", "pipe", "ignore"],
  });
  let stopped = false;
  let rest = "";
  let isReady: () => void;
  const ready = new Promise<void>((resolve) => (isReady = resolve));
  child.stdin.on("error", () => undefined);
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
  const stop = async () => {
    stopped = true;
    child.kill("SIGKILL");
    await ended;
  };
  return { pid: child.pid ?? 0, ready, stop };
}

/** It runs as plain JavaScript. From source, under a test, that is what was built. */
function compiled(): string {
  const beside = fileURLToPath(new URL("./watch-process.js", import.meta.url));
  return existsSync(beside) ? beside : beside.replace("/src/", "/dist/");
}
