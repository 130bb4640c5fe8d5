/*
 * Making something durable costs one sync of the disk, however much it is. So what is asked for in one turn of the
 * event loop is written in one transaction, and everybody is answered after its commit.
 */

/** A piece of writing. */
interface Work<T> {
  /** Writes inside of a transaction that others share. Whatever it throws undoes the transaction. */
  act(): T;
  /** Answers for work that the database refused when it was tried alone, after it was undone. */
  refused(error: unknown): T;
}

export interface Transactions {
  begin(): void;
  commit(): void;
  /** Contract: must not throw. */
  rollback(): void;
  /** Whether the database said no to the content, rather than being unable to write. */
  isRefusal(error: unknown): boolean;
  /** The answer when writing failed. */
  failure(error: unknown): { readonly error: Error; readonly isFinal: boolean };
}

export interface GroupCommit {
  /** Contract: resolves after the commit. Work is done in the order it was asked for. */
  submit<T>(work: Work<T>): Promise<T>;
  /** Contract: resolves when everything asked for so far is answered. */
  drained(): Promise<void>;
  /** Whether a write has failed for good. */
  hasFailed(): boolean;
}

interface PendingWork {
  readonly work: Work<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** How much is written at once: longer transactions would hold up everything else this process does. */
const MOST_AT_ONCE = 512;

export function createGroupCommit(transactions: Transactions): GroupCommit {
  let queue: PendingWork[] = [];
  let waiting: (() => void)[] = [];
  let isScheduled = false;
  /** Set by the first failed write. Nothing is written after it: what the disk then holds is not known. */
  let failed: Error | null = null;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(flush);
  }

  function flush(): void {
    isScheduled = false;
    const batch = queue.length > MOST_AT_ONCE ? queue.slice(0, MOST_AT_ONCE) : queue;
    queue = queue.length > MOST_AT_ONCE ? queue.slice(MOST_AT_ONCE) : [];
    if (batch.length > 0) write(batch);
    if (queue.length > 0) return schedule();
    for (const resume of waiting) resume();
    waiting = [];
  }

  function write(batch: readonly PendingWork[]): void {
    if (failed !== null) return refuse(batch, failed);
    const outcome = attempt(batch);
    if (outcome.kind === "written")
      for (let i = 0; i < batch.length; i++) (batch[i] as PendingWork).resolve(outcome.values[i]);
    else if (outcome.kind === "failed") fail(batch, outcome.error);
    else if (batch.length > 1) for (const asked of batch) write([asked]);
    else if (batch[0] !== undefined) answerRefused(batch[0], outcome.error);
  }

  type Outcome =
    | { readonly kind: "written"; readonly values: readonly unknown[] }
    | { readonly kind: "refused" | "failed"; readonly error: unknown };

  function attempt(batch: readonly PendingWork[]): Outcome {
    try {
      transactions.begin();
      const values = batch.map(({ work }) => work.act());
      transactions.commit();
      return { kind: "written", values };
    } catch (error) {
      transactions.rollback();
      return { kind: transactions.isRefusal(error) ? "refused" : "failed", error };
    }
  }

  function answerRefused({ work, resolve, reject }: PendingWork, error: unknown): void {
    try {
      resolve(work.refused(error));
    } catch (unexplained) {
      reject(unexplained);
    }
  }

  function fail(batch: readonly PendingWork[], cause: unknown): void {
    const { error, isFinal } = transactions.failure(cause);
    if (isFinal) failed = error;
    refuse(batch, error);
  }

  function refuse(batch: readonly PendingWork[], error: Error): void {
    for (const { reject } of batch) reject(error);
  }

  return {
    submit: <T>(work: Work<T>) =>
      new Promise<T>((resolve, reject) => {
        queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
        schedule();
      }),
    hasFailed: () => failed !== null,
    drained: () =>
      queue.length === 0 ? Promise.resolve() : new Promise<void>((resolve) => void waiting.push(resolve)),
  };
}
