import type { Prepared } from "../chain/hash-event.js";
import type { AppendResult, ClaimResult, RunHead } from "../event-store.js";

/** A piece of writing, and what it is answered with. */
export type Work =
  | { readonly kind: "open"; readonly runId: string }
  | { readonly kind: "claim"; readonly runId: string }
  | { readonly kind: "release"; readonly runId: string }
  | { readonly kind: "append"; readonly runId: string; readonly expected: number; readonly events: Prepared }
  | { readonly kind: "put"; readonly runId: string; readonly key: string; readonly value: string };

export interface Answers {
  open: RunHead;
  claim: ClaimResult;
  release: void;
  append: AppendResult;
  put: void;
}

/** The decision about one piece: an answer, or why it alone is refused. */
export type Decided = { readonly value: Answers[Work["kind"]] } | { readonly refused: Error };
