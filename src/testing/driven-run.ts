import type { RunEvent } from "../model/event.js";
import type { AttemptOutcome, PlanRef } from "../model/run.js";
import { NEW_RUN, type RunState } from "../mind/run/state.js";
import { refusal, step } from "../mind/run/transition.js";
import { amounts, opening, PROOF } from "./run-fixtures.js";

/** A run driven by hand: what was taken, and what was refused. */
export class DrivenRun {
  state: RunState = NEW_RUN;
  readonly log: { event: RunEvent; clock_ms: number }[] = [];
  clock = 0;

  /** `early` is what happens before the plan is frozen. */
  constructor(
    plan: PlanRef,
    policy: Parameters<typeof opening>[1] = { plan_needs_approval: false },
    early: readonly RunEvent[] = [],
  ) {
    const [request, intake, frozen] = opening(plan, policy) as [RunEvent, RunEvent, RunEvent];
    for (const event of [request, intake, ...early, frozen]) this.take(event);
  }

  /** The kinds of events that were appended, this one first. */
  take(event: RunEvent): string[] {
    const why = refusal(this.state, event);
    if (why !== null) return [`refused: ${why}`];
    const taken = step(this.state, event, this.clock);
    this.state = taken.state;
    for (const e of taken.events) this.log.push({ event: e, clock_ms: this.clock });
    return taken.events.map((e) =>
      e.type === "attempt_started" ? `attempt_started ${e.task_id}#${e.attempt}` : e.type,
    );
  }

  finish(task_id: string, outcome: AttemptOutcome = { kind: "completed", output_ref: "x" }, attempt = 1): string[] {
    return this.take({
      type: "attempt_finished",
      task_id,
      attempt,
      outcome,
      usage: { amounts: amounts(10), source: "reported" },
    });
  }

  /** From the end of an attempt to the end of its review. */
  land(task_id: string, attempt = 1): string[] {
    this.finish(task_id, undefined, attempt);
    this.take({ type: "verification_finished", task_id, attempt, verdict: "PASS", evidence: "", proof: PROOF });
    this.take({ type: "integration_finished", task_id, attempt, integrated: true, ref: "r" });
    return this.take({ type: "review_finished", task_id, attempt, accepted: true, summary: "" });
  }

  statusOf(task_id: string): string {
    return this.state.tasks.get(this.state.layout?.indexOf.get(task_id) ?? 0).state.status;
  }

  get escalations(): string[] {
    return this.state.inbox.flatMap((e) => (e.kind === "escalation" ? [e.escalation.type] : []));
  }
}
