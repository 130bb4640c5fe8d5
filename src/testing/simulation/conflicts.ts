import type { RunEvent } from "../../model/event.js";
import type { RunPolicy } from "../../model/run.js";
import { isOver, type RunState } from "../../mind/run/state.js";

/** The conflicts of a run, followed once more from its events alone: round by round, each attempt onto the branch once. */
export class Conflicts {
  readonly #policy: RunPolicy;
  readonly #report: (violation: string) => void;
  /** The round an attempt is in, and whether somebody resolves it now. */
  readonly #rounds = new Map<string, { readonly round: number; readonly open: boolean }>();
  readonly #integrated = new Set<string>();

  constructor(policy: RunPolicy, report: (violation: string) => void) {
    this.#policy = policy;
    this.#report = report;
  }

  take(event: RunEvent): void {
    switch (event.type) {
      case "conflict_found": {
        const key = `${event.task_id}#${event.attempt}`;
        const { round, open } = this.#rounds.get(key) ?? { round: 0, open: false };
        if (open || event.round !== round + 1) this.#report(`${key} is in conflict out of turn`);
        this.#rounds.set(key, { round: event.round, open: true });
        break;
      }
      case "conflict_resolved": {
        const key = `${event.task_id}#${event.attempt}`;
        const { round, open } = this.#rounds.get(key) ?? { round: 0, open: false };
        if (!open || event.round !== round) this.#report(`${key} is resolved, and nobody waited for it`);
        if (round > this.#policy.conflict_rounds) this.#report(`${key} was resolved more often than it may be`);
        if (this.#policy.coordinator_mode === "off") this.#report(`${key} was resolved, and no agent may be asked`);
        this.#rounds.set(key, { round, open: false });
        break;
      }
      case "integration_finished": {
        const key = `${event.task_id}#${event.attempt}`;
        const { round, open } = this.#rounds.get(key) ?? { round: 0, open: false };
        if (event.integrated && open) this.#report(`${key} was integrated with its conflict open`);
        if (event.integrated && this.#integrated.has(key)) this.#report(`${key} was integrated twice`);
        if (event.integrated) this.#integrated.add(key);
        this.#rounds.set(key, { round, open: false });
        break;
      }
      default:
    }
  }

  /** Anyone who resolves works, and anyone who works holds a place. Contract: called once all events of a commit were taken. */
  compare(after: RunState): void {
    if (isOver(after)) return;
    const tasks = [...after.tasks];
    const atWork = tasks.filter(({ state }) => state.status === "in_progress" && state.stage !== "waiting").length;
    if (atWork !== after.running && tasks.length > 0)
      this.#report(`${atWork} are at work, ${after.running} hold a place`);
  }
}
