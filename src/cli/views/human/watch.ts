import type { LoggedEvent } from "../../../model/event.js";
import type { Watcher } from "../../commands/watch.js";
import type { RunOverview } from "../../../runs/overview.js";
import { isLineOfItsOwn, tellEvent } from "../../../runs/tell-event.js";
import { runStatusText, statusFooter } from "./run.js";
import { count, harmless, oneLine, paintFor, type Screen } from "./screen.js";

interface Terminal {
  readonly write: (text: string) => Promise<void>;
  /** Beside the data: goes to stderr. */
  readonly note: (message: string) => void;
}

function eventLine({ sequence, at, event }: LoggedEvent): string {
  return `${String(sequence).padStart(5)}  ${at.slice(11, 19)}  ${tellEvent(event)}`;
}

/** A line for each event; for pipes, files and CI. */
export function lineWatcher({ write, note }: Terminal, screen: Screen): Watcher {
  const say = (text: string) => write(`${harmless(oneLine(text).slice(0, 300), screen)}\n`);
  return {
    start: async (runId, before) => {
      await say(`Watching ${runId}`);
      if (before > 0)
        await say(`${count(before, "event")} came before; coordinator replay ${runId} --events tells them`);
    },
    event: async (logged) => {
      if (!isLineOfItsOwn(logged.event)) return;
      const line = eventLine(logged).replaceAll(/[\r\n\t]/g, " ");
      await write(`${harmless(line.slice(0, 300), screen)}\n`);
    },
    // The lines of the events say it already.
    progress: async () => undefined,
    state: async () => undefined,
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
  { write, note }: Terminal,
  screen: Screen,
  size: () => { columns: number; rows: number },
): Watcher {
  const paint = paintFor(screen);
  let drawn = 0;
  let last: LoggedEvent | null = null;
  const draw = async (lines: readonly string[]) => {
    const { columns, rows } = size();
    // A line that wraps counts as two and would break the picture: each is cut to the width.
    const fitting = lines.flatMap((line) => line.split("\n")).slice(0, Math.max(3, rows - 1));
    const text = fitting.map((line) => `\u001b[2K${cut(harmless(line, screen), columns - 1)}\n`).join("");
    const up = drawn === 0 ? "" : `\u001b[${drawn}A`;
    await write(`${up}${text}\u001b[0J`);
    drawn = fitting.length;
  };
  const picture = (overview: RunOverview, now: string, worker: number | null) => [
    ...runStatusText({ type: "run_status", overview, worker, handoff: null, now, next: [], response: null }, paint),
    ...(last === null ? [] : [paint.dim(`Last: ${oneLine(eventLine(last))}`)]),
  ];
  return {
    start: async () => undefined,
    event: async (logged) => {
      if (isLineOfItsOwn(logged.event)) last = logged;
    },
    progress: async () => undefined,
    state: (overview, now, worker) => draw(picture(overview, now, worker)),
    idle: (message) => {
      drawn = 0;
      note(message);
    },
    end: async (_, __, next) => {
      for (const command of next) await write(`${harmless(`Next: ${command}`, screen)}\n`);
    },
  };
}

/** A line cut to a width, its looks not counted and ended. */
function cut(line: string, width: number): string {
  let seen = 0;
  let out = "";
  // oxlint-disable-next-line no-control-regex -- looks are control characters
  for (const part of line.split(/(\u001b\[\d+m)/)) {
    if (part.startsWith("\u001b")) out += part;
    else {
      const room = Math.max(0, width - seen);
      out += part.length > room ? part.slice(0, room) : part;
      seen += part.length;
    }
  }
  return out;
}
