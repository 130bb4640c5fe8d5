import { setTimeout as sleep } from "node:timers/promises";
import type { LoggedEvent } from "../../model/event.js";
import { ProgressObserver, type ProgressUpdate } from "../../mind/report/progress.js";
import { findRun } from "./find.js";
import { snapshotsOf } from "./fold-run.js";
import { startLook } from "./snapshots/run-look.js";
import { holderOf } from "../project/open-runs.js";
import { overviewOf, type RunOverview } from "./overview.js";
import { type Activity, activitiesIn, activityFolder } from "../../hands/checks/on-trees/activity.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { ago } from "../../foundation/text/figures.js";
import { nextCommands } from "./status.js";
import { withRuns } from "./runs-at.js";

/** How often the log is read, and how often silence of a log is reported. */
const LOOK_MS = 200;
const HEARTBEAT_MS = 30_000;
const ACTIVITY_MS = 1000;

export interface WatchArguments {
  readonly run: string;
  readonly from: number;
  /** How long to wait for somebody to work on the run when nobody does. */
  readonly idleMs: number;
  /** Ends the watch; it then rejects. */
  readonly signal?: AbortSignal;
}

/** Anyone who watches: a terminal that is drawn anew, a stream of lines, or a program. */
export interface Watcher {
  /** `before`: how many events there are that are not told. */
  readonly start: (runId: string, before: number) => Promise<void>;
  readonly event: (logged: LoggedEvent) => Promise<void>;
  /** How far the run has come: when a task is done, a phase ends, something is in the way, and at the end. */
  readonly progress: (update: ProgressUpdate) => Promise<void>;
  /** The state after the reported events, when there were any. */
  readonly state: (overview: RunOverview, now: string, worker: number | null) => Promise<void>;
  /** Activities that run right now, read about once a second. */
  readonly doing: (activities: readonly Activity[], now: string) => Promise<void>;
  /** Called when nothing was reported since the last read. */
  readonly quiet: (now: string, worker: number | null) => Promise<void>;
  readonly idle: (message: string) => void;
  readonly end: (overview: RunOverview, exitCode: ExitCode, next: readonly string[]) => Promise<void>;
}

/**
 * Follow a run until it is over or waits on people only: on their answers, or to be resumed.
 *
 * Contract: resolves soon after `stopped`, as if the run waited to be resumed.
 */
export function watchRun(
  args: WatchArguments,
  { parts, project }: CommandContext,
  watcher: Watcher,
  stopped: AbortSignal = new AbortController().signal,
): Promise<Finished> {
  return withRuns(project, async (reader, at) => {
    const runId = await findRun(reader, args.run);
    const alone = (await reader.runs()).length === 1;
    await watcher.start(runId, args.from - 1);
    const look = await startLook(reader, runId, snapshotsOf(reader), args.from);
    const progress = new ProgressObserver(look.notes);
    let quietSince = performance.now();
    let leftSince = performance.now();
    let lookedAt = -Infinity;
    let doing: readonly Activity[] = [];
    for (;;) {
      const before = look.next;
      if (stopped.aborted)
        return finish(EXIT.waiting, { type: "watched", overview: overviewOf(look.now().run, alone) });
      for await (const logged of reader.read(runId, { from: look.next })) {
        const update = progress.take(logged, look.fold(logged));
        if (logged.sequence < args.from) continue;
        await watcher.event(logged);
        if (update !== null) await watcher.progress(update);
      }
      const news = look.next > before;
      if (news) look.keep();
      const { run } = look.now();
      if (performance.now() - lookedAt >= ACTIVITY_MS) {
        lookedAt = performance.now();
        doing = activitiesIn(activityFolder(at.folder, runId));
        await watcher.doing(doing, parts.now());
        // An activity that runs is reported by the watcher itself.
        if (doing.some(({ ended }) => ended === null)) quietSince = performance.now();
      }
      const worker = (await holderOf(reader, runId))?.pid ?? null;
      if (news || worker !== null) leftSince = performance.now();
      const isLeft = performance.now() - leftSince >= args.idleMs;
      const exitCode = endOf(run.state.status, run.state.reason) ?? (isLeft && !news ? EXIT.waiting : null);
      if (news || exitCode !== null) {
        const overview = overviewOf(run, alone);
        await watcher.state(overview, parts.now(), worker);
        if (exitCode !== null) {
          await watcher.end(overview, exitCode, nextCommands(overview, false));
          return finish(exitCode, { type: "watched", overview });
        }
        quietSince = performance.now();
      } else {
        await watcher.quiet(parts.now(), worker);
        if (performance.now() - quietSince >= HEARTBEAT_MS) {
          watcher.idle(
            worker === null ? `Nobody works on ${runId}` : describeWork(overviewOf(run, alone), parts.now()),
          );
          quietSince = performance.now();
        }
      }
      await sleep(LOOK_MS, undefined, { signal: stopped }).catch(() => undefined);
    }
  });
}

/** Describes the work under way by the log: an agent that says nothing is still at work. */
function describeWork({ running, run_id }: RunOverview, now: string): string {
  if (running.length === 0) return `${run_id} goes on`;
  return running
    .slice(0, 3)
    .map(({ task_id, stage, agent, since, doing }) => {
      const last = doing === null ? "" : `, last seen: ${doing}`;
      return `${task_id}: ${stage} by ${agent} for ${ago(since, now)}${last}`;
    })
    .join("; ");
}

/** Null while somebody or something else than a person may move the run. */
function endOf(status: RunOverview["status"], reason: string): ExitCode | null {
  switch (status) {
    case "completed":
      return EXIT.done;
    case "failed":
      return EXIT.failed;
    case "blocked":
      return EXIT.waiting;
    case "pending":
      return reason === "" ? null : EXIT.waiting;
    case "in_progress":
      return null;
  }
}
