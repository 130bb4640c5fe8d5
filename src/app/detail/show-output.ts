import { join } from "node:path";
import { withoutSecrets } from "../../foundation/files/known-secrets.js";
import { agentEventIn, readBusy, iterationIn } from "../../hands/attempts/attempt-order.js";
import { effectFolder, instanceFolder, instancesOf, isWorking } from "../../hands/attempts/shim/instance-folder.js";
import { readNotesPart } from "../../hands/attempts/shim/notes.js";
import { attemptKey } from "../../mind/run/ledger.js";
import { CoordinatorError } from "../../model/errors.js";
import type { CommandContext } from "../command-context.js";
import { describeJudgedUse } from "../inspect/describe-tool-use.js";
import { findRun } from "../inspect/find.js";
import { withRuns } from "../inspect/runs-at.js";

/*
 * Output of an agent at work, from the notes of its attempt on disk. It is read when somebody asks and at
 * their pace: the attempt knows nothing of it, and is not slowed by it.
 */

export interface OutputLine {
  readonly kind: "message" | "tool" | "stage";
  readonly text: string;
}

export interface AttemptOutput {
  readonly type: "attempt_output";
  readonly run_id: string;
  readonly task_id: string;
  readonly attempt: number;
  readonly lines: readonly OutputLine[];
  /** Sent back as `after`, it asks for what came since. */
  readonly next: string;
  /** Something earlier than the first line was left out. */
  readonly cut: boolean;
  /** The agent still works. */
  readonly live: boolean;
}

export interface OutputWanted {
  readonly run: string;
  readonly task: string;
  readonly attempt: number;
  /** The `next` of an earlier answer; without one, the last part is given. */
  readonly after: string | undefined;
}

/** Contract: bounded in bytes, lines and the length of each, whatever an agent says. */
const MOST_BYTES = 512 * 1024;
const MOST_LINES = 300;
const MOST_TEXT = 4000;

/**
 * Shows what an attempt has printed, from a place on.
 *
 * Contract: changes nothing, and gives a bounded part at a time: `next` is the place to go on from. Throws NOT_FOUND for
 * an attempt of which nothing is kept.
 */
export function showOutput(wanted: OutputWanted, { project }: CommandContext): Promise<AttemptOutput> {
  return withRuns(project, async (reader, at) => {
    const run_id = await findRun(reader, wanted.run);
    const { task: task_id, attempt } = wanted;
    const base = effectFolder(join(at.folder, "attempts", run_id), `attempt:${attemptKey(task_id, attempt)}`);
    const instance = instancesOf(base).at(-1);
    if (instance === undefined)
      throw new CoordinatorError("NOT_FOUND", `Nothing is kept of attempt ${attempt} of ${task_id} of ${run_id}`, {
        fix: `coordinator tasks --run ${run_id} lists the tasks and their attempts.`,
      });
    const folder = instanceFolder(base, instance);
    // Looked at first: what is written until then is read, so nothing is missing behind the end.
    const live = isWorking(folder);
    const { notes, next, cut } = readNotesPart(folder, placeIn(wanted.after, instance), MOST_BYTES);
    const lines = notes.flatMap(linesIn);
    return {
      type: "attempt_output",
      run_id,
      task_id,
      attempt,
      lines: lines.slice(-MOST_LINES),
      next: `${instance}.${next}`,
      cut: cut || lines.length > MOST_LINES,
      live,
    };
  });
}

/** Null where nothing was seen of this instance: another one begins anew. */
function placeIn(after: string | undefined, instance: number): number | null {
  const [, seen, place] = /^(\d+)\.(\d+)$/.exec(after ?? "") ?? [];
  return Number(seen) === instance ? Number(place) : null;
}

function linesIn(note: unknown): OutputLine[] {
  const busy = readBusy(note);
  if (busy !== null) return [line("stage", busy)];
  const turn = iterationIn(note);
  if (turn !== null)
    return [line("stage", `turn ${turn.iteration} of at most ${turn.limit} ended: ${turn.reason || turn.next}`)];
  const event = agentEventIn(note);
  switch (event?.type) {
    case "message":
      return [line("message", event.text)];
    case "tool":
      return [line("tool", describeJudgedUse(event.use, event.judgement))];
    case "stopped":
      return [line("stage", `stopped: ${event.reason}`)];
    case "plan":
      return event.entries.map(({ content, status }) => line("stage", `${status.replaceAll("_", " ")}: ${content}`));
    default:
      return [];
  }
}

function line(kind: OutputLine["kind"], text: string): OutputLine {
  const known = withoutSecrets(text);
  return { kind, text: known.length > MOST_TEXT ? `${known.slice(0, MOST_TEXT)} …` : known };
}
