/** One file of what a run changed. Null lines: it is not text. */
export interface ChangedFile {
  readonly path: string;
  readonly change: "created" | "changed" | "removed";
  readonly added: number | null;
  readonly removed: number | null;
}

/** The difference of the run's branch from its base, as git counts it. */
export interface RunChange {
  readonly ref: string;
  readonly files: readonly ChangedFile[];
  /** As whom it is merged: a reviewer for each review the plan asks for before. */
  readonly merge_as?: readonly string[];
}
