import canonicalize from "canonicalize";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../model/event.js";
import { pauseEvent, newEvent, sha256 } from "../../../testing/store-suite.js";
import type { ChainEntry, NewEvent } from "../event-store.js";
import type { Checkpoint } from "./checkpoint.js";
import { emptyHead, GENESIS_HASH, hashEvent, linkEvents, toLoggedEvent, prepareEvents } from "./hash-event.js";
import { type ChainFinding, verifyChain } from "./verify-chain.js";

const RUN = "run_chain";
const chainOf = (events: readonly NewEvent[], runId = RUN): ChainEntry[] =>
  linkEvents(emptyHead(runId), prepareEvents(events), sha256).map(toLoggedEvent);
const chain = (length: number, mark = "") =>
  chainOf(Array.from({ length }, (_, i) => pauseEvent(`${mark}event ${i + 1}`, i)));
const pointAt = (entries: readonly ChainEntry[], sequence: number): Checkpoint => {
  const { run_id, hash, at } = entries[sequence - 1] as ChainEntry;
  return { run_id, sequence, hash, at };
};
const verify = (entries: readonly ChainEntry[], given: object = {}) =>
  verifyChain(entries, { runId: RUN, sha256, ...given });
const kinds = (findings: readonly ChainFinding[]) => [...new Set(findings.map(({ kind }) => kind))];

/** As an attacker does who knows how hashes are made, but has no key. */
function rehash(entries: readonly ChainEntry[]): ChainEntry[] {
  let previous_hash = GENESIS_HASH;
  return entries.map((entry, i) => {
    const next = { ...entry, sequence: i + 1, previous_hash };
    previous_hash = hashEvent(next, sha256);
    return { ...next, hash: previous_hash };
  });
}

describe("the hash of an event", () => {
  it("is SHA-256 over the canonical JSON of its place, time, content and what came before", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }).filter((text) => !/\p{Surrogate}/u.test(text)),
        fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
        (reason, clock_ms) => {
          const [entry] = chainOf([newEvent({ type: "dispatch_paused", reason }, clock_ms)]);
          const { hash, ...covered } = entry as ChainEntry;
          expect(hash).toBe(sha256(canonicalize(covered) as string));
        },
      ),
    );
  });

  it("begins at 64 zeros and goes from one event to the next", () => {
    const [first, second] = chain(2);
    expect(first?.previous_hash).toBe("0".repeat(64));
    expect(second?.previous_hash).toBe(first?.hash);
  });

  it("continues where a log ends", () => {
    const whole = chain(5);
    const { sequence, hash } = whole[2] as ChainEntry;
    const rest = linkEvents(
      { run_id: RUN, sequence, hash },
      prepareEvents([pauseEvent("event 4", 3), pauseEvent("event 5", 4)]),
      sha256,
    );
    expect(rest.map(toLoggedEvent)).toEqual(whole.slice(3));
  });
});

describe("the seven ways to tamper with a log", () => {
  const log = chain(20);
  const at = (i: number) => log[i] as ChainEntry;
  const forged = (i: number): ChainEntry => {
    const event = { type: "dispatch_paused", reason: "forged" };
    return { ...at(i), event, hash: hashEvent({ ...at(i), event }, sha256) };
  };
  const anchors = [pointAt(log, 15)];

  const CASES: readonly [string, ChainEntry[], ReturnType<typeof kinds>, object?][] = [
    ["an event is changed", log.with(4, { ...at(4), event: { type: "dispatch_paused", reason: "x" } }), ["changed"]],
    ["an event is changed and hashed anew", log.with(4, forged(4)), ["changed"]],
    ["a time is changed", log.with(4, { ...at(4), at: "2020-01-01T00:00:00Z" }), ["changed"]],
    ["an event is removed", log.toSpliced(4, 1), ["removed"]],
    ["the first events are removed", log.slice(3), ["removed"]],
    ["two events are exchanged", log.with(4, at(5)).with(5, at(4)), ["reordered"]],
    ["an event is moved far away", [...log.toSpliced(4, 1), at(4)], ["reordered"]],
    ["an event is put in", log.toSpliced(5, 0, forged(5)), ["inserted"]],
    [
      "an event of another run is put in",
      log.toSpliced(5, 1, chainOf([pauseEvent("y")], "run_other")[0] as ChainEntry),
      ["inserted", "duplicated", "removed"],
    ],
    ["an event is there twice", log.toSpliced(5, 0, at(4)), ["duplicated"]],
    ["an event is repeated at the end", [...log, at(4)], ["duplicated"]],
    ["the end is cut off, with a checkpoint", log.slice(0, 12), ["truncated"], { checkpoints: anchors }],
    ["the end is cut off, with an anchor", log.slice(0, 12), ["truncated"], { anchors }],
    ["everything is cut off", [], ["truncated"], { anchors }],
    ["the log is written anew", rehash(chain(20, "other ")), ["replaced"], { anchors }],
    ["it is another log of the same run", chain(20, "fork "), ["replaced"], { anchors }],
    [
      "it is written anew from some event on",
      [...log.slice(0, 10), ...rehash(log.with(10, forged(10))).slice(10)],
      ["replaced"],
      { anchors },
    ],
  ];

  it("an untouched log has none", () => {
    expect(verify(log, { anchors, checkpoints: anchors })).toMatchObject({ intact: true, findings: [], events: 20 });
    expect(verify([])).toMatchObject({ intact: true, events: 0 });
  });

  it.each(CASES)("%s", (_, entries, expected, given) => {
    const { intact, findings } = verify(entries, given);
    expect(intact).toBe(false);
    expect(kinds(findings).sort()).toEqual([...expected].sort());
  });

  it("a single change is one finding, which names the event", () => {
    expect(verify(log.with(4, { ...at(4), clock_ms: 99 })).findings).toEqual([
      { kind: "changed", sequence: 5, message: "Event 5 is not what its hash says" },
    ]);
    expect(verify(log.toSpliced(4, 3)).findings).toEqual([
      { kind: "removed", sequence: 5, message: "The events 5 to 7 are missing" },
    ]);
  });

  it("a forged number costs no memory", () => {
    const far = { ...at(19), sequence: Number.MAX_SAFE_INTEGER };
    expect(kinds(verify([...log, far]).findings).sort()).toEqual(["changed", "removed"]);
  });

  it.each([
    ["no number", { sequence: Number.NaN }],
    ["half a number", { sequence: 1.5 }],
    ["a text that is not JSON", { event: '{"type":' }],
    ["a lone surrogate", { event: { type: "dispatch_paused", reason: "\ud800" } }],
    ["a hash in capitals", { hash: at(4).hash.toUpperCase() }],
    ["another run", { run_id: "run_other" }],
  ])("%s in place of an event is found and not thrown", (_, change) => {
    expect(verify(log.with(4, { ...at(4), ...change })).intact).toBe(false);
  });
});

describe("what a verification cannot show", () => {
  const log = chain(20);

  it("without a checkpoint or an anchor: a cut and a rewriting", () => {
    for (const unseen of [log.slice(0, 12), chain(20, "other ")]) {
      const { intact, proven, unproven } = verify(unseen);
      expect(intact).toBe(true);
      expect(proven).toEqual({ sequence: 0, by: "chain" });
      expect(unproven.join(" ")).toContain("no checkpoint and no anchor");
    }
  });

  it("with checkpoints: what comes after the last, and what the key's holder did", () => {
    const { proven, unproven } = verify(log, { checkpoints: [pointAt(log, 15)] });
    expect(proven).toEqual({ sequence: 15, by: "checkpoint" });
    expect(unproven.join(" ")).toMatch(/after 15.*together.*signing key/);
  });

  it("with an anchor: only what comes after it", () => {
    const { proven, unproven } = verify(log, { checkpoints: [pointAt(log, 10)], anchors: [pointAt(log, 20)] });
    expect(proven).toEqual({ sequence: 20, by: "anchor" });
    expect(unproven).toEqual(["Anyone who holds the signing key can still forge what comes after the last anchor."]);
  });

  it("nothing is proven past the first finding", () => {
    const broken = log.toSpliced(4, 1);
    expect(verify(broken, { anchors: [pointAt(log, 3), pointAt(log, 20)] }).proven.sequence).toBe(3);
  });

  it("a stretch nobody signed is a finding where everything is signed", () => {
    const long = chain(250);
    const points = [100, 200].map((sequence) => pointAt(long, sequence));
    expect(verify(long, { checkpoints: points, signed: true }).findings).toEqual([]);
    expect(kinds(verify(long, { checkpoints: points.slice(0, 1), signed: true }).findings)).toEqual(["unsigned"]);
    expect(kinds(verify(long, { signed: true }).findings)).toEqual(["unsigned"]);
    expect(verify(long.slice(0, 99), { signed: true }).findings).toEqual([]);
    expect(kinds(verify(long.slice(0, 100), { signed: true }).findings)).toEqual(["unsigned"]);
  });
});

describe("any one change to any log", () => {
  const text = fc.string({ minLength: 1, maxLength: 12 });
  const events = fc.array(
    fc.oneof(
      fc.record({ type: fc.constant("dispatch_paused" as const), reason: text }),
      fc.record({ type: fc.constant("wait_ended" as const), effect_id: text }),
      fc.record({
        type: fc.constant("question_asked" as const),
        question_id: text,
        task_id: fc.constantFrom(null, "t"),
        question: text,
      }),
    ),
    { minLength: 1, maxLength: 30 },
  );
  const logs = events.map((list) => chainOf(list.map((event: RunEvent, i) => newEvent(event, i))));
  const found = (entries: readonly ChainEntry[], given?: object) => expect(verify(entries, given).intact).toBe(false);
  const twoOf = (log: readonly ChainEntry[], a: number, b: number) => [a % log.length, b % log.length] as const;

  it("of any byte of any event is found", () => {
    fc.assert(
      fc.property(logs, fc.nat(), fc.nat(), fc.integer({ min: 1, max: 255 }), (log, which, where, flip) => {
        const i = which % log.length;
        const line = Buffer.from(JSON.stringify(log[i]));
        line[where % line.length] = (line[where % line.length] as number) ^ flip;
        let changed: ChainEntry;
        try {
          changed = JSON.parse(line.toString("utf8")) as ChainEntry;
        } catch {
          return; // No JSON any more: whoever reads the tape refuses the line.
        }
        if (typeof changed !== "object" || changed === null) return;
        if (canonicalize(changed) === canonicalize(log[i])) return; // Another way to write the same.
        // The last event's own place in the chain is only held by what was kept of it elsewhere.
        found(log.with(i, changed), { anchors: [pointAt(log, log.length)] });
      }),
      { numRuns: 3000 },
    );
  });

  it("by removal, repetition, exchange and insertion is found", () => {
    fc.assert(
      fc.property(logs, fc.nat(), fc.nat(), (log, a, b) => {
        const [i, j] = twoOf(log, a, b);
        const [x, y] = [log[i] as ChainEntry, log[j] as ChainEntry];
        const anchors = [pointAt(log, log.length)];
        found(log.toSpliced(i, 1), { anchors });
        found(log.toSpliced(j, 0, x), { anchors });
        if (i !== j) found(log.with(i, y).with(j, x), { anchors });
        const event = { type: "dispatch_paused", reason: "never said" };
        const forged = { ...x, event, hash: hashEvent({ ...x, event }, sha256) };
        found(log.toSpliced(i, 0, forged), { anchors });
        found(rehash(log.toSpliced(i, 0, forged)), { anchors });
        found(rehash(log.toSpliced(i, 1)), { anchors });
      }),
      { numRuns: 500 },
    );
  });

  it("by cutting or writing anew is found when a later hash was kept, and only then", () => {
    fc.assert(
      fc.property(logs, fc.nat(), fc.boolean(), (log, a, signed) => {
        const cut = log.slice(0, a % log.length);
        const kept = [pointAt(log, log.length)];
        found(cut, signed ? { checkpoints: kept } : { anchors: kept });
        found(rehash(log.map((entry) => ({ ...entry, clock_ms: entry.clock_ms + 1 }))), { anchors: kept });
        expect(verify(cut).intact).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
