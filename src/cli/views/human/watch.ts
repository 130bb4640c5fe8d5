import type { Activity } from "../../../hands/checks/on-trees/activity.js";
import type { LoggedEvent } from "../../../model/event.js";
import type { Watcher } from "../../../app/inspect/watch.js";
import type { RunOverview } from "../../../app/inspect/overview.js";
import { isLineOfItsOwn, describeEvent } from "../../../app/inspect/describe-event.js";
import { activityLine, ActivityTeller } from "../../../app/inspect/activity-line.js";
import { runStatusText, statusFooter } from "./run.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { cutTo, count, removeUnseen, paintFor, type Screen } from "./screen.js";

interface Terminal {
  readonly write: (text: string) => Promise<void>;
  /** Beside the data: goes to stderr. */
  readonly note: (message: string) => void;
}

function eventLine({ sequence, at, event }: LoggedEvent): string {
  return `${String(sequence).padStart(5)}  ${at.slice(11, 19)}  ${describeEvent(event)}`;
}

/** A line for each event; for pipes, files and CI. */
export function lineWatcher({ write, note }: Terminal, screen: Screen): Watcher {
  const teller = new ActivityTeller();
  const say = (text: string) => write(`${removeUnseen(text.replaceAll(/[\r\n\t]/g, " ").slice(0, 300), screen)}\n`);
  return {
    start: async (runId, before) => {
      await say(`Watching ${runId}`);
      if (before > 0)
        await say(`${count(before, "event")} came before; coordinator replay ${runId} --events shows them`);
    },
    event: async (logged) => {
      if (!isLineOfItsOwn(logged.event)) return;
      const line = eventLine(logged).replaceAll(/[\r\n\t]/g, " ");
      await write(`${removeUnseen(line.slice(0, 300), screen)}\n`);
    },
    // The lines of the events say it already.
    progress: async () => undefined,
    state: async () => undefined,
    doing: async (activities, now) => {
      for (const line of teller.take(activities, now)) await say(`${" ".repeat(7)}${now.slice(11, 19)}  ${line}`);
    },
    quiet: async () => undefined,
    idle: note,
    end: async (overview, _, next) => {
      await say(statusFooter(overview));
      for (const command of next) await say(`Next: ${command}`);
    },
  };
}

/**
 * A status that is drawn over itself, at the end of the terminal's own scrollback: nothing above it is touched, and what
 * was there last stays.
 */
export function redrawWatcher(
  { write }: Pick<Terminal, "write">,
  screen: Screen,
  size: () => { columns: number; rows: number },
  interrupted: AbortSignal | null = null,
): Watcher {
  const paint = paintFor(screen);
  /** How wide each line is that was drawn. */
  let drawn: readonly number[] = [];
  let last: LoggedEvent | null = null;
  let doing: readonly Activity[] = [];
  let shown: { readonly overview: RunOverview; readonly worker: number | null; readonly at: number } | null = null;
  // After an interrupt, a message appears below the picture: the next picture comes after that.
  interrupted?.addEventListener("abort", () => (drawn = []), { once: true });
  const draw = async (lines: readonly string[]) => {
    const { columns, rows } = size();
    // A line that wraps counts as two and would break the picture: each is cut to the width.
    const fitting = lines
      .flatMap((line) => line.split("\n"))
      .slice(0, Math.max(3, rows - 1))
      .map((line) => cutTo(removeUnseen(line, screen), columns - 1));
    // Lines drawn in a wider window have been wrapped by the terminal since.
    const height = drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    const up = height === 0 ? "" : `\u001b[${height}A`;
    await write(`${up}${fitting.map(({ text }) => `\u001b[2K${text}\n`).join("")}\u001b[0J`);
    drawn = fitting.map(({ width }) => width);
  };
  const room = () => {
    const { columns, rows } = size();
    // The last event has a line below it, and so has what is being done.
    return { columns: columns - 1, rows: rows - 1 - Math.min(MOST_DOING, doing.length) };
  };
  const picture = (overview: RunOverview, now: string, worker: number | null) => [
    ...runStatusText(
      {
        type: "run_status",
        overview,
        worker,
        handoff: null,
        now,
        next: [],
        response: null,
        project: null,
        progress: null,
      },
      paint,
      room(),
    ),
    ...doing
      .filter(({ ended }) => ended === null)
      .slice(0, MOST_DOING)
      .map((activity) => `Now: ${activityLine(activity, now)}`),
    ...(last === null ? [] : [paint.dim(`Last: ${oneLine(eventLine(last))}`)]),
  ];
  const state: Watcher["state"] = async (overview, now, worker) => {
    shown = { overview, worker, at: Date.parse(now) };
    await draw(picture(overview, now, worker));
  };
  return {
    start: async () => undefined,
    event: async (logged) => {
      if (isLineOfItsOwn(logged.event)) last = logged;
    },
    progress: async () => undefined,
    state,
    doing: async (activities) => {
      doing = activities;
    },
    // Redraw while nothing happens: times in an old picture would be wrong.
    quiet: async (now, worker) => {
      if (shown !== null && (Date.parse(now) - shown.at >= TICK_MS || worker !== shown.worker))
        await state(shown.overview, now, worker);
    },
    idle: () => undefined,
    end: async (_, __, next) => {
      for (const command of next) await write(`${removeUnseen(`Next: ${command}`, screen)}\n`);
    },
  };
}

const TICK_MS = 1000;
const MOST_DOING = 3;
