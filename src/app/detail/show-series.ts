import { DaySeries, type RunDay, type WorkDay } from "../../mind/report/day-series.js";
import { newestFirst } from "../../hands/store/list-runs.js";
import { CoordinatorError } from "../../model/errors.js";
import type { CommandContext } from "../command-context.js";
import { withRuns } from "../inspect/runs-at.js";
import { dayOf, lastDays } from "./days.js";

/** Usage and outcomes of a project's runs, day by day. */
export interface ProjectSeries {
  /** Every day that was looked at, oldest first. */
  readonly days: readonly string[];
  readonly work: readonly WorkDay[];
  readonly runs: readonly RunDay[];
  /** Runs whose log cannot be read, and why: they are counted nowhere. */
  readonly problems: readonly string[];
}

/**
 * Shows what was used and decided on each of the last days.
 *
 * Contract: as `showFigures`.
 */
export function showSeries(
  { days: count }: { readonly days: number },
  { project, parts }: CommandContext,
): Promise<ProjectSeries> {
  const days = lastDays(parts.now(), count);
  return withRuns(
    project,
    async (reader) => {
      const series = new DaySeries(days, dayOf);
      const problems: string[] = [];
      const from = Date.parse(`${days[0] ?? ""}T00:00:00Z`);
      for (const { run_id, last_at } of await newestFirst(reader)) {
        if (last_at === null || Date.parse(last_at) < from) continue;
        try {
          for await (const logged of reader.read(run_id)) series.take(logged);
        } catch (error) {
          if (!(error instanceof CoordinatorError)) throw error;
          problems.push(`${run_id}: ${error.message}`);
        }
      }
      return { days, ...series.result(), problems };
    },
    () => ({ days, work: [], runs: [], problems: [] }),
  );
}
