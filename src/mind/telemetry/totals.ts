import { byCodeUnit } from "../../model/by-code-unit.js";
import { BOUNDS, type Instrument, type Measurement } from "./instruments.js";
import type { Attributes } from "./open-spans.js";

/** One time series: an instrument with one set of attributes. */
export interface Series {
  readonly instrument: Instrument;
  readonly attributes: Attributes;
  /** The sum of a counter or histogram, the value of a gauge. */
  readonly value: number;
  readonly count: number;
  /** For a histogram: how many were at most each bound and above the one before it; the last one is above all. */
  readonly buckets: readonly number[];
}

type Open = { -readonly [name in keyof Series]: Series[name] } & { buckets: number[] };

/** Adds up measurements. */
export class Totals {
  readonly #series = new Map<string, Open>();
  readonly #bounds: readonly number[];

  constructor(bounds: readonly number[] = BOUNDS) {
    this.#bounds = bounds;
  }

  get bounds(): readonly number[] {
    return this.#bounds;
  }

  add({ instrument, value, attributes }: Measurement): void {
    const key = `${instrument.name} ${JSON.stringify(attributes)}`;
    const found = this.#series.get(key) ?? {
      instrument,
      attributes,
      value: 0,
      count: 0,
      buckets: this.#none(instrument),
    };
    this.#series.set(key, found);
    found.value = instrument.kind === "gauge" ? value : found.value + value;
    found.count++;
    if (instrument.kind !== "histogram") return;
    const at = this.#bounds.findIndex((bound) => value <= bound);
    const index = at < 0 ? this.#bounds.length : at;
    found.buckets[index] = (found.buckets[index] ?? 0) + 1;
  }

  /** Contract: grouped by instrument, in the order of their names. */
  all(): readonly Series[] {
    return [...this.#series].toSorted(([a], [b]) => byCodeUnit(a, b)).map(([, series]) => series);
  }

  clear(): void {
    this.#series.clear();
  }

  #none({ kind }: Instrument): number[] {
    return kind === "histogram" ? Array.from({ length: this.#bounds.length + 1 }, () => 0) : [];
  }
}
