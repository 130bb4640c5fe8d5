import { CoordinatorError } from "../../model/errors.js";
import type { BoardRun } from "../../mind/report/queue/board-run.js";
import { type BoardFold, foldBoard } from "../../mind/report/queue/fold-board.js";
import { hasEnded, isRequestRecord, newestFirst } from "../store/list-runs.js";
import type { EventReader } from "../store/event-store.js";

/** Runs that are over are shown as long as they are among so many newest. */
const MOST_RUNS = 20;

/** The runs a board shows, oldest first. A run that was read once is not read again. */
export function runsReader(reader: EventReader, warn: (message: string) => void): () => Promise<BoardRun[]> {
  const folds = new Map<string, BoardFold>();

  async function board(run_id: string, head: number): Promise<BoardRun | null> {
    const fold = folds.get(run_id) ?? foldBoard(run_id);
    try {
      if (fold.sequence() < head)
        for await (const logged of reader.read(run_id, { from: fold.sequence() + 1 })) fold.take(logged);
    } catch (error) {
      // A log that cannot be read hides no other.
      warn(`${run_id} is not shown: ${(error as Error).message}`);
      if (error instanceof CoordinatorError || error instanceof TypeError) return null;
      throw error;
    }
    folds.set(run_id, fold);
    return fold.now();
  }

  return async () => {
    const found: BoardRun[] = [];
    // A request that was not accepted has no task to show.
    const runs = (await newestFirst(reader)).filter(({ run_id }) => !isRequestRecord(run_id));
    for (const [place, { run_id, sequence }] of runs.entries()) {
      if (place >= MOST_RUNS && (await hasEnded(reader, run_id, sequence))) continue;
      const run = await board(run_id, sequence);
      if (run !== null) found.push(run);
    }
    return found.reverse();
  };
}
