import { AMOUNTS } from "../../model/amount-names.js";
import type { Amounts, AttemptOutcome, FailurePolicy, Usage } from "../../model/run.js";
import { retryDelayMs } from "../run/decide/retry.js";
import type { Inquiry, Proposed, Proposer } from "./proposer.js";

/*
 * Asking until there is an answer in the right form, by the failure policy: what fails in its form or on its way is
 * asked anew of the next who may be asked, in a new instance, and nothing else ever is.
 */

export interface InquiryOptions {
  readonly policy: FailurePolicy;
  readonly seed: number;
  /** Contract: rejects when the signal is aborted, and never otherwise. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Contract: in the log when it resolves; told twice under the same purpose it is there once. */
  readonly count?: (purpose: string, usage: Usage) => Promise<void>;
}

interface Tried {
  readonly by: string;
  readonly message: string;
}

export type Inquired = {
  readonly by: string;
  readonly output: string;
  /** Usage of all instances together; null when none was ever begun. */
  readonly usage: Usage | null;
  /** The instances that failed before the last one. */
  readonly tried: readonly Tried[];
} & (
  | { readonly status: "answered"; readonly value: unknown }
  | { readonly status: "asks"; readonly question: string }
  | { readonly status: "failed"; readonly failure: Extract<Proposed, { status: "failed" }>["failure"] }
);

/** Contract: never rejects but for a mistake in the program. At most `max_retries` instances after the first. */
export async function inquire(
  proposers: readonly Proposer[],
  inquiry: Inquiry,
  { policy, seed, wait, count }: InquiryOptions,
  signal: AbortSignal,
): Promise<Inquired> {
  let chain = [...proposers];
  let usage: Usage | null = null;
  const tried: Tried[] = [];
  for (let number = 1; ; number++) {
    const [by, ...others] = chain;
    if (by === undefined) return { ...failUnanswered(tried), usage, tried };
    const budget = subtractUsage(inquiry.budget, usage);
    const spent = AMOUNTS.find((what) => what !== "files" && what !== "commits" && budget[what] <= 0);
    const ended: Proposed = signal.aborted
      ? { status: "failed", failure: { kind: "cancelled" }, gone: false, output: "", usage: null }
      : spent !== undefined
        ? failOverspent(spent, inquiry.budget)
        : await by.propose(inquiry, { number, budget }, signal);
    if (ended.usage !== null) {
      usage = addUsage(usage, ended.usage);
      await count?.(`${inquiry.purpose}: ${inquiry.about} by ${by.name} ${number}`, ended.usage);
    }
    const { output } = ended;
    const about = { by: by.name, output, usage, tried: [...tried] };
    if (ended.status === "answered") return { ...about, status: "answered", value: ended.value };
    if (ended.status === "asks") return { ...about, status: "asks", question: ended.question };
    const { failure, gone } = ended;
    tried.push({ by: by.name, message: describeFailure(failure) });
    // The other one has the next turn; anyone who cannot answer at all has none.
    chain = gone ? others : [...others, by];
    // INVARIANT: only what failed in its form or on its way is asked again.
    if (failure.kind !== "structural" || number > policy.max_retries || chain.length === 0)
      return { ...about, status: "failed", failure };
    const delay = retryDelayMs(policy, number - 1, seed, inquiry.about);
    // Anyone who comes next has failed at nothing yet.
    const isNew = !tried.some(({ by: name }) => name === chain[0]?.name);
    if (!isNew) await wait(delay, signal).catch(() => undefined);
  }
}

export function describeFailure(failure: AttemptOutcome): string {
  switch (failure.kind) {
    case "structural":
      return `${failure.error}: ${failure.message}`;
    case "semantic":
      return `${failure.violation} violation: ${failure.message}`;
    case "clarification":
      return failure.question;
    case "completed":
    case "cancelled":
      return failure.kind;
    case "scope_request":
      return `it asked for what it may not have: ${failure.message}`;
    case "environment":
    case "resource":
    case "quality":
    case "safety":
      return failure.message;
  }
}

function failUnanswered(tried: readonly Tried[]) {
  const message = tried.at(-1)?.message ?? "no agent and no model is configured that could be asked";
  return {
    status: "failed",
    by: "",
    output: "",
    failure: { kind: "structural", error: "lost_connection", message },
  } as const;
}

function failOverspent(what: keyof Amounts, budget: Amounts): Proposed {
  const message = `The ${budget[what]} ${what} set aside for this are used up.`;
  return { status: "failed", failure: { kind: "resource", what, message }, gone: false, output: "", usage: null };
}

const each = (pick: (what: keyof Amounts) => number): Amounts =>
  Object.fromEntries(AMOUNTS.map((what) => [what, pick(what)])) as Amounts;

function subtractUsage(budget: Amounts, usage: Usage | null): Amounts {
  return usage === null ? budget : each((what) => Math.max(0, budget[what] - usage.amounts[what]));
}

function addUsage(before: Usage | null, more: Usage): Usage {
  if (before === null) return more;
  const source = before.source === "reported" && more.source === "reported" ? "reported" : "estimated";
  return { amounts: each((what) => before.amounts[what] + more.amounts[what]), source };
}
