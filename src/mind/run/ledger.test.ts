import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AMOUNTS } from "../../model/amount-names.js";
import { Amounts, type Usage } from "../../model/run.js";
import { remainingAmounts, describeExcess } from "./account.js";
import { NOTHING } from "./amounts.js";
import { bookCoordination, coordinationShare } from "./decide/coordination.js";
import {
  attemptKey,
  bookedAmounts,
  type Claim,
  type Ledger,
  openLedger,
  over,
  raiseBudget,
  reservationOf,
  reserve,
  settle,
} from "./ledger.js";

const of = (over: Partial<Amounts>): Amounts => ({ ...NOTHING, ...over });
const claim = (task_id: string, over: Partial<Claim> = {}): Claim => ({ task_id, attempt: 1, phase: "build", ...over });
const reported = (over: Partial<Amounts>): Usage => ({ amounts: of(over), source: "reported" });
const estimated = (over: Partial<Amounts>): Usage => ({ amounts: of(over), source: "estimated" });
const BUDGET = of({ tokens: 1000, cost_usd: 1, minutes: 60, files: 20, commits: 5, api_calls: 100 });

function reserved(ledger: Ledger, who: Claim, asked: Amounts): Ledger {
  const result = reserve(ledger, who, asked);
  if (!result.ok) throw new Error(result.refusals.map(describeExcess).join("; "));
  return result.ledger;
}

describe("reserve", () => {
  it("sets aside at the run and the phase, and leaves the ledger it was given as it was", () => {
    const before = openLedger(BUDGET);
    const after = reserved(before, claim("a"), of({ tokens: 400 }));
    expect(after.run.reserved.tokens).toBe(400);
    expect(after.phases["build"]?.reserved.tokens).toBe(400);
    expect(remainingAmounts(after.run)?.tokens).toBe(600);
    expect(before).toEqual(openLedger(BUDGET));
  });

  it("takes exactly what is left, and refuses one more", () => {
    const half = reserved(openLedger(BUDGET), claim("a"), of({ tokens: 400 }));
    expect(reserve(half, claim("b"), of({ tokens: 600 })).ok).toBe(true);
    expect(reserve(half, claim("b"), of({ tokens: 601 }))).toEqual({
      ok: false,
      refusals: [{ level: "run", name: "run", amount: "tokens", budget: 1000, over_by: 1 }],
    });
  });

  it.each(AMOUNTS)("counts %s", (amount) => {
    const result = reserve(openLedger(BUDGET), claim("a"), of({ [amount]: BUDGET[amount] + 1 }));
    expect(result).toMatchObject({ ok: false, refusals: [{ level: "run", amount, over_by: 1 }] });
  });

  it("names every amount of every level that stands against it, and by how much", () => {
    const ledger = openLedger(BUDGET, { build: of({ tokens: 500, cost_usd: 1 }) });
    const task = { budget: of({ tokens: 300, cost_usd: 0.5 }), used: of({ tokens: 200, cost_usd: 0.3 }) };
    const result = reserve(ledger, claim("a", { task }), of({ tokens: 1100, cost_usd: 0.3 }));
    if (result.ok) throw new Error("must be refused");
    expect(result.refusals.map(describeExcess)).toEqual([
      "run: 100 tokens over its budget of 1000",
      "phase build: 600 tokens over its budget of 500",
      "task a: 1000 tokens over its budget of 300",
      "task a: 0.1 cost_usd over its budget of 0.5",
    ]);
  });

  it("counts a phase without a budget of its own against the run alone", () => {
    const ledger = openLedger(BUDGET, { design: of({ tokens: 1 }) });
    expect(reserve(ledger, claim("a"), of({ tokens: 900 })).ok).toBe(true);
    expect(reserve(ledger, claim("a", { phase: "design" }), of({ tokens: 900 })).ok).toBe(false);
    expect(reserve(ledger, claim("a", { phase: "__proto__" }), of({ tokens: 900 })).ok).toBe(true);
  });

  it("changes nothing when the attempt has reserved already", () => {
    const once = reserved(openLedger(BUDGET), claim("a"), of({ tokens: 400 }));
    expect(reserved(once, claim("a"), of({ tokens: 400 }))).toBe(once);
    expect(reserved(once, claim("a", { attempt: 2 }), of({ tokens: 400 })).run.reserved.tokens).toBe(800);
  });

  it.each([Number.NaN, Infinity])("refuses %d of anything", (tokens) => {
    expect(reserve(openLedger(BUDGET), claim("a"), of({ tokens }))).toMatchObject({
      ok: false,
      refusals: [{ over_by: Infinity }],
    });
  });
});

describe("settle", () => {
  const open = reserved(openLedger(BUDGET), claim("a"), of({ tokens: 400, cost_usd: 0.2 }));

  it("releases the reservation and books what was reported", () => {
    const settled = settle(open, attemptKey("a", 1), reported({ tokens: 300 }));
    expect(settled.run).toMatchObject({ used: of({ tokens: 300 }), reserved: NOTHING, estimated: NOTHING });
    expect(settled.phases["build"]).toMatchObject({ used: of({ tokens: 300 }), reserved: NOTHING });
    expect(settled.open).toEqual([]);
  });

  it("books what was reserved where an estimate knows nothing, and marks it: unknown cost is never zero", () => {
    const settled = settle(open, attemptKey("a", 1), estimated({ tokens: 50 }));
    expect(settled.run.used).toEqual(of({ tokens: 50, cost_usd: 0.2 }));
    expect(settled.run.estimated).toEqual(of({ tokens: 50, cost_usd: 0.2 }));
  });

  it("books nothing for what was counted and came to nothing: an attempt that hung has changed no file", () => {
    const usage: Usage = { ...estimated({ tokens: 50 }), counted: ["files"] };
    expect(bookedAmounts(of({ tokens: 7, files: 200, commits: 1 }), usage)).toEqual(of({ tokens: 50, commits: 1 }));
  });

  it.each([Number.NaN, Infinity])("books what was reserved for a report of %d", (tokens) => {
    expect(bookedAmounts(of({ tokens: 7 }), reported({ tokens })).tokens).toBe(7);
  });

  it("counts an end once, however often it is told", () => {
    const settled = settle(open, attemptKey("a", 1), reported({ tokens: 300 }));
    expect(settle(settled, attemptKey("a", 1), reported({ tokens: 300 }))).toBe(settled);
    expect(settle(settled, "constructor", reported({ tokens: 300 }))).toBe(settled);
  });

  it("shows what an attempt went over, and takes nothing more until a person raises the budget", () => {
    const settled = settle(open, attemptKey("a", 1), reported({ tokens: 1200 }));
    expect(over(open)).toEqual([]);
    expect(over(settled).map(describeExcess)).toEqual(["run: 200 tokens over its budget of 1000"]);
    expect(remainingAmounts(settled.run)?.tokens).toBe(0);
    expect(reserve(settled, claim("b"), of({ tokens: 1 })).ok).toBe(false);
    const raised = raiseBudget(settled, of({ tokens: 500 }));
    expect(over(raised)).toEqual([]);
    expect(reserve(raised, claim("b"), of({ tokens: 300 })).ok).toBe(true);
  });

  it("raises a phase with its own budget only when it is named", () => {
    const ledger = openLedger(BUDGET, { build: of({ tokens: 10 }) });
    expect(raiseBudget(ledger, of({ tokens: 5 })).phases["build"]?.budget?.tokens).toBe(10);
    expect(raiseBudget(ledger, of({ tokens: 5 }), "build").phases["build"]?.budget?.tokens).toBe(15);
    expect(raiseBudget(ledger, of({ tokens: 5 }), "test").phases["test"]?.budget).toBeNull();
  });

  it("comes back to exactly nothing after a thousand tenths", () => {
    let ledger = openLedger(of({ cost_usd: 100 }));
    for (let i = 0; i < 1000; i++) ledger = reserved(ledger, claim(`t${i}`), of({ cost_usd: 0.1 }));
    expect(reserve(ledger, claim("more"), of({ cost_usd: 0.000_001 })).ok).toBe(false);
    for (let i = 0; i < 1000; i++) ledger = settle(ledger, attemptKey(`t${i}`, 1), reported({ cost_usd: 0.07 }));
    expect(ledger.run.reserved).toEqual(NOTHING);
    expect(ledger.run.used.cost_usd).toBe(70);
  });
});

describe("coordinationShare", () => {
  it.each([
    [0, 0, 0, true],
    [4, 96, 0.04, true],
    [5, 95, 0.05, false],
    [10, 0, 1, false],
  ])("of %d tokens beside %d is %d, within the limit: %s", (own, theirs, share, within) => {
    let ledger = reserved(openLedger(BUDGET), claim("a"), of({ tokens: 500 }));
    ledger = settle(ledger, attemptKey("a", 1), reported({ tokens: theirs }));
    ledger = bookCoordination(ledger, reported({ tokens: own }));
    expect(coordinationShare(ledger)).toEqual({ tokens: own, share, within });
    expect(ledger.run.used.tokens).toBe(own + theirs);
  });
});

const amount = fc.oneof(fc.nat(100), fc.double({ min: 0, max: 100, noNaN: true }));
const amounts: fc.Arbitrary<Amounts> = fc.record({
  tokens: amount,
  cost_usd: amount,
  minutes: amount,
  files: amount,
  commits: amount,
  api_calls: amount,
});
const acts = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("reserve" as const), task: fc.nat(15), phase: fc.nat(2), asked: amounts }),
    fc.record({
      kind: fc.constant("settle" as const),
      task: fc.nat(15),
      usage: fc.record({ amounts, source: fc.constantFrom("reported" as const, "estimated" as const) }),
    }),
  ),
  { maxLength: 100 },
);

describe("whatever is asked", () => {
  it("no reservation takes the run or a phase over its budget, and an end adds no more than it reported", () => {
    fc.assert(
      fc.property(amounts, amounts, acts, (budget, phaseBudget, acts) => {
        let ledger = openLedger(budget, { phase_0: phaseBudget });
        const taken = ({ run, phases }: Ledger) =>
          [run, ...Object.values(phases)].flatMap(({ used, reserved }) => AMOUNTS.map((a) => used[a] + reserved[a]));
        for (const act of acts) {
          const before = taken(ledger);
          if (act.kind === "reserve") {
            const result = reserve(ledger, claim(`t${act.task}`, { phase: `phase_${act.phase}` }), act.asked);
            if (!result.ok) {
              expect(result.refusals.length).toBeGreaterThan(0);
              continue;
            }
            const changed = result.ledger !== ledger;
            ledger = result.ledger;
            if (changed) expect(over(ledger).filter(({ level }) => level === "run")).toEqual([]);
            if (changed && act.phase === 0) expect(over(ledger)).toEqual([]);
          } else {
            const key = attemptKey(`t${act.task}`, 1);
            const reservation = reservationOf(ledger, key)?.amounts;
            ledger = settle(ledger, key, act.usage);
            const most = AMOUNTS.map((a) => Math.max(act.usage.amounts[a], reservation?.[a] ?? 0) + 2e-6);
            for (const [i, now] of taken(ledger).entries())
              expect(now - (before[i] ?? 0)).toBeLessThanOrEqual(most[i % AMOUNTS.length] ?? 0);
          }
          for (const account of [ledger.run, ...Object.values(ledger.phases)]) {
            Amounts.parse(account.used);
            Amounts.parse(account.reserved);
            for (const a of AMOUNTS) expect(account.estimated[a]).toBeLessThanOrEqual(account.used[a]);
          }
          const set = ledger.open;
          for (const a of AMOUNTS)
            expect(ledger.run.reserved[a]).toBeCloseTo(
              set.reduce((sum, { amounts }) => sum + amounts[a], 0),
              5,
            );
          if (set.length === 0) expect(ledger.run.reserved).toEqual(NOTHING);
        }
      }),
      { numRuns: 300 },
    );
  });
});
