import { CoordinatorError } from "../../model/errors.js";
import { Figures, type RunFigures } from "../../mind/report/run-figures.js";
import type { EventReader } from "../../hands/store/event-store.js";
import { newestFirst } from "../../hands/store/list-runs.js";

export interface AllFigures {
  /** Newest first. */
  readonly figures: readonly RunFigures[];
  /** Runs whose log cannot be read, and why: they are counted nowhere. */
  readonly problems: readonly string[];
}

export interface FiguresRequest {
  /** Only runs that began then or later; RFC 3339. */
  readonly since?: string | undefined;
  /** At most this many, the newest. */
  readonly most?: number;
}

/** Reads the figures of a project's runs from their logs, one after another: one log is held at a time. */
export async function figuresOfRuns(reader: EventReader, { since, most }: FiguresRequest = {}): Promise<AllFigures> {
  const from = since === undefined ? -Infinity : Date.parse(since);
  const runs = (await newestFirst(reader)).filter(({ first_at }) => first_at !== null && Date.parse(first_at) >= from);
  const figures: RunFigures[] = [];
  const problems: string[] = [];
  for (const { run_id } of runs.slice(0, most)) {
    try {
      const fold = new Figures();
      for await (const logged of reader.read(run_id)) fold.take(logged);
      const found = fold.result();
      if (found !== null) figures.push(found);
    } catch (error) {
      if (!(error instanceof CoordinatorError)) throw error;
      problems.push(`${run_id}: ${error.message}`);
    }
  }
  return { figures, problems };
}
