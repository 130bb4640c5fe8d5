import type { LoggedEvent } from "../../model/event.js";
import { whoDecided } from "./who-decided.js";

/* When what was done in a run, for anyone who draws it along time: attempts, proofs, merges, and waiting on people. */

interface WorkSpan {
  readonly task_id: string;
  readonly attempt: number;
  readonly stage: "attempt" | "verify" | "integrate" | "resolve" | "review";
  readonly agent: string;
  readonly from: string;
  /** Null while it is under way. */
  readonly to: string | null;
  /** How it ended, in a word; null while it is under way. */
  readonly outcome: string | null;
  readonly sequence: number;
}

interface WaitSpan {
  readonly entry_id: string;
  readonly kind: "plan_approval" | "review" | "question" | "scope_request" | "task_change" | "escalation";
  readonly task_id: string | null;
  readonly from: string;
  readonly to: string | null;
  readonly by: string | null;
  readonly sequence: number;
}

export interface RunSpans {
  readonly work: readonly WorkSpan[];
  readonly waits: readonly WaitSpan[];
}

type Open<T> = { -readonly [name in keyof T]: T[name] };

/** Contract: pure; follows from the log alone. Spans that are open at the end of a log stay open. */
export function runSpans(events: Iterable<LoggedEvent>): RunSpans {
  const work: Open<WorkSpan>[] = [];
  const waits: Open<WaitSpan>[] = [];
  const open = new Map<string, Open<WorkSpan>>();
  const agents = new Map<string, string>();

  function begin(stage: WorkSpan["stage"], task_id: string, attempt: number, at: string, sequence: number): void {
    const agent = agents.get(task_id) ?? "";
    const span: Open<WorkSpan> = { task_id, attempt, stage, agent, from: at, to: null, outcome: null, sequence };
    open.set(task_id, span);
    work.push(span);
  }
  function end(task_id: string, at: string, outcome: string): void {
    const span = open.get(task_id);
    if (span !== undefined) [span.to, span.outcome] = [at, outcome];
    open.delete(task_id);
  }
  function wait(entry_id: string, kind: WaitSpan["kind"], task_id: string | null, at: string, sequence: number): void {
    waits.push({ entry_id, kind, task_id, from: at, to: null, by: null, sequence });
  }
  function endWait(entry_id: string, at: string, by: string | null): void {
    const span = waits.findLast((one) => one.entry_id === entry_id && one.to === null);
    if (span !== undefined) [span.to, span.by] = [at, by];
  }

  let plan = "";
  for (const { event, at, sequence } of events) {
    const by = whoDecided(event)?.by ?? null;
    switch (event.type) {
      case "plan_frozen":
        plan = `plan:${event.plan.plan_id}`;
        wait(plan, "plan_approval", null, at, sequence);
        for (const { gate_id } of event.plan.gates) wait(gate_id, "review", null, at, sequence);
        break;
      case "plan_approved":
      case "plan_rejected":
        endWait(plan, at, by);
        break;
      case "review_approved":
      case "review_rejected":
        endWait(event.gate_id, at, by);
        break;
      case "attempt_started":
        agents.set(event.task_id, event.agent);
        begin("attempt", event.task_id, event.attempt, at, sequence);
        break;
      case "attempt_finished":
        end(event.task_id, at, event.outcome.kind);
        if (event.outcome.kind === "completed") begin("verify", event.task_id, event.attempt, at, sequence);
        break;
      case "verification_finished":
        end(event.task_id, at, event.verdict);
        if (event.verdict === "PASS") begin("integrate", event.task_id, event.attempt, at, sequence);
        break;
      case "judgement_resumed":
        begin("verify", event.task_id, event.attempt, at, sequence);
        break;
      case "conflict_found":
        end(event.task_id, at, "conflict");
        begin("resolve", event.task_id, event.attempt, at, sequence);
        break;
      case "conflict_resolved":
        end(event.task_id, at, "resolved");
        begin("integrate", event.task_id, event.attempt, at, sequence);
        break;
      case "integration_finished":
        end(event.task_id, at, event.integrated ? "integrated" : "not integrated");
        if (event.integrated) begin("review", event.task_id, event.attempt, at, sequence);
        break;
      case "review_finished":
        end(event.task_id, at, event.accepted ? "accepted" : "rejected");
        break;
      case "question_asked":
        wait(event.question_id, "question", event.task_id, at, sequence);
        break;
      case "question_answered":
        endWait(event.question_id, at, by);
        break;
      case "escalation_raised":
        wait(event.escalation.escalation_id, "escalation", event.escalation.task_id, at, sequence);
        break;
      case "escalation_answered":
        endWait(event.escalation_id, at, by);
        break;
      case "change_proposed":
        wait(event.change_id, "task_change", event.task_id, at, sequence);
        break;
      case "change_decided":
        endWait(event.change_id, at, by);
        break;
      case "scope_widened":
      case "scope_refused":
        endWait(event.request_id, at, by);
        break;
      case "run_finished":
      case "run_cancelled":
        for (const span of [...open.values(), ...waits]) span.to ??= at;
        break;
      default:
        break;
    }
  }
  return { work, waits };
}
