import type { EventOf, RunEvent } from "../../model/event.js";
import { AMOUNTS } from "../../model/amount-names.js";
import type { Amounts, PlanRef, Usage } from "../../model/run.js";
import { effectsOf } from "../../mind/run/effects.js";
import { isOver, type RunState } from "../../mind/run/state.js";
import { taskIdOf } from "../../mind/run/inbox-entry.js";

const NONE: Amounts = { tokens: 0, cost_usd: 0, minutes: 0, files: 0, commits: 0, api_calls: 0 };
/** Sums of fractions differ in their last digits, depending on who added them in which order. */
const HAIR = 1e-3;

interface Flight {
  readonly reserved: Amounts;
  seen: Amounts;
}

/** The spending of a run, counted once more from its events alone, and what its ledger must therefore say. */
export class Books {
  readonly #plan: PlanRef;
  readonly #report: (violation: string) => void;
  readonly #open = new Map<string, Flight>();
  readonly #byTask = new Map<string, Amounts>();
  readonly #granted = new Map<string, Amounts>();
  #used = NONE;
  #coordination = 0;
  /** Attempts that went over what they had set aside in the events just taken. */
  #over: string[] = [];

  constructor(plan: PlanRef, report: (violation: string) => void) {
    this.#plan = plan;
    this.#report = report;
  }

  take(event: RunEvent, before: RunState): void {
    switch (event.type) {
      case "attempt_started":
        this.#open.set(`${event.task_id}#${event.attempt}`, { reserved: event.reserved, seen: NONE });
        break;
      case "attempt_progressed":
        this.#recordProgress(`${event.task_id}#${event.attempt}`, event.usage.amounts);
        break;
      case "attempt_finished":
        this.#recordFinish(`${event.task_id}#${event.attempt}`, event.task_id, event.usage);
        break;
      case "run_cancelled":
      case "run_finished":
        // Nobody reports any more: what was seen was used, and what was not seen is taken to be what was set aside.
        // oxlint-disable-next-line unicorn/no-useless-spread -- settling takes them out of the map while it is read
        for (const [key, { seen }] of [...this.#open])
          this.#recordFinish(key, key.slice(0, key.lastIndexOf("#")), { amounts: seen, source: "estimated" });
        break;
      case "coordination_reserved":
        this.#open.set(`${event.purpose}#0`, {
          reserved: { ...NONE, tokens: event.tokens, cost_usd: event.cost_usd },
          seen: NONE,
        });
        break;
      case "coordination_used":
        this.#open.delete(`${event.purpose}#0`);
        this.#coordination += event.tokens;
        this.#used = sum(this.#used, { ...NONE, tokens: event.tokens, cost_usd: event.cost_usd });
        break;
      case "escalation_answered": {
        const entry = before.inbox.find(({ id }) => id === event.escalation_id);
        const task = entry === undefined ? null : taskIdOf(entry);
        if (event.order.action === "raise_budget" && task !== null)
          this.#granted.set(task, sum(this.#granted.get(task) ?? NONE, event.order.add));
        break;
      }
      default:
    }
  }

  #recordProgress(key: string, amounts: Amounts): void {
    const flight = this.#open.get(key);
    if (flight === undefined) return this.#report(`${key} reports but does not run`);
    const isOver = (seen: Amounts) =>
      AMOUNTS.some((name) => flight.reserved[name] > 0 && seen[name] > flight.reserved[name] + HAIR);
    if (isOver(flight.seen)) this.#report(`${key} goes on reporting after it went over what it may use`);
    flight.seen = largest(flight.seen, amounts);
    if (isOver(flight.seen)) this.#over.push(key);
  }

  #recordFinish(key: string, task_id: string, usage: Usage): void {
    const flight = this.#open.get(key);
    if (flight === undefined) return;
    this.#open.delete(key);
    const isKnown = (name: keyof Amounts) => usage.source === "reported" || usage.amounts[name] > 0;
    const told = { ...NONE };
    for (const name of AMOUNTS) told[name] = isKnown(name) ? usage.amounts[name] : flight.reserved[name];
    const booked = largest(told, flight.seen);
    this.#used = sum(this.#used, booked);
    this.#byTask.set(task_id, sum(this.#byTask.get(task_id) ?? NONE, booked));
  }

  /** Contract: called once all events of a commit were taken. */
  compare(after: RunState, events: readonly RunEvent[]): void {
    const over = this.#over;
    this.#over = [];
    const { run, coordination_tokens, phases } = after.ledger;
    if (Math.abs(coordination_tokens - this.#coordination) > HAIR)
      this.#report(`coordination used ${this.#coordination} tokens, the ledger says ${coordination_tokens}`);
    for (const name of AMOUNTS)
      if (Math.abs(run.used[name] - this.#used[name]) > HAIR)
        this.#report(`${this.#used[name]} ${name} were used, the ledger says ${run.used[name]}`);
    if (isOver(after)) return;
    for (const key of over) {
      const effects = effectsOf(after).map(({ id }) => id);
      if (this.#open.has(key) && (!effects.includes(`stop:${key}`) || effects.includes(`attempt:${key}`)))
        this.#report(`${key} is over what it may use and is not stopped`);
    }
    for (const event of events) if (event.type === "attempt_started") this.#checkAffordable(event, run, phases);
  }

  #checkAffordable(
    { task_id, reserved }: EventOf<"attempt_started">,
    run: RunState["ledger"]["run"],
    phases: RunState["ledger"]["phases"],
  ): void {
    const task = this.#plan.tasks.find((each) => each.task_id === task_id);
    const phase = phases[task?.phase ?? ""];
    const spent = this.#byTask.get(task_id) ?? NONE;
    const granted = this.#granted.get(task_id) ?? NONE;
    for (const name of AMOUNTS) {
      for (const [level, account] of [["run", run] as const, ["phase", phase] as const]) {
        const limit = account?.budget?.[name];
        if (account !== undefined && limit !== undefined && account.used[name] + account.reserved[name] > limit + HAIR)
          this.#report(`${task_id} was started beyond the ${level}'s budget of ${name}`);
      }
      const limit = task?.budget?.[name];
      if (limit !== undefined && spent[name] + reserved[name] > limit + granted[name] + HAIR)
        this.#report(`${task_id} was started beyond its own budget of ${name}`);
    }
  }
}

function sum(a: Amounts, b: Amounts): Amounts {
  const total = { ...a };
  for (const name of AMOUNTS) total[name] += b[name];
  return total;
}

function largest(a: Amounts, b: Amounts): Amounts {
  const most = { ...a };
  for (const name of AMOUNTS) most[name] = Math.max(a[name], b[name]);
  return most;
}
