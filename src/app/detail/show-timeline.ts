import type { Decider } from "../../model/run.js";
import { whoDecided } from "../../mind/report/who-decided.js";
import type { CommandContext } from "../command-context.js";
import { describeEvent } from "../inspect/describe-event.js";
import { findRun } from "../inspect/find.js";
import { withRuns } from "../inspect/runs-at.js";

/** One line of what happened in a run. */
export interface TimelineLine {
  readonly sequence: number;
  readonly at: string;
  readonly type: string;
  readonly told: string;
  readonly task_id: string | null;
  /** Who decided it and how; null where nobody did. */
  readonly decider: Decider | null;
  readonly hash: string;
}

export interface RunTimeline {
  readonly type: "timeline";
  readonly run_id: string;
  readonly last: number;
  readonly lines: readonly TimelineLine[];
  /** The sequence to ask behind for more; null at the end. */
  readonly next: number | null;
}

export interface TimelineArguments {
  readonly run: string;
  /** Only what came behind this event. */
  readonly after: number;
  readonly limit: number;
  readonly types: readonly string[];
  readonly task: string | undefined;
  /** Only what somebody or a rule decided. */
  readonly decisions: boolean;
}

/**
 * Shows the events of a run, a page at a time.
 *
 * Contract: changes nothing. `next` is the place to go on from, and null at the end of the log. Throws NOT_FOUND for a
 * run that is not there.
 */
export function showTimeline(args: TimelineArguments, { project }: CommandContext): Promise<RunTimeline> {
  return withRuns(project, async (reader) => {
    const run_id = await findRun(reader, args.run);
    const last = (await reader.head(run_id))?.sequence ?? 0;
    const lines: TimelineLine[] = [];
    let seen = args.after;
    for await (const { sequence, at, event, hash } of reader.read(run_id, { from: args.after + 1 })) {
      if (lines.length >= args.limit) break;
      seen = sequence;
      const decider = whoDecided(event);
      const task_id = "task_id" in event ? event.task_id : null;
      if (args.types.length > 0 && !args.types.includes(event.type)) continue;
      if (args.task !== undefined && task_id !== args.task) continue;
      if (args.decisions && decider === null) continue;
      lines.push({ sequence, at, type: event.type, told: describeEvent(event), task_id, decider, hash });
    }
    return { type: "timeline", run_id, last, lines, next: seen < last ? seen : null };
  });
}
