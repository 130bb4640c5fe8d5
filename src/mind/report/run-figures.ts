import type { EventOf, LoggedEvent } from "../../model/event.js";
import type { Amounts } from "../../model/run.js";
import type { TaskObservation } from "../plan/models/learn.js";
import { NOTHING, plus } from "../run/amounts.js";
import { GateFacts } from "./gate-facts.js";
import { isPermission } from "../run/decide/permissions.js";
import { attemptKey, bookedAmounts, addSeenUsage } from "../run/ledger.js";

/** Estimate and use of one amount. */
export interface Compared {
  readonly estimated: number;
  readonly used: number;
}

/** Figures of one run about how well requests are handled. */
export interface RunFigures {
  readonly run_id: string;
  readonly started_at: string;
  readonly accepted: boolean;
  readonly ended: "completed" | "failed" | null;
  /** The request, in the words of the person who asked. */
  readonly request: string;
  /** How a request in words was read; null for a run that began with a plan, where nothing had to be understood. */
  readonly understood: {
    /** A person rejected what was made of it, or ended it. */
    readonly overruled: boolean;
    /** How many tasks of its plan people took out: work that nobody had asked for. */
    readonly edits: number;
    /** How many questions people answered before there was a plan: what was asked for was not to be known. */
    readonly answers: number;
  } | null;
  readonly response_ms: number | null;
  /** Over its done tasks; null when no plan said what they would take. */
  readonly compared: { readonly tokens: Compared; readonly minutes: Compared; readonly cost_usd: Compared } | null;
  readonly errors: {
    readonly structural: number;
    /** Of those: after which the task went on without a person. */
    readonly recovered: number;
    /** Escalations that the failure policy demands: wrong, unsafe or too expensive work. */
    readonly other: number;
  };
  /** GO and NO_GO decisions, those that the rest of the log contradicts, and what does. */
  readonly gates: { readonly decided: number; readonly wrong: number; readonly because: readonly string[] };
  readonly tokens: { readonly all: number; readonly coordination: number };
  /** Observations of its tasks about estimates. */
  readonly observed: readonly TaskObservation[];
}

interface TaskFigures {
  readonly planned: NonNullable<Planned>;
  used: Amounts;
  /** Whether every attempt said itself what it used. */
  reported: boolean;
  done: boolean;
}
type Planned = EventOf<"plan_frozen">["plan"]["tasks"][number]["planned"];

/**
 * One pass over a log from its beginning; null for a log without a request.
 *
 * Contract: pure, and total over logs of earlier versions: what they do not say counts for nothing.
 */
export function runFigures(events: Iterable<LoggedEvent>): RunFigures | null {
  const fold = new Figures();
  for (const logged of events) fold.take(logged);
  return fold.result();
}

/** Folds figures event by event, for a log that is read as it grows. */
export class Figures {
  #first: LoggedEvent | null = null;
  #decision: EventOf<"intake_decided">["decision"] | null = null;
  /** A permission that a coding agent asks its person for is not a request for work. */
  #isPermission = false;
  #responseMs: number | null = null;
  #routed = false;
  #overruled = false;
  #ended: "completed" | "failed" | null = null;
  readonly #tasks = new Map<string, TaskFigures>();
  readonly #open = new Map<string, { reserved: Amounts; inFlight: Amounts }>();
  /** Structural failures of a task that nothing has followed yet. */
  readonly #failing = new Map<string, number>();
  #structural = 0;
  #recovered = 0;
  #other = 0;
  #edits = 0;
  #answers = 0;
  readonly #proposed = new Set<string>();
  readonly #gates = new GateFacts();
  #done = 0;
  #tokens = 0;
  #coordination = 0;

  take(logged: LoggedEvent): void {
    const { event } = logged;
    switch (event.type) {
      case "request_received":
        this.#first ??= logged;
        return;
      case "question_asked":
        if (isPermission(event.question_id)) this.#isPermission = true;
        return;
      case "intake_decided":
        this.#responseMs ??= this.#first === null ? null : logged.clock_ms - this.#first.clock_ms;
        this.#decision = event.decision;
        return;
      case "route_decided":
        this.#routed = true;
        return;
      case "plan_frozen":
        for (const { task_id, planned } of event.plan.tasks)
          if (planned !== undefined) this.#tasks.set(task_id, { planned, used: NOTHING, reported: true, done: false });
        return;
      case "plan_rejected":
      case "review_rejected":
        if (event.decider.how === "person") this.#overruled = true;
        return;
      case "question_answered":
        if (event.decider.how === "person" && this.#decision !== "approved") this.#answers++;
        return;
      case "change_proposed":
        if (isTakenOut(event.change)) this.#proposed.add(event.change_id);
        return;
      case "change_decided":
        if (event.approved && this.#proposed.delete(event.change_id)) this.#edits++;
        return;
      case "escalation_answered":
        if (event.order.action === "skip") this.#edits++;
        this.#gates.addOrder(event.order.action);
        return;
      case "attempt_started":
        this.#open.set(attemptKey(event.task_id, event.attempt), { reserved: event.reserved, inFlight: NOTHING });
        return;
      case "attempt_progressed": {
        const open = this.#open.get(attemptKey(event.task_id, event.attempt));
        if (open !== undefined) open.inFlight = addSeenUsage(open.inFlight, event.usage);
        return;
      }
      case "attempt_finished":
        return this.#applyAttemptEnd(event);
      case "verification_finished":
        if (event.verdict !== "PASS") this.#other++;
        return;
      case "integration_finished":
        if (!event.integrated) this.#other++;
        return;
      case "review_finished":
        if (!event.accepted) this.#other++;
        else this.#taskDone(event.task_id);
        return;
      case "escalation_raised":
        // A person has to look: whatever failed before it was not made good by itself.
        if (event.escalation.task_id !== null) this.#failing.delete(event.escalation.task_id);
        else if (event.escalation.type === "resource_exhaustion")
          this.#gates.contradict("planning", "GO", "what was set aside did not suffice");
        return;
      case "gate_decided":
        this.#gates.addDecision(event.gate);
        return;
      case "coordination_used":
        this.#coordination += event.tokens;
        this.#tokens += event.tokens;
        return;
      case "run_cancelled":
        this.#ended ??= "failed";
        this.#settle();
        if (event.decider.how !== "person") return;
        this.#overruled = true;
        // Anyone who ends a run before anything is done says that it should not have begun.
        if (this.#done === 0)
          this.#gates.contradict("planning", "GO", "a person ended the run before anything was done");
        this.#gates.contradict("execution", "GO", "a person ended the run");
        return;
      case "run_finished":
        if (this.#ended === null) this.#gates.finish(event.status, this.#done);
        this.#ended ??= event.status;
        this.#settle();
        return;
      default:
        return;
    }
  }

  #applyAttemptEnd({ task_id, attempt, outcome, usage }: EventOf<"attempt_finished">): void {
    const key = attemptKey(task_id, attempt);
    const open = this.#open.get(key);
    // An end that is reported twice is an echo.
    if (open === undefined) return;
    this.#open.delete(key);
    const used = bookedAmounts(open.reserved, usage, open.inFlight);
    this.#tokens += used.tokens;
    const task = this.#tasks.get(task_id);
    if (task !== undefined) {
      task.used = plus(task.used, used);
      task.reported &&= usage.source === "reported";
    }
    if (outcome.kind === "structural") {
      this.#structural++;
      this.#failing.set(task_id, (this.#failing.get(task_id) ?? 0) + 1);
      return;
    }
    this.#recovered += this.#failing.get(task_id) ?? 0;
    this.#failing.delete(task_id);
    if (["semantic", "resource", "quality", "safety"].includes(outcome.kind)) this.#other++;
  }

  /** As the ledger does it at the end of a run: what no longer reports counts as far as it was seen or set aside. */
  #settle(): void {
    for (const { reserved, inFlight } of this.#open.values())
      this.#tokens += bookedAmounts(reserved, { amounts: inFlight, source: "estimated" }).tokens;
    this.#open.clear();
  }

  #taskDone(task_id: string): void {
    this.#done++;
    const task = this.#tasks.get(task_id);
    if (task !== undefined) task.done = true;
  }

  result(): RunFigures | null {
    // A request about which nothing was decided has gone on as a run, and counts there.
    if (this.#isPermission) return null;
    if (this.#first === null || (this.#decision === null && this.#ended === "completed")) return null;
    const done = [...this.#tasks.values()].filter((task) => task.done);
    const inWords = this.#routed || (this.#decision !== null && this.#decision !== "approved");
    return {
      run_id: this.#first.run_id,
      started_at: this.#first.at,
      accepted: this.#decision === "approved",
      ended: this.#ended,
      request: this.#first.event.type === "request_received" ? this.#first.event.request : "",
      understood: inWords ? { overruled: this.#overruled, edits: this.#edits, answers: this.#answers } : null,
      // Logs of earlier versions put both down at once, after planning: that is not a measurement.
      response_ms: inWords && this.#responseMs !== 0 ? this.#responseMs : null,
      compared: done.length === 0 ? null : compareFigures(done),
      errors: { structural: this.#structural, recovered: this.#recovered, other: this.#other },
      gates: this.#gates.result(),
      tokens: { all: this.#tokens, coordination: this.#coordination },
      observed: done.flatMap(observationOf),
    };
  }
}

/** Whether a change leaves the work of a task undone. */
function isTakenOut({ action }: EventOf<"change_proposed">["change"]): boolean {
  return action === "skip_task" || action === "delete_task";
}

function compareFigures(done: readonly TaskFigures[]): NonNullable<RunFigures["compared"]> {
  const of = (name: "tokens" | "minutes" | "cost_usd"): Compared => ({
    estimated: done.reduce((sum, { planned }) => sum + planned[name], 0),
    used: done.reduce((sum, { used }) => sum + used[name], 0),
  });
  return { tokens: of("tokens"), minutes: of("minutes"), cost_usd: of("cost_usd") };
}

/** A figure that was measured is not an estimate, and nothing about estimates follows from it. */
function observationOf({ planned, used, reported }: TaskFigures): TaskObservation[] {
  if (planned.source === "memory") return [];
  const { tokens, minutes } = planned.before_learning ?? planned;
  return [
    {
      command_id: planned.command_id,
      task_type: planned.task_type,
      estimated: { tokens, minutes },
      used: { tokens: reported ? used.tokens : null, minutes: used.minutes },
    },
  ];
}
