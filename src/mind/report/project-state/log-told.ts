import { AFTER_THE_END } from "../../../model/after-the-end.js";
import type { EventOf, LoggedEvent } from "../../../model/event.js";
import type { ProofSummary } from "../../../model/settings/check.js";

/* The parts of a response from a log beside its state and its notes: when it began and ended, and what was decided in it. */

type Moment = Pick<LoggedEvent, "sequence" | "at" | "clock_ms">;

export interface LogTold {
  first: Moment | null;
  last: Moment | null;
  /** The last event that is not about a run that is over: who was told of its end changes nothing of when that was. */
  lastOfRun: Moment | null;
  /** A request may be decided twice: what held after a clarification is what holds. */
  intake: EventOf<"intake_decided"> | null;
  /** Somebody has answered a question. */
  answered: boolean;
  /** By task: what proved its last verdict that passed; null where the log does not say it. */
  readonly proofs: Map<string, ProofSummary | null>;
  /** Who took the work where, since the run was over. */
  readonly merges: EventOf<"run_merged">[];
}

export function newLogTold(): LogTold {
  return { first: null, last: null, lastOfRun: null, intake: null, answered: false, proofs: new Map(), merges: [] };
}

export function tellLogged(told: LogTold, { event, sequence, at, clock_ms }: LoggedEvent): void {
  const moment = { sequence, at, clock_ms };
  told.first ??= moment;
  told.last = moment;
  if (!AFTER_THE_END.has(event.type)) told.lastOfRun = moment;
  switch (event.type) {
    case "intake_decided":
      told.intake = event;
      return;
    case "question_answered":
      told.answered = true;
      return;
    case "verification_finished":
      if (event.verdict === "PASS") told.proofs.set(event.task_id, event.proof ?? null);
      return;
    case "run_merged":
      told.merges.push(event);
      return;
    default:
  }
}
