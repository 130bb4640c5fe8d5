import { type AmountName, AMOUNTS } from "../../model/amount-names.js";
import type { Amounts, Usage } from "../../model/run.js";
import {
  type Account,
  account,
  accountWith,
  book,
  type Excess,
  findExcess,
  fits,
  remainingAmounts,
} from "./account.js";
import { each, enterAmount, takeAllAsEntered, minus, most, NOTHING, plus } from "./amounts.js";

/*
 * The amounts that a run may spend, has set aside and has spent. An attempt reserves before it starts and settles when it ends; what
 * it never reports is booked as it was reserved, because unknown is not free.
 *
 * INVARIANT: after every `reserve`, used + reserved ≤ budget for each amount of the run and of each phase that has a
 * budget. A `progress` or `settle` goes beyond that by no more than the attempt reported above what it had reserved.
 *
 * The ledger holds sums and the open reservations, so each operation costs the same in a run of ten tasks and of ten
 * thousand. The spending of a task over its attempts is kept with the task and passed in.
 */

export interface Reservation {
  /** `task#attempt`. */
  readonly key: string;
  readonly phase: string;
  /** The amounts held for it now: its reservation, or the amounts in flight where those are more. */
  readonly amounts: Amounts;
  readonly set_aside: Amounts;
  /** Its reports so far. Reports give sums, so an older one that comes late takes nothing back. */
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

export type Reserved =
  | { readonly ok: true; readonly ledger: Ledger }
  | { readonly ok: false; readonly refusals: readonly Excess[] };

/** The key of an attempt: reservations, effects and probes go by it. */
export function attemptKey(taskId: string, attempt: number): string {
  return `${taskId}#${attempt}`;
}

export function openLedger(budget: Amounts, phaseBudgets: Readonly<Record<string, Amounts>> = {}): Ledger {
  const phases: Record<string, Account> = {};
  for (const [phase, limit] of Object.entries(phaseBudgets)) phases[phase] = account(limit);
  return { run: account(budget), phases, open: [], coordination_tokens: 0 };
}

/** The ledger of a run that gets its budget now. Earlier usage of coordination counts against it. */
export function withBudget(
  ledger: Ledger,
  budget: Amounts,
  phaseBudgets: Readonly<Record<string, Amounts>> = {},
): Ledger {
  return { ...ledger, run: { ...ledger.run, budget }, phases: openLedger(budget, phaseBudgets).phases };
}

/** The amounts that an attempt has set aside; undefined before it reserved and after it settled. */
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
  const amounts = takeAllAsEntered(asked);
  const refusals = againstEntered(ledger, claim, amounts);
  if (refusals.length > 0) return { ok: false, refusals };
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
  return againstEntered(ledger, claim, takeAllAsEntered(asked));
}

function againstEntered(ledger: Ledger, claim: Claim, amounts: Amounts): readonly Excess[] {
  const { run } = ledger;
  const phase = phaseOf(ledger, claim.phase);
  const task = claim.task === undefined ? null : taskAccount(claim.task);
  if (fits(run, amounts) && fits(phase, amounts) && (task === null || fits(task, amounts))) return NO_EXCESS;
  return [
    ...findExcess("run", "run", run, amounts),
    ...findExcess("phase", claim.phase, phase, amounts),
    ...(task === null ? [] : findExcess("task", claim.task_id, task, amounts)),
  ];
}

const NO_EXCESS: readonly Excess[] = [];

/**
 * The amounts to set aside for an attempt that needs `least` and may have up to `wish`: as much as its budgets have left, and
 * never under `least`, so that a budget that does not carry it refuses it.
 */
export function grantUpTo(ledger: Ledger, claim: Claim, least: Amounts, wish: Amounts): Amounts {
  // The usual case: nobody has granted more, so least and most are one.
  if (wish === least) return least;
  const accounts = [ledger.run, phaseOf(ledger, claim.phase)];
  if (claim.task !== undefined) accounts.push(taskAccount(claim.task));
  const left = accounts.flatMap((at) => remainingAmounts(at) ?? []);
  return each((name) => Math.max(least[name], Math.min(wish[name], ...left.map((amounts) => amounts[name]))));
}

/** An attempt says what it has used so far. Usage in flight is held for it, whatever it had reserved. */
export function progress(ledger: Ledger, key: string, usage: Usage): Ledger {
  const reservation = reservationOf(ledger, key);
  if (reservation === undefined) return ledger;
  const in_flight = addSeenUsage(reservation.in_flight, usage);
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

/** The sum of an attempt after one more report. A value that is not a number is ignored. */
export function addSeenUsage(before: Amounts, { amounts }: Usage): Amounts {
  return most(
    before,
    each((name) => (Number.isFinite(amounts[name]) ? enterAmount(amounts[name]) : 0)),
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
      ...findExcess("run", "run", ledger.run, NOTHING),
      ...findExcess("phase", phase, phaseOf(ledger, phase), NOTHING),
      ...(task === undefined ? [] : findExcess("task", key, taskAccount(task), in_flight)),
    ].map(({ amount }) => amount),
  );
  const isOver = (name: AmountName) =>
    set_aside[name] > 0 ? in_flight[name] > set_aside[name] : in_flight[name] > 0 && short.has(name);
  return AMOUNTS.find(isOver) ?? null;
}

/**
 * The usage that is booked for an attempt. An estimate is never zero where something was reserved: what it does not know
 * is taken to be what was set aside; what was counted is known. Usage seen in flight counts, whatever the last report says.
 */
export function bookedAmounts(reservation: Amounts, usage: Usage, inFlight: Amounts = NOTHING): Amounts {
  if (usage.source === "reported" && inFlight === NOTHING) return reportedAmounts(reservation, usage.amounts);
  return each((name) => {
    const used = enterAmount(usage.amounts[name]);
    const counted = usage.counted?.some((each) => each === name) === true;
    const unknown = !Number.isFinite(used) || (usage.source === "estimated" && used === 0 && !counted);
    return Math.max(unknown ? reservation[name] : used, inFlight[name]);
  });
}

/** The usual case, written out: what an attempt says it has used, and what was set aside where that is not a number. */
function reportedAmounts(reservation: Amounts, amounts: Amounts): Amounts {
  return {
    tokens: numberOr(enterAmount(amounts.tokens), reservation.tokens),
    cost_usd: numberOr(enterAmount(amounts.cost_usd), reservation.cost_usd),
    minutes: numberOr(enterAmount(amounts.minutes), reservation.minutes),
    files: numberOr(enterAmount(amounts.files), reservation.files),
    commits: numberOr(enterAmount(amounts.commits), reservation.commits),
    api_calls: numberOr(enterAmount(amounts.api_calls), reservation.api_calls),
  };
}

function numberOr(amount: number, otherwise: number): number {
  return Number.isFinite(amount) ? amount : otherwise;
}

/** Releases what an attempt had reserved and books what it used. An attempt without a reservation was settled before. */
export function settle(ledger: Ledger, key: string, usage: Usage): Ledger {
  const reservation = reservationOf(ledger, key);
  if (reservation === undefined) return ledger;
  const used = bookedAmounts(reservation.amounts, usage, reservation.in_flight);
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

/** Frees the reservation under this key; nothing of it was used. */
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
          budget: plus(at.budget, takeAllAsEntered(add)),
        };
  const run = raise(ledger.run);
  if (phase === undefined) return { ...ledger, run };
  return { ...ledger, run, phases: { ...ledger.phases, [phase]: raise(phaseOf(ledger, phase)) } };
}

/** The amounts that are over their budget now, used and reserved together: the run stops while there is anything. */
export function over(ledger: Ledger): readonly Excess[] {
  return [
    ...findExcess("run", "run", ledger.run, NOTHING),
    ...Object.entries(ledger.phases).flatMap(([name, phase]) => findExcess("phase", name, phase, NOTHING)),
  ];
}

function taskAccount({ budget, used }: NonNullable<Claim["task"]>): Account {
  return { budget, used, reserved: NOTHING, estimated: NOTHING };
}

function phaseOf(ledger: Ledger, phase: string): Account {
  return (Object.hasOwn(ledger.phases, phase) ? ledger.phases[phase] : undefined) ?? account(null);
}
