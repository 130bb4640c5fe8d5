import { type AmountName, AMOUNTS, type Amounts, type Usage } from "../model/run.js";

/*
 * What a run may spend, has set aside and has spent. An attempt reserves before it starts and settles when it ends; what
 * it never reports is booked as it was reserved, because unknown is not free.
 *
 * INVARIANT: after every `reserve`, used + reserved ≤ budget for each amount of the run and of each phase that has a
 * budget. A `progress` or `settle` goes beyond that by no more than the attempt reported above what it had reserved.
 *
 * The ledger holds sums and the open reservations, so each operation costs the same in a run of ten tasks and of ten
 * thousand. What a task has spent over its attempts is kept with the task and passed in.
 */

export interface Account {
  /** Null: counted, but not limited at this level. */
  readonly budget: Amounts | null;
  readonly used: Amounts;
  readonly reserved: Amounts;
  /** How much of `used` is estimated and not reported. */
  readonly estimated: Amounts;
}

export interface Reservation {
  /** `task#attempt`. */
  readonly key: string;
  readonly phase: string;
  /** What is held for it now: what was set aside, or what is in flight where that is more. */
  readonly amounts: Amounts;
  readonly set_aside: Amounts;
  /** What it has reported so far. Reports give sums, so an older one that comes late takes nothing back. */
  readonly in_flight: Amounts;
}

export interface Ledger {
  readonly run: Account;
  readonly phases: Readonly<Record<string, Account>>;
  /** As many as attempts run at once. A list, because copying one is nothing beside copying a record. */
  readonly open: readonly Reservation[];
  /** Of the tokens used, those of coordination. */
  readonly coordination_tokens: number;
}

/** Who asks: an attempt at a task, and what the task may spend over all its attempts, if that is limited. */
export interface Claim {
  readonly task_id: string;
  readonly attempt: number;
  readonly phase: string;
  readonly task?: { readonly budget: Amounts; readonly used: Amounts };
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

export type Reserved =
  | { readonly ok: true; readonly ledger: Ledger }
  | { readonly ok: false; readonly refusals: readonly Excess[] };

export const NOTHING: Amounts = { tokens: 0, cost_usd: 0, minutes: 0, files: 0, commits: 0, api_calls: 0 };

/** The key of an attempt: reservations, effects and probes go by it. */
export function attemptKey(taskId: string, attempt: number): string {
  return `${taskId}#${attempt}`;
}

export function openLedger(budget: Amounts, phaseBudgets: Readonly<Record<string, Amounts>> = {}): Ledger {
  const phases: Record<string, Account> = {};
  for (const [phase, limit] of Object.entries(phaseBudgets)) phases[phase] = account(limit);
  return { run: account(budget), phases, open: [], coordination_tokens: 0 };
}

/** The ledger of a run that gets its budget now. What coordination used before counts against it. */
export function withBudget(
  ledger: Ledger,
  budget: Amounts,
  phaseBudgets: Readonly<Record<string, Amounts>> = {},
): Ledger {
  return { ...ledger, run: { ...ledger.run, budget }, phases: openLedger(budget, phaseBudgets).phases };
}

/** What an attempt has set aside; undefined before it reserved and after it settled. */
export function reservationOf(ledger: Ledger, key: string): Reservation | undefined {
  return ledger.open.find((reservation) => reservation.key === key);
}

/**
 * Sets an amount aside for an attempt, or says everything that stands against it: which amount of which level, and by
 * how much. A refusal changes nothing. Reserving again for the same attempt changes nothing either.
 */
export function reserve(ledger: Ledger, claim: Claim, asked: Amounts): Reserved {
  const key = attemptKey(claim.task_id, claim.attempt);
  if (reservationOf(ledger, key) !== undefined) return { ok: true, ledger };
  const refusals = refusalsOf(ledger, claim, asked);
  if (refusals.length > 0) return { ok: false, refusals };
  const amounts = enteredAll(asked);
  const setAside = (at: Account) => accountWith(at, at.used, plus(at.reserved, amounts), at.estimated);
  return {
    ok: true,
    ledger: {
      run: setAside(ledger.run),
      phases: { ...ledger.phases, [claim.phase]: setAside(phaseOf(ledger, claim.phase)) },
      open: [...ledger.open, { key, phase: claim.phase, amounts, set_aside: amounts, in_flight: NOTHING }],
      coordination_tokens: ledger.coordination_tokens,
    },
  };
}

/** All that stands against setting an amount aside; nothing when `reserve` would do it. */
export function refusalsOf(ledger: Ledger, claim: Claim, asked: Amounts): readonly Excess[] {
  const amounts = enteredAll(asked);
  const { run } = ledger;
  const phase = phaseOf(ledger, claim.phase);
  const task = claim.task === undefined ? null : taskAccount(claim.task);
  if (fits(run, amounts) && fits(phase, amounts) && (task === null || fits(task, amounts))) return NO_EXCESS;
  return [
    ...excess("run", "run", run, amounts),
    ...excess("phase", claim.phase, phase, amounts),
    ...(task === null ? [] : excess("task", claim.task_id, task, amounts)),
  ];
}

const NO_EXCESS: readonly Excess[] = [];

/**
 * What to set aside for an attempt that needs `least` and may have up to `wish`: as much as its budgets have left, and
 * never under `least`, so that a budget that does not carry it refuses it.
 */
export function affordable(ledger: Ledger, claim: Claim, least: Amounts, wish: Amounts): Amounts {
  // The usual case: nobody has granted more, so least and most are one.
  if (wish === least) return least;
  const accounts = [ledger.run, phaseOf(ledger, claim.phase)];
  if (claim.task !== undefined) accounts.push(taskAccount(claim.task));
  const left = accounts.flatMap((at) => remaining(at) ?? []);
  return each((name) => Math.max(least[name], Math.min(wish[name], ...left.map((amounts) => amounts[name]))));
}

/** An attempt says what it has used so far. What is in flight is held for it, whatever it had set aside. */
export function progress(ledger: Ledger, key: string, usage: Usage): Ledger {
  const reservation = reservationOf(ledger, key);
  if (reservation === undefined) return ledger;
  const in_flight = seenSoFar(reservation.in_flight, usage);
  const amounts = most(reservation.amounts, in_flight);
  const grown = minus(amounts, reservation.amounts);
  const hold = (at: Account): Account => ({ ...at, reserved: plus(at.reserved, grown) });
  return {
    ...ledger,
    run: hold(ledger.run),
    phases: { ...ledger.phases, [reservation.phase]: hold(phaseOf(ledger, reservation.phase)) },
    open: ledger.open.map((other) => (other === reservation ? { ...reservation, amounts, in_flight } : other)),
  };
}

/** The sum of an attempt after one more report. What is no number says nothing. */
export function seenSoFar(before: Amounts, { amounts }: Usage): Amounts {
  return most(
    before,
    each((name) => (Number.isFinite(amounts[name]) ? entered(amounts[name]) : 0)),
  );
}

/**
 * The first amount in which an attempt in flight is over what it may use; null while there is none. Where something was
 * set aside, that is the limit. Where nothing was, because nobody estimated it, it is what the budgets have left.
 */
export function overrun(ledger: Ledger, key: string, task?: Claim["task"]): AmountName | null {
  const reservation = reservationOf(ledger, key);
  if (reservation === undefined) return null;
  const { set_aside, in_flight, phase } = reservation;
  const short = new Set(
    [
      ...excess("run", "run", ledger.run, NOTHING),
      ...excess("phase", phase, phaseOf(ledger, phase), NOTHING),
      ...(task === undefined ? [] : excess("task", key, taskAccount(task), in_flight)),
    ].map(({ amount }) => amount),
  );
  const isOver = (name: AmountName) =>
    set_aside[name] > 0 ? in_flight[name] > set_aside[name] : in_flight[name] > 0 && short.has(name);
  return AMOUNTS.find(isOver) ?? null;
}

/**
 * What an attempt counts as having used. An estimate is never zero where something was reserved: what it does not know
 * is taken to be what was set aside; what was counted is known. What was seen in flight was used, whatever is said in the end.
 */
export function booked(reservation: Amounts, usage: Usage, inFlight: Amounts = NOTHING): Amounts {
  return each((name) => {
    const used = entered(usage.amounts[name]);
    const counted = usage.counted?.some((each) => each === name) === true;
    const unknown = !Number.isFinite(used) || (usage.source === "estimated" && used === 0 && !counted);
    return Math.max(unknown ? reservation[name] : used, inFlight[name]);
  });
}

/** Releases what an attempt had reserved and books what it used. An attempt without a reservation was settled before. */
export function settle(ledger: Ledger, key: string, usage: Usage): Ledger {
  const reservation = reservationOf(ledger, key);
  if (reservation === undefined) return ledger;
  const used = booked(reservation.amounts, usage, reservation.in_flight);
  const close = (at: Account) => {
    const { used: all, estimated } = book(at, used, usage.source);
    return accountWith(at, all, minus(at.reserved, reservation.amounts), estimated);
  };
  return {
    run: close(ledger.run),
    phases: { ...ledger.phases, [reservation.phase]: close(phaseOf(ledger, reservation.phase)) },
    open: ledger.open.filter((other) => other !== reservation),
    coordination_tokens: ledger.coordination_tokens,
  };
}

/** The run is over: what still is in flight will not report any more, and counts as far as it was seen or set aside. */
export function settleAll(ledger: Ledger): Ledger {
  return ledger.open.reduce(
    (next, { key, in_flight }) => settle(next, key, { amounts: in_flight, source: "estimated" }),
    ledger,
  );
}

/** Books what coordination itself used: model calls of planning and review, which belong to no attempt. */
export function bookCoordination(ledger: Ledger, usage: Usage): Ledger {
  const amounts = enteredAll(usage.amounts);
  return {
    ...ledger,
    run: book(ledger.run, amounts, usage.source),
    coordination_tokens: tidy(ledger.coordination_tokens + amounts.tokens),
  };
}

/** A session of coordination, as whoever reserves. It belongs to no task and to no phase of the plan. */
export function sessionClaim(purpose: string): Claim {
  return { task_id: purpose, attempt: 0, phase: "coordination" };
}

export function sessionKey(purpose: string): string {
  return attemptKey(purpose, 0);
}

/** Whether something is held for a session of coordination, which is no attempt at a task. */
export function isOfSession({ key }: Pick<Reservation, "key">): boolean {
  return key.endsWith(attemptKey("", 0));
}

/** What was set aside is free again, and nothing of it was used under this key. */
export function release(ledger: Ledger, key: string): Ledger {
  const reservation = reservationOf(ledger, key);
  if (reservation === undefined) return ledger;
  const free = (at: Account) => accountWith(at, at.used, minus(at.reserved, reservation.amounts), at.estimated);
  return {
    ...ledger,
    run: free(ledger.run),
    phases: { ...ledger.phases, [reservation.phase]: free(phaseOf(ledger, reservation.phase)) },
    open: ledger.open.filter((other) => other !== reservation),
  };
}

/** A person grants more, to the run and, if named, to a phase that has a budget of its own. */
export function raiseBudget(ledger: Ledger, add: Amounts, phase?: string): Ledger {
  const raise = (at: Account): Account =>
    at.budget === null
      ? at
      : {
          ...at,
          budget: plus(at.budget, enteredAll(add)),
        };
  const run = raise(ledger.run);
  if (phase === undefined) return { ...ledger, run };
  return { ...ledger, run, phases: { ...ledger.phases, [phase]: raise(phaseOf(ledger, phase)) } };
}

/** What is over its budget now, used and reserved together: the run stops while there is anything. */
export function over(ledger: Ledger): readonly Excess[] {
  return [
    ...excess("run", "run", ledger.run, NOTHING),
    ...Object.entries(ledger.phases).flatMap(([name, phase]) => excess("phase", name, phase, NOTHING)),
  ];
}

/** What may still be reserved. Never below zero; null where nothing limits it. */
export function remaining(at: Account): Amounts | null {
  const { budget, used, reserved } = at;
  if (budget === null) return null;
  return each((name) => Math.max(0, tidy(budget[name] - used[name] - reserved[name])));
}

/** Of all tokens a run uses, coordination itself is to take less than this share. */
export const COORDINATION_LIMIT = 0.05;

/** The share of all tokens that went into coordination, and whether it is under what the specification allows. */
export function coordinationShare(
  ledger: Ledger,
  limit = COORDINATION_LIMIT,
): { tokens: number; share: number; within: boolean } {
  const tokens = ledger.coordination_tokens;
  const share = tokens === 0 ? 0 : tokens / ledger.run.used.tokens;
  return { tokens, share, within: share < limit };
}

/** For people: `run: 1200 tokens over its budget of 50000`. */
export function tellExcess({ level, name, amount, budget, over_by }: Excess): string {
  return `${level === "run" ? "run" : `${level} ${name}`}: ${over_by} ${amount} over its budget of ${budget}`;
}

function account(budget: Amounts | null): Account {
  return { budget, used: NOTHING, reserved: NOTHING, estimated: NOTHING };
}

function taskAccount({ budget, used }: NonNullable<Claim["task"]>): Account {
  return { budget, used, reserved: NOTHING, estimated: NOTHING };
}

function accountWith({ budget }: Account, used: Amounts, reserved: Amounts, estimated: Amounts): Account {
  return { budget, used, reserved, estimated };
}

function phaseOf(ledger: Ledger, phase: string): Account {
  return (Object.hasOwn(ledger.phases, phase) ? ledger.phases[phase] : undefined) ?? account(null);
}

function book(at: Account, used: Amounts, source: Usage["source"]): Account {
  const estimated = source === "estimated" ? plus(at.estimated, used) : at.estimated;
  return accountWith(at, plus(at.used, used), at.reserved, estimated);
}

/** Whether `excess` finds nothing. */
function fits({ budget, used, reserved }: Account, asked: Amounts): boolean {
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

function excess(level: Excess["level"], name: string, at: Account, asked: Amounts): Excess[] {
  const { budget, used, reserved } = at;
  const found: Excess[] = [];
  if (budget === null) return found;
  for (const amount of AMOUNTS) {
    const limit = budget[amount];
    const sum = tidy(used[amount] + reserved[amount] + asked[amount]);
    if (sum <= limit) continue;
    // What cannot be compared is not within any budget.
    const by = Number.isNaN(sum - limit) ? Infinity : Math.max(SMALLEST, tidy(sum - limit));
    found.push({ level, name, amount, budget: limit, over_by: by });
  }
  return found;
}

function each(of: (name: AmountName) => number): Amounts {
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

function most(a: Amounts, b: Amounts): Amounts {
  return each((name) => Math.max(a[name], b[name]));
}

function minus(a: Amounts, b: Amounts): Amounts {
  return {
    tokens: Math.max(0, tidy(a.tokens - b.tokens)),
    cost_usd: Math.max(0, tidy(a.cost_usd - b.cost_usd)),
    minutes: Math.max(0, tidy(a.minutes - b.minutes)),
    files: Math.max(0, tidy(a.files - b.files)),
    commits: Math.max(0, tidy(a.commits - b.commits)),
    api_calls: Math.max(0, tidy(a.api_calls - b.api_calls)),
  };
}

function enteredAll(asked: Amounts): Amounts {
  return {
    tokens: entered(asked.tokens),
    cost_usd: entered(asked.cost_usd),
    minutes: entered(asked.minutes),
    files: entered(asked.files),
    commits: entered(asked.commits),
    api_calls: entered(asked.api_calls),
  };
}

/*
 * Sums are kept in millionths, so that a thousand reservations of 0.1 come back to exactly nothing when released. Above
 * nine thousand million a number has no room for millionths, and only whole ones are meant.
 */
const SMALLEST = 1e-6;
const EXACT = 9e9;

function tidy(amount: number): number {
  return Math.abs(amount) < EXACT ? Math.round(amount * 1e6) / 1e6 : amount;
}

/** An amount on its way into the ledger: rounded up, so that the smallest spending is not lost; what is no amount is endless. */
function entered(amount: number): number {
  if (Number.isNaN(amount)) return Infinity;
  if (amount >= EXACT) return amount;
  const millionths = Math.max(0, amount) * 1e6;
  const nearest = Math.round(millionths);
  // A hair above a whole millionth is how 0.07 is held, and no spending.
  const exact = nearest > 0 && Math.abs(nearest - millionths) < 1e-3;
  return (exact ? nearest : Math.ceil(millionths)) / 1e6;
}
