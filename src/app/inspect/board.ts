import { basename, join } from "node:path";
import { type Board, openBoard } from "../../hands/board/open-board.js";
import type { InForce } from "../../mind/contract/permit.js";
import { rolesToMerge } from "../merge/change-of-run.js";
import { diffRun } from "../merge/diff-run.js";
import { openRecords } from "../../hands/attempts/run-records.js";
import type { BoardSettings, Configuration } from "../../model/settings/configuration.js";
import type { RunContext } from "../run/run-arguments.js";
import type { EventReader } from "../../hands/store/event-store.js";

/** The context that the board of a project is made with. */
export type BoardContext = Pick<RunContext, "context" | "configuration" | "inForce">;

/** Beside the log, where git ignores them: nobody's working tree changes because a run goes on. */
const OUT_OF_THE_TREE: BoardSettings = {
  queue: ".coordinator/board/work_queue.json",
  hq: ".coordinator/board/PROJECT_HQ.md",
  sessions: ".coordinator/board/sessions",
};

/** Reads the settings of the board; by default a project with a contract of its own has it out of its tree. Null for none. */
export function boardSettings({ board }: Configuration, { file }: InForce): BoardSettings | null {
  if (board === false) return null;
  return board ?? (file === null ? null : OUT_OF_THE_TREE);
}

/** The board of a project; null where nobody wants one. */
export function boardAt({ context, configuration, inForce }: BoardContext, reader: EventReader): Board | null {
  const { project, parts, progress } = context;
  const { at } = project;
  const settings = boardSettings(configuration, inForce);
  if (settings === null) return null;
  return openBoard({
    root: at.root,
    stateFolder: at.folder,
    reader,
    settings,
    inForce,
    project: configuration.project ?? basename(at.root),
    now: parts.now,
    tell: progress,
    rolesOf: (runId) => rolesToMerge(openRecords(join(at.folder, "records", runId))),
    filesOf: async (runId, task_id) => {
      const records = openRecords(join(at.folder, "records", runId));
      const events = () => reader.read(runId);
      const found = await diffRun({
        runId,
        project,
        records,
        task: { task_id },
        events,
        form: "stat",
      });
      return found?.files ?? [];
    },
  });
}

/** Whatever happens to the files for people, the run goes on, and they are told once. */
export async function warnInstead<T>(
  act: () => Promise<T> | undefined,
  warn: (message: string) => void,
): Promise<T | null> {
  try {
    return (await act()) ?? null;
  } catch (error) {
    const { message } = error as Error;
    if (!warned.has(message)) warn(`The board is not up to date: ${message}`);
    warned.add(message);
    return null;
  }
}

const warned = new Set<string>();
