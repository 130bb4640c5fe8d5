import { setTimeout as sleep } from "node:timers/promises";
import { randomUUID } from "node:crypto";
import { registerSecrets } from "../../foundation/files/known-secrets.js";
import { poll } from "../../foundation/processes/poll.js";
import { INSTRUMENTS, measure } from "../../mind/telemetry/instruments.js";
import type { Span } from "../../mind/telemetry/open-spans.js";
import { SpanFold } from "../../mind/telemetry/spans.js";
import { Totals } from "../../mind/telemetry/totals.js";
import { VERSION } from "../../version.js";
import type { EventReader } from "../store/event-store.js";
import { type Cursor, readCursor, writeCursor } from "./cursor.js";
import { isSampled, metricsJson, tracesJson } from "./otlp-json.js";
import type { OtlpSettings } from "./otlp-settings.js";
import { sendOtlp } from "./send-otlp.js";

/*
 * Sends the spans and the totals of runs that this process carries out to a collector. The log is the queue: what could not
 * be sent stays behind the cursor of its run, in this process and in the next one. Nothing here is waited for while a run
 * goes on, and nothing that fails here reaches it.
 */

export interface FollowedRun {
  readonly runId: string;
  readonly stateFolder: string;
  readonly reader: Pick<EventReader, "read">;
}

export interface RunExporter {
  /** Contract: returns at once. `stop` sends what is left, for as long as FLUSH_MS; it never rejects. */
  readonly follow: (run: FollowedRun) => { readonly stop: () => Promise<void> };
}

export interface ExporterParts {
  readonly settings: OtlpSettings;
  readonly now: () => string;
  /** Told once of each thing that goes wrong. */
  readonly warn: (message: string) => void;
}

const BATCH = 512;
/** With so many spans unsent, the log is not read further. */
const MOST_PENDING = 8 * BATCH;
const FLUSH_MS = 2000;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;

interface Followed extends FollowedRun {
  readonly fold: SpanFold;
  readonly sampled: boolean;
  readonly pending: Span[];
  cursor: Cursor;
  /** The next event to read. */
  next: number;
  broken: boolean;
}

/** When something may be sent again after a collector was away. */
class Patience {
  #until = 0;
  #waitMs = FIRST_WAIT_MS;

  get isOver(): boolean {
    return performance.now() >= this.#until;
  }
  failed(askedMs: number): void {
    this.#until = performance.now() + Math.max(this.#waitMs, askedMs);
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS);
  }
  passed(): void {
    this.#until = 0;
    this.#waitMs = FIRST_WAIT_MS;
  }
}

export function createRunExporter({ settings, now, warn: tell }: ExporterParts): RunExporter {
  const { traces, metrics, content } = settings;
  const runs = new Set<Followed>();
  const totals = new Totals();
  const patience = { traces: new Patience(), metrics: new Patience() };
  const resource = {
    ...settings.resource,
    "service.version": VERSION,
    "service.instance.id": settings.resource["service.instance.id"] ?? randomUUID(),
  };
  const told = new Set<string>();
  let countedFrom = now();
  let measuredAt = performance.now();
  let looking: { readonly stop: () => Promise<void> } | null = null;
  /** Sending takes turns: spans of a run are never sent twice at once. */
  let turn: Promise<unknown> = Promise.resolve();

  const warn = (message: string) => {
    if (!told.has(message)) tell(`Telemetry: ${message}. Runs continue without it.`);
    told.add(message);
  };
  for (const message of settings.warnings) warn(message);
  for (const { headers } of [traces, metrics].filter((signal) => signal !== null))
    registerSecrets(
      Object.values(headers)
        .flatMap((value) => value.split(/\s+/))
        .map((value) => ["OTEL_HEADER", value]),
    );

  async function readOn(run: Followed): Promise<void> {
    if (run.broken || run.pending.length >= MOST_PENDING) return;
    for await (const logged of run.reader.read(run.runId, { from: run.next })) {
      run.next = logged.sequence + 1;
      for (const span of run.fold.take(logged)) {
        if (traces !== null && run.sampled && span.sequence > run.cursor.traces) run.pending.push(span);
        if (metrics !== null && span.sequence > run.cursor.metrics) for (const one of measure(span)) totals.add(one);
      }
      if (run.pending.length >= MOST_PENDING) return;
    }
  }

  function move(run: Followed, change: Partial<Cursor>): void {
    run.cursor = { ...run.cursor, ...change };
    writeCursor(run.stateFolder, run.runId, run.cursor);
  }

  async function sendSpans(run: Followed, stopped: AbortSignal): Promise<void> {
    if (traces === null) return;
    while (run.pending.length > 0 && patience.traces.isOver && !stopped.aborted) {
      const batch = run.pending.slice(0, BATCH);
      const document = tracesJson(
        batch.map((span) => ({ runId: run.runId, span })),
        resource,
      );
      const { outcome, problem, waitMs } = await sendOtlp(traces, document, stopped);
      if (stopped.aborted && outcome === "later") return;
      if (problem !== null) warn(problem);
      if (outcome === "later") return patience.traces.failed(waitMs);
      patience.traces.passed();
      run.pending.splice(0, batch.length);
      const [left] = run.pending;
      // Spans that end with the same event may be in two batches.
      move(run, { traces: left === undefined ? run.next - 1 : Math.min(left.sequence, run.next) - 1 });
    }
  }

  async function sendTotals(stopped: AbortSignal): Promise<void> {
    if (metrics === null || !patience.metrics.isOver || stopped.aborted) return;
    measuredAt = performance.now();
    const counted = [...runs].map((run) => ({ run, upTo: run.next - 1 }));
    const to = now();
    const period = { from: countedFrom, to, temporality: settings.temporality };
    const { outcome, problem, waitMs } = await sendOtlp(
      metrics,
      metricsJson([totals, gauges()], period, resource),
      stopped,
    );
    if (stopped.aborted && outcome === "later") return;
    if (problem !== null) warn(problem);
    if (outcome === "later") return patience.metrics.failed(waitMs);
    patience.metrics.passed();
    for (const { run, upTo } of counted) move(run, { metrics: Math.max(upTo, run.cursor.metrics) });
    if (settings.temporality === "cumulative") return;
    totals.clear();
    countedFrom = to;
  }

  /** How it is at this moment, over all runs that are followed. */
  function gauges(): Totals {
    const found = new Totals();
    const states = [...runs].map(({ fold }) => fold.state);
    const add = (instrument: (typeof INSTRUMENTS)[keyof typeof INSTRUMENTS], value: number) =>
      found.add({ instrument, value, attributes: {} });
    const sum = (of: (state: (typeof states)[number]) => number) => states.reduce((all, state) => all + of(state), 0);
    add(
      INSTRUMENTS.running,
      sum(({ running }) => running),
    );
    add(
      INSTRUMENTS.queued,
      sum(({ ready }) => [...ready].length),
    );
    add(
      INSTRUMENTS.waiting,
      sum(({ inbox }) => inbox.length),
    );
    return found;
  }

  /** Contract: never rejects; one at a time. */
  function inTurn(act: () => Promise<void>): Promise<void> {
    const next = turn.then(act).catch((error: unknown) => warn(error instanceof Error ? error.message : String(error)));
    turn = next;
    return next;
  }

  async function tick(run: Followed, stopped: AbortSignal): Promise<void> {
    try {
      await readOn(run);
    } catch (error) {
      // A log that cannot be folded is reported by the process that carries out the run.
      run.broken = true;
      warn(error instanceof Error ? error.message : String(error));
    }
    await sendSpans(run, stopped);
  }

  function begin(): void {
    looking ??= poll(settings.spansEveryMs, (stopped) =>
      inTurn(async () => {
        for (const run of runs) await tick(run, stopped);
        if (performance.now() - measuredAt >= settings.metricsEveryMs) await sendTotals(stopped);
      }),
    );
  }

  return {
    follow({ runId, stateFolder, reader }) {
      const run: Followed = {
        runId,
        stateFolder,
        reader,
        fold: new SpanFold({ content }),
        sampled: isSampled(runId, settings.ratio),
        pending: [],
        cursor: readCursor(stateFolder, runId),
        next: 1,
        broken: false,
      };
      runs.add(run);
      begin();
      return {
        async stop() {
          const late = new AbortController();
          const flush = async () => {
            if (runs.size === 1) {
              await looking?.stop();
              looking = null;
            }
            await inTurn(async () => {
              // The last try is made however long the collector was away.
              patience.traces.passed();
              patience.metrics.passed();
              await tick(run, late.signal);
              await sendTotals(late.signal);
            });
          };
          await Promise.race([flush(), sleep(FLUSH_MS, undefined, { ref: false })]);
          late.abort();
          await inTurn(async () => undefined);
          runs.delete(run);
          if (runs.size > 0) begin();
        },
      };
    },
  };
}
