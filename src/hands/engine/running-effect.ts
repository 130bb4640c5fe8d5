import type { TaskRecord } from "../../mind/run/task-record.js";

/** An effect under way. Its signal is made when it is read first: most effects end before anybody stops them. */
export class RunningEffect {
  readonly id: string;
  /** Its task's place in the plan; an effect of no task has none. */
  readonly task: number | null;
  /** Its task when the effect was last seen to be wanted. */
  record: TaskRecord | null;
  aborted = false;
  #controller: AbortController | null = null;
  #reason: unknown = undefined;

  constructor(id: string, task: number | null, record: TaskRecord | null) {
    this.id = id;
    this.task = task;
    this.record = record;
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.aborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** `failure`: why this process cannot go on with the run. Absent where the effect is not wanted any more. */
  abort(failure?: unknown): void {
    if (!this.aborted) this.#reason = failure;
    this.aborted = true;
    this.#controller?.abort(failure);
  }
}
