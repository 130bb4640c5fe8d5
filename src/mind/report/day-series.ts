import type { EventOf, LoggedEvent } from "../../model/event.js";

/* Usage and outcomes of runs, day by day. */

/** The work of one agent on one day. */
export interface WorkDay {
  readonly day: string;
  readonly agent: string;
  readonly attempts: number;
  readonly completed: number;
  readonly failed: number;
  /** Attempts that were not the first one at their task. */
  readonly retries: number;
  /** Verdicts PASS, and all others. */
  readonly passed: number;
  readonly not_passed: number;
  readonly minutes: number;
  readonly tokens: number;
  readonly cost_usd: number;
  /** Attempts whose agent did not say what it used. */
  readonly estimated: number;
}

export interface RunDay {
  readonly day: string;
  readonly started: number;
  readonly completed: number;
  readonly failed: number;
}

type Open<T> = { -readonly [name in keyof T]: T[name] };

/** Counts the events of logs, one log after another. */
export class DaySeries {
  readonly #days: ReadonlySet<string>;
  readonly #dayOf: (at: string) => string;
  readonly #work = new Map<string, Open<WorkDay>>();
  readonly #runs = new Map<string, Open<RunDay>>();
  /** By task, of the log that is being read. */
  #agents = new Map<string, string>();

  /** `dayOf` says on which day an event of the log was. */
  constructor(days: readonly string[], dayOf: (at: string) => string) {
    this.#dayOf = dayOf;
    this.#days = new Set(days);
  }

  /** Contract: events of one log in their order, and one log after another. */
  take({ event, at, sequence }: LoggedEvent): void {
    if (sequence === 1) this.#agents = new Map();
    if (event.type === "attempt_started") this.#agents.set(event.task_id, event.agent);
    const day = this.#dayOf(at);
    if (!this.#days.has(day)) return;
    switch (event.type) {
      case "request_received":
        this.#run(day).started++;
        break;
      case "run_finished":
        this.#run(day)[event.status]++;
        break;
      case "run_cancelled":
        this.#run(day).failed++;
        break;
      case "attempt_finished":
        this.#countAttempt(day, event);
        break;
      case "verification_finished": {
        const row = this.#row(day, event.task_id);
        if (event.verdict === "PASS") row.passed++;
        else row.not_passed++;
        break;
      }
      default:
        break;
    }
  }

  /** Contract: by day, then by agent. */
  result(): { readonly work: readonly WorkDay[]; readonly runs: readonly RunDay[] } {
    const inOrder = <T>(rows: ReadonlyMap<string, T>) =>
      [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    return { work: inOrder(this.#work), runs: inOrder(this.#runs) };
  }

  #countAttempt(day: string, { task_id, attempt, outcome, usage }: EventOf<"attempt_finished">): void {
    const row = this.#row(day, task_id);
    row.attempts++;
    if (outcome.kind === "completed") row.completed++;
    else row.failed++;
    if (attempt > 1) row.retries++;
    if (usage.source === "estimated") row.estimated++;
    row.minutes += usage.amounts.minutes;
    row.tokens += usage.amounts.tokens;
    row.cost_usd += usage.amounts.cost_usd;
  }

  #row(day: string, taskId: string): Open<WorkDay> {
    const agent = this.#agents.get(taskId) ?? "";
    const key = `${day} ${agent}`;
    const found = this.#work.get(key) ?? { day, agent, ...NONE };
    this.#work.set(key, found);
    return found;
  }

  #run(day: string): Open<RunDay> {
    const found = this.#runs.get(day) ?? { day, started: 0, completed: 0, failed: 0 };
    this.#runs.set(day, found);
    return found;
  }
}

const NONE = {
  attempts: 0,
  completed: 0,
  failed: 0,
  retries: 0,
  passed: 0,
  not_passed: 0,
  minutes: 0,
  tokens: 0,
  cost_usd: 0,
  estimated: 0,
};
