import type { z } from "zod";
import type { Amounts, AttemptOutcome, Usage } from "../../model/run.js";

/*
 * The port to anyone who may propose: an agent in a sandbox or a model. It is asked one thing and answers in a given form.
 * Its answer is a proposal and nothing more; rules decide what becomes of it.
 */

export interface Inquiry {
  readonly purpose: "specify" | "plan" | "safety";
  /** The subject. Asked about it again, an instance that was begun is adopted where that is possible. */
  readonly about: string;
  readonly system: string;
  readonly prompt: string;
  /** All the documents there are for anyone who is asked. */
  readonly documents: readonly { readonly ref: string; readonly text: string }[];
  /** `documents`: a workspace with those and nothing else. `repository`: read-only, as far as it may be read. */
  readonly sees: "documents" | "repository";
  /** Paths of the repository that are not in that workspace. */
  readonly withheld: readonly string[];
  readonly answer: z.ZodType;
  /** The budget of all its instances together. */
  readonly budget: Amounts;
}

type Failure = Exclude<AttemptOutcome, { kind: "completed" | "clarification" }>;

/** How one instance ended. Its output is kept in any case. */
export type Proposed = { readonly output: string; readonly usage: Usage | null } & (
  | { readonly status: "answered"; readonly value: unknown }
  | { readonly status: "asks"; readonly question: string }
  /** `gone`: another instance of the same would fail in the same way, so it is not asked again. */
  | { readonly status: "failed"; readonly failure: Failure; readonly gone: boolean }
);

export interface Proposer {
  readonly name: string;
  /**
   * Contract: never rejects but for a mistake in the program. One new instance that knows nothing of those before it; at
   * most the one model call in flight goes over `budget`. When it resolves nothing of it runs any more.
   */
  readonly propose: (
    inquiry: Inquiry,
    instance: { readonly number: number; readonly budget: Amounts },
    signal: AbortSignal,
  ) => Promise<Proposed>;
}
