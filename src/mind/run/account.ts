import { type AmountName, AMOUNTS } from "../../model/amount-names.js";
import type { Amounts, Usage } from "../../model/run.js";
import { each, NOTHING, plus, SMALLEST, tidy } from "./amounts.js";

/* One level of a ledger: what it may spend, has set aside and has spent. */

export interface Account {
  /** Null: counted, but not limited at this level. */
  readonly budget: Amounts | null;
  readonly used: Amounts;
  readonly reserved: Amounts;
  /** How much of `used` is estimated and not reported. */
  readonly estimated: Amounts;
}

/** One amount of one level that is over its budget, or would be. */
export interface Excess {
  readonly level: "run" | "phase" | "task";
  /** The phase or task; the run has no other name here. */
  readonly name: string;
  readonly amount: AmountName;
  readonly budget: number;
  readonly over_by: number;
}

export function account(budget: Amounts | null): Account {
  return { budget, used: NOTHING, reserved: NOTHING, estimated: NOTHING };
}

export function accountWith({ budget }: Account, used: Amounts, reserved: Amounts, estimated: Amounts): Account {
  return { budget, used, reserved, estimated };
}

export function book(at: Account, used: Amounts, source: Usage["source"]): Account {
  const estimated = source === "estimated" ? plus(at.estimated, used) : at.estimated;
  return accountWith(at, plus(at.used, used), at.reserved, estimated);
}

/** Whether `excess` finds nothing. */
export function fits({ budget, used, reserved }: Account, asked: Amounts): boolean {
  return (
    budget === null ||
    (tidy(used.tokens + reserved.tokens + asked.tokens) <= budget.tokens &&
      tidy(used.cost_usd + reserved.cost_usd + asked.cost_usd) <= budget.cost_usd &&
      tidy(used.minutes + reserved.minutes + asked.minutes) <= budget.minutes &&
      tidy(used.files + reserved.files + asked.files) <= budget.files &&
      tidy(used.commits + reserved.commits + asked.commits) <= budget.commits &&
      tidy(used.api_calls + reserved.api_calls + asked.api_calls) <= budget.api_calls)
  );
}

export function findExcess(level: Excess["level"], name: string, at: Account, asked: Amounts): Excess[] {
  const { budget, used, reserved } = at;
  const found: Excess[] = [];
  if (budget === null) return found;
  for (const amount of AMOUNTS) {
    const limit = budget[amount];
    const sum = tidy(used[amount] + reserved[amount] + asked[amount]);
    if (sum <= limit) continue;
    // An amount that cannot be compared is not within any budget.
    const by = Number.isNaN(sum - limit) ? Infinity : Math.max(SMALLEST, tidy(sum - limit));
    found.push({ level, name, amount, budget: limit, over_by: by });
  }
  return found;
}

/** The amounts that may still be reserved. Never below zero; null where nothing limits it. */
export function remainingAmounts(at: Account): Amounts | null {
  const { budget, used, reserved } = at;
  if (budget === null) return null;
  return each((name) => Math.max(0, tidy(budget[name] - used[name] - reserved[name])));
}

/** For people: `run: 1200 tokens over its budget of 50000`. */
export function describeExcess({ level, name, amount, budget, over_by }: Excess): string {
  return `${level === "run" ? "run" : `${level} ${name}`}: ${over_by} ${amount} over its budget of ${budget}`;
}
