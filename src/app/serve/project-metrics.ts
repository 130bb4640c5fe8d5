import { setImmediate as nextTurn } from "node:timers/promises";
import type { LoggedEvent } from "../../model/event.js";
import { INSTRUMENTS, type Measurement, measure } from "../../mind/telemetry/instruments.js";
import { SpanFold } from "../../mind/telemetry/spans.js";
import { Totals } from "../../mind/telemetry/totals.js";
import { isOver } from "../../mind/run/state.js";
import { readRuns } from "../project/open-runs.js";
import type { OfferedWork, RunLease } from "../../hands/store/event-store.js";
import type { StateFolder } from "../project/state-folder.js";
import type { Reader } from "../inspect/runs-at.js";

/*
 * Figures over all logs of a project. They are counted from the first event of the store on, so that another
 * process counts the same, and each look only reads what was appended since the last one.
 */

export interface ProjectMetrics {
  /** Contract: counters never go back while the store is the same. */
  readonly collect: () => Promise<{ readonly totals: Totals; readonly now: readonly Measurement[] }>;
}

const PAGE = 256;

export function createProjectMetrics(at: StateFolder, now: () => string): ProjectMetrics {
  const totals = new Totals();
  const folds = new Map<string, SpanFold>();
  /** Runs that are over, and those that cannot be folded. */
  const settled = new Set<string>();
  /** When each open entry came, by run and entry. */
  const opened = new Map<string, ReadonlyMap<string, string>>();
  /** Since which look each task waits for nothing but a place, by run and task. */
  const queued = new Map<string, ReadonlyMap<number, number>>();
  let leases: readonly RunLease[] | null = null;
  let work: OfferedWork | null = null;
  let position = 0;
  let turn: Promise<unknown> = Promise.resolve();

  async function take(reader: Reader, logged: LoggedEvent): Promise<void> {
    const { run_id, sequence, event } = logged;
    if (settled.has(run_id)) {
      if (event.type !== "attempt_started") return;
      settled.delete(run_id);
    }
    let fold = folds.get(run_id);
    try {
      if (fold === undefined) {
        fold = new SpanFold({ content: false });
        // A run that was over and goes on: what it was is counted already.
        if (sequence > 1) for await (const earlier of reader.read(run_id, { to: sequence - 1 })) fold.take(earlier);
        folds.set(run_id, fold);
      }
      for (const span of fold.take(logged)) for (const one of measure(span)) totals.add(one);
    } catch {
      return settle(run_id);
    }
    followInbox(run_id, fold, logged.at);
    if (isOver(fold.state)) settle(run_id);
  }

  function settle(runId: string): void {
    settled.add(runId);
    folds.delete(runId);
    opened.delete(runId);
    queued.delete(runId);
  }

  function followInbox(runId: string, { state }: SpanFold, at_: string): void {
    const before = opened.get(runId);
    if (state.inbox.length === 0 && before === undefined) return;
    opened.set(runId, new Map(state.inbox.map(({ id }) => [id, before?.get(id) ?? at_])));
  }

  async function readOn(): Promise<void> {
    const reader = await readRuns(at);
    if (reader === null) return;
    try {
      for (;;) {
        const page = (await reader.appendedSince?.(position, PAGE)) ?? [];
        for (const { position: where, logged } of page) {
          await take(reader, logged);
          position = where;
        }
        if (page.length < PAGE) break;
        // A long history is read beside everything else.
        await nextTurn();
      }
      leases = (await reader.leases?.()) ?? null;
      work = (await reader.offeredWork?.()) ?? null;
    } finally {
      await reader.close();
    }
  }

  /** How long the oldest task waits for a place, in seconds. A task is known from the first look that finds it waiting. */
  function oldestQueued(nowMs: number): number {
    let oldest = nowMs;
    for (const [runId, { state }] of folds) {
      const before = queued.get(runId);
      const waiting = new Map([...state.ready].map((task) => [task, before?.get(task) ?? nowMs]));
      queued.set(runId, waiting);
      for (const since of waiting.values()) oldest = Math.min(oldest, since);
    }
    return (nowMs - oldest) / 1000;
  }

  /** Of runs that are not over: a process that died after the end of its run took nothing along. */
  function leaseGauges(): Measurement[] {
    if (leases === null) return [];
    const open = leases.filter(({ run_id }) => folds.has(run_id));
    const oldest = open.reduce((most, { age_ms }) => Math.max(most, age_ms), 0);
    const lost = open.filter(({ has_ended }) => has_ended).length;
    return [
      { instrument: INSTRUMENTS.leaseAge, value: oldest / 1000, attributes: {} },
      { instrument: INSTRUMENTS.lostLeases, value: lost, attributes: {} },
    ];
  }

  /** Where workers do the work: what waits for one, which has a place in its run already. */
  function workGauges(): Measurement[] {
    if (work === null) return [];
    return [
      { instrument: INSTRUMENTS.workWaiting, value: work.waiting, attributes: {} },
      { instrument: INSTRUMENTS.workOldest, value: work.oldest_ms / 1000, attributes: {} },
      { instrument: INSTRUMENTS.workers, value: work.workers, attributes: {} },
    ];
  }

  function gauges(): Measurement[] {
    const nowMs = Date.parse(now());
    const states = [...folds.values()].map(({ state }) => state).filter(({ layout }) => layout !== null);
    const one = (instrument: Measurement["instrument"], value: number) => ({ instrument, value, attributes: {} });
    const sum = (of: (state: (typeof states)[number]) => number) => states.reduce((all, state) => all + of(state), 0);
    const waiting = [...opened.values()].flatMap((entries) => [...entries.values()]);
    const oldest = waiting.reduce((least, when) => Math.min(least, Date.parse(when)), Infinity);
    return [
      one(INSTRUMENTS.openRuns, states.length),
      one(
        INSTRUMENTS.running,
        sum(({ running }) => running),
      ),
      one(
        INSTRUMENTS.queued,
        sum(({ ready }) => [...ready].length),
      ),
      one(INSTRUMENTS.oldestQueued, oldestQueued(nowMs)),
      one(INSTRUMENTS.waiting, waiting.length),
      one(INSTRUMENTS.oldest, waiting.length === 0 ? 0 : Math.max(0, (nowMs - oldest) / 1000)),
      ...leaseGauges(),
      ...workGauges(),
    ];
  }

  return {
    collect() {
      const next = turn.catch(() => undefined).then(readOn);
      turn = next;
      return next.then(() => ({ totals, now: gauges() }));
    },
  };
}
