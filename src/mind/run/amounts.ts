import type { AmountName } from "../../model/amount-names.js";
import type { Amounts } from "../../model/run.js";

/* Sums of what attempts use, one number for each kind of it. */

export const NOTHING: Amounts = { tokens: 0, cost_usd: 0, minutes: 0, files: 0, commits: 0, api_calls: 0 };

export function each(of: (name: AmountName) => number): Amounts {
  return {
    tokens: of("tokens"),
    cost_usd: of("cost_usd"),
    minutes: of("minutes"),
    files: of("files"),
    commits: of("commits"),
    api_calls: of("api_calls"),
  };
}

// Written out: every event of an attempt adds and takes away several times, and six calls by name cost far more.
export function plus(a: Amounts, b: Amounts): Amounts {
  return {
    tokens: tidy(a.tokens + b.tokens),
    cost_usd: tidy(a.cost_usd + b.cost_usd),
    minutes: tidy(a.minutes + b.minutes),
    files: tidy(a.files + b.files),
    commits: tidy(a.commits + b.commits),
    api_calls: tidy(a.api_calls + b.api_calls),
  };
}

export function most(a: Amounts, b: Amounts): Amounts {
  return each((name) => Math.max(a[name], b[name]));
}

export function minus(a: Amounts, b: Amounts): Amounts {
  return {
    tokens: Math.max(0, tidy(a.tokens - b.tokens)),
    cost_usd: Math.max(0, tidy(a.cost_usd - b.cost_usd)),
    minutes: Math.max(0, tidy(a.minutes - b.minutes)),
    files: Math.max(0, tidy(a.files - b.files)),
    commits: Math.max(0, tidy(a.commits - b.commits)),
    api_calls: Math.max(0, tidy(a.api_calls - b.api_calls)),
  };
}

export function takeAllAsEntered(asked: Amounts): Amounts {
  return {
    tokens: enterAmount(asked.tokens),
    cost_usd: enterAmount(asked.cost_usd),
    minutes: enterAmount(asked.minutes),
    files: enterAmount(asked.files),
    commits: enterAmount(asked.commits),
    api_calls: enterAmount(asked.api_calls),
  };
}

/*
 * Sums are kept in millionths, so that a thousand reservations of 0.1 come back to exactly nothing when released. Above
 * nine thousand million a number has no room for millionths, and only whole ones are meant.
 */
export const SMALLEST = 1e-6;

const EXACT = 9e9;

export function tidy(amount: number): number {
  return Math.abs(amount) < EXACT ? Math.round(amount * 1e6) / 1e6 : amount;
}

/** An amount on its way into the ledger: rounded up, so that the smallest spending is not lost; what is not an amount is endless. */
export function enterAmount(amount: number): number {
  if (Number.isNaN(amount)) return Infinity;
  if (amount >= EXACT) return amount;
  const millionths = Math.max(0, amount) * 1e6;
  const nearest = Math.round(millionths);
  // A hair above a whole millionth is how 0.07 is held, and no spending.
  const exact = nearest > 0 && Math.abs(nearest - millionths) < 1e-3;
  return (exact ? nearest : Math.ceil(millionths)) / 1e6;
}
