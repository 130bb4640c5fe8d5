import type { TaskWords } from "../inspect/overview.js";
import { stateDocument } from "../inspect/replay.js";
import type { RunLine, RunReport } from "../run-reports.js";

type Overview = Extract<RunLine, { readonly overview: unknown }>["overview"];

/** One run of a list, as JSON. */
type ShownLine =
  | Extract<RunLine, { readonly problem: string }>
  | (Pick<Overview, "run_id" | "request" | "plan_id" | "status" | "phase" | "reason" | "started_at" | "updated_at"> &
      Pick<Overview, "events" | "tasks" | "spend"> & { readonly worker: number | null; readonly needs_you: number });

/** Turns the reports of commands about runs into one JSON document. Nothing in it depends on the terminal. */
export function runJson(report: RunReport): unknown {
  switch (report.type) {
    case "runs":
      return { type: report.type, runs: report.runs.map(runLine) };
    case "run_status":
      return {
        type: report.type,
        ...report.overview,
        worker: report.worker,
        handoff: report.handoff,
        next: report.next,
        response: report.response,
        progress: report.progress,
        project_state: report.project,
      };
    case "inbox":
      return {
        type: report.type,
        open: report.entries.length,
        entries: report.entries,
        standing: report.standing,
        on_host: report.on_host ?? [],
        to_send: report.to_send ?? [],
        problems: report.problems,
      };
    case "decision":
      return report;
    case "replay": {
      const { type, run, last, events, wantsEvents } = report;
      return { type, run_id: run.run_id, last, state: stateDocument(run), ...(wantsEvents ? { events } : {}) };
    }
    case "export": {
      const { type, run_id, format, writtenTo } = report;
      return { type, run_id, format, written_to: writtenTo };
    }
    case "anchored":
      return report;
    case "run_verification":
      return { type: report.type, file: report.file, ...report.verification };
    case "merge": {
      const { type, run_id, by, outcome } = report;
      return { type, run_id, by, ...outcome };
    }
    case "diff": {
      const { type, run_id, task_id, from, to, files } = report;
      return { type, run_id, task_id, from, to, files };
    }
    case "tasks":
    case "edits":
    case "handoff":
    case "permission":
      return report;
    case "interrupted":
      return { type: report.type, run_id: report.run_id, next: [`coordinator run --resume ${report.run_id}`] };
    case "response":
      return { type: report.type, run_id: report.run_id, ...report.response, ...lastWords(report.words) };
    case "stats":
      return {
        type: report.type,
        since: report.since,
        ...report.stats,
        corrections: report.corrections,
        problems: report.problems,
      };
    case "watched":
      return { type: report.type, run_id: report.overview.run_id };
  }
}

export function runLine(line: RunLine): ShownLine {
  if ("problem" in line) return line;
  const { run_id, status, phase, reason, started_at, updated_at, events, tasks, needs_you, spend } = line.overview;
  return {
    run_id,
    status,
    worker: line.worker,
    phase,
    reason,
    request: line.overview.request,
    plan_id: line.overview.plan_id,
    started_at,
    updated_at,
    events,
    tasks,
    needs_you: needs_you.length,
    spend,
  };
}

function lastWords(words: readonly TaskWords[]): { readonly last_words?: readonly TaskWords[] } {
  return words.length === 0 ? {} : { last_words: words };
}
