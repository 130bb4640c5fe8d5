import type { RunFigures } from "../../mind/report/run-figures.js";
import { newestFirst } from "../../hands/store/list-runs.js";
import { CoordinatorError } from "../../model/errors.js";
import type { CommandContext } from "../command-context.js";
import { figuresOfRuns } from "../inspect/all-figures.js";
import { type Reader, withRuns } from "../inspect/runs-at.js";

/** Usage and end of each attempt, for figures over time and by agent. */
export interface AttemptFigure {
  readonly run_id: string;
  readonly task_id: string;
  readonly attempt: number;
  readonly agent: string;
  readonly model: string | null;
  readonly started_at: string;
  readonly ended_at: string;
  readonly outcome: string;
  readonly tokens: number;
  readonly cost_usd: number;
  /** Whether its agent said what it used. */
  readonly source: "reported" | "estimated";
}

export interface ProjectFigures {
  readonly type: "figures";
  readonly runs: readonly Omit<RunFigures, "observed">[];
  readonly attempts: readonly AttemptFigure[];
  readonly problems: readonly string[];
}

/**
 * Figures of the newest runs of a project, newest first.
 *
 * Contract: changes nothing. Empty where no run was started; a log that cannot be read is told among the problems.
 */
export function showFigures(
  { since, limit }: { readonly since: string | undefined; readonly limit: number },
  { project }: CommandContext,
): Promise<ProjectFigures> {
  return withRuns(
    project,
    async (reader) => {
      const { figures, problems } = await figuresOfRuns(reader, { since, most: limit });
      return {
        type: "figures",
        runs: figures.map(({ observed: _, ...run }) => run),
        attempts: await attemptsOf(reader, new Set(figures.map(({ run_id }) => run_id))),
        problems,
      };
    },
    () => ({ type: "figures", runs: [], attempts: [], problems: [] }),
  );
}

async function attemptsOf(reader: Reader, wanted: ReadonlySet<string>): Promise<AttemptFigure[]> {
  const found: AttemptFigure[] = [];
  for (const { run_id } of await newestFirst(reader)) {
    if (!wanted.has(run_id)) continue;
    const begun = new Map<string, { readonly at: string; readonly agent: string; readonly model: string | null }>();
    try {
      for await (const { event, at } of reader.read(run_id)) {
        if (event.type === "attempt_started")
          begun.set(`${event.task_id}#${event.attempt}`, { at, agent: event.agent, model: event.model ?? null });
        if (event.type !== "attempt_finished") continue;
        const { task_id, attempt, usage, outcome } = event;
        const start = begun.get(`${task_id}#${attempt}`);
        found.push({
          run_id,
          task_id,
          attempt,
          agent: start?.agent ?? "",
          model: start?.model ?? null,
          started_at: start?.at ?? at,
          ended_at: at,
          outcome: outcome.kind,
          tokens: usage.amounts.tokens,
          cost_usd: usage.amounts.cost_usd,
          source: usage.source,
        });
      }
    } catch (error) {
      if (!(error instanceof CoordinatorError)) throw error;
    }
  }
  return found;
}
