import type { StructuralFailure } from "./http.js";

/*
 * The port to a model: one call, one answer. Providers differ in how they are asked and what they report; behind this
 * they do not.
 */

export interface Completion {
  readonly system: string;
  readonly prompt: string;
  /** A JSON Schema the answer must match; the provider gets it, and the answer still has to be checked. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  readonly maxTokens: number;
}

export interface TokenCount {
  readonly in: number;
  readonly out: number;
  readonly source: "reported" | "estimated";
}

export type Completed =
  | {
      readonly status: "completed";
      readonly text: string;
      /** The answer, where the provider gave it as a value. */
      readonly json: unknown;
      /** `max_tokens`: the answer was cut off. */
      readonly stopped: "end" | "max_tokens" | "refusal";
      readonly tokens: TokenCount;
      readonly cost_usd: number;
      /** `estimated`: nobody has priced this model, and what large ones cost was taken. */
      readonly cost_is: "priced" | "estimated";
      readonly calls: number;
    }
  | {
      readonly status: "failed";
      readonly failure: StructuralFailure | { readonly kind: "cancelled" };
      /** Another call would fail in the same way: the key is wrong, there is no such model. */
      readonly gone: boolean;
      /** Null: nothing was used. Otherwise what it may have used at most, because nobody said. */
      readonly tokens: TokenCount | null;
      readonly cost_usd: number;
      readonly calls: number;
    };

export interface Model {
  readonly name: string;
  /** Contract: never rejects. It ends at its time limit and when the signal is aborted. No key is in what it returns. */
  readonly complete: (completion: Completion, signal: AbortSignal) => Promise<Completed>;
  /** Computes the cost of so many tokens. Contract: never zero for tokens, unless the model is known to cost nothing. */
  readonly costOf: (tokens: { readonly in: number; readonly out: number }) => number;
  readonly maxOutputTokens: number;
}
