/** A place away from the store where checkpoints are kept, so that cutting off the log and its checkpoints shows. */
export interface Anchor {
  /** Whether it keeps every note, or the last one of each run. */
  readonly keeps: "all" | "last";
  /** Contract: resolves when the note is durable there; rejects with a CoordinatorError. */
  write(runId: string, note: string): Promise<void>;
  /** Contract: the notes kept for this run, oldest first; none for an unknown run. Not judged: they may be anything. */
  read(runId: string): Promise<readonly string[]>;
}
