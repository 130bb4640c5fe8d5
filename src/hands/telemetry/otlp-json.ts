import { createHash } from "node:crypto";
import { withoutSecrets } from "../../foundation/files/known-secrets.js";
import { CONVENTIONS, SCOPE } from "../../mind/telemetry/metric-names.js";
import type { Attributes, Span } from "../../mind/telemetry/open-spans.js";
import type { Series, Totals } from "../../mind/telemetry/totals.js";
import { VERSION } from "../../version.js";

/*
 * Spans and totals as OTLP has them in JSON: ids in hexadecimal, integers of 64 bits and times in nanoseconds as text.
 * Ids are checksums of names that follow from the log, so that a span has the same ones from every sender.
 */

const MOST_TEXT = 4096;

/** Contract: pure; 16 bytes that belong to this run. */
export function traceIdOf(runId: string): string {
  return hashOf(`coordinator trace ${runId}`, 16);
}

/** Contract: pure; 8 bytes that belong to this span of this run. */
export function spanIdOf(runId: string, key: string): string {
  return hashOf(`coordinator span ${runId} ${key}`, 8);
}

function hashOf(text: string, bytes: number): string {
  return createHash("sha256")
    .update(text)
    .digest("hex")
    .slice(0, bytes * 2);
}

/** Contract: pure; the same runs for the same ratio in every process. */
export function isSampled(runId: string, ratio: number): boolean {
  return ratio >= 1 || Number.parseInt(traceIdOf(runId).slice(-13), 16) / 2 ** 52 < ratio;
}

type Resource = Readonly<Record<string, string>>;

const SCOPED = { scope: { name: SCOPE, version: VERSION }, schemaUrl: CONVENTIONS.schemaUrl };
const INTERNAL = 1;
const CLIENT = 3;
const OK = 1;
const ERROR = 2;

export function tracesJson(
  spans: readonly { readonly runId: string; readonly span: Span }[],
  resource: Resource,
): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesJson(resource) },
        scopeSpans: [{ ...SCOPED, spans: spans.map(({ runId, span }) => spanJson(runId, span)) }],
      },
    ],
  };
}

function spanJson(runId: string, span: Span): object {
  return {
    traceId: traceIdOf(runId),
    spanId: spanIdOf(runId, span.key),
    ...(span.parent === null ? {} : { parentSpanId: spanIdOf(runId, span.parent) }),
    name: withoutSecrets(span.name),
    kind: span.about === "attempt" ? CLIENT : INTERNAL,
    startTimeUnixNano: nanoseconds(span.from),
    endTimeUnixNano: nanoseconds(span.to),
    attributes: attributesJson(span.attributes),
    events: span.events.map(({ name, at, attributes }) => ({
      name,
      timeUnixNano: nanoseconds(at),
      attributes: attributesJson(attributes),
    })),
    status: span.error === null ? { code: OK } : { code: ERROR, message: withoutSecrets(span.error) },
  };
}

const CUMULATIVE = 2;
const DELTA = 1;

export interface Period {
  /** When counting began, RFC 3339. */
  readonly from: string;
  readonly to: string;
  readonly temporality: "cumulative" | "delta";
}

export function metricsJson(totals: readonly Totals[], { from, to, temporality }: Period, resource: Resource): object {
  const byName = new Map<string, { series: Series; bounds: readonly number[] }[]>();
  for (const one of totals)
    for (const series of one.all())
      byName.set(series.instrument.name, [
        ...(byName.get(series.instrument.name) ?? []),
        { series, bounds: one.bounds },
      ]);
  const times = { startTimeUnixNano: nanoseconds(from), timeUnixNano: nanoseconds(to) };
  const aggregationTemporality = temporality === "delta" ? DELTA : CUMULATIVE;
  const metrics = [...byName.values()].map((all) => {
    const [first] = all;
    const { name, unit, description, kind } = (first as (typeof all)[number]).series.instrument;
    const points = all.map(({ series, bounds }) => ({ ...times, ...pointJson(series, bounds) }));
    const about = { name, unit, description };
    if (kind === "gauge") return { ...about, gauge: { dataPoints: points } };
    if (kind === "histogram") return { ...about, histogram: { aggregationTemporality, dataPoints: points } };
    return { ...about, sum: { aggregationTemporality, isMonotonic: true, dataPoints: points } };
  });
  return {
    resourceMetrics: [{ resource: { attributes: attributesJson(resource) }, scopeMetrics: [{ ...SCOPED, metrics }] }],
  };
}

function pointJson({ instrument, attributes, value, count, buckets }: Series, bounds: readonly number[]): object {
  const named = { attributes: attributesJson(attributes) };
  if (instrument.kind !== "histogram") return { ...named, asDouble: value };
  return {
    ...named,
    count: String(count),
    sum: value,
    bucketCounts: buckets.map(String),
    explicitBounds: [...bounds],
  };
}

function attributesJson(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueJson(value) }));
}

function valueJson(value: Attributes[string]): object {
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { stringValue: withoutSecrets(value).slice(0, MOST_TEXT) };
}

function nanoseconds(at: string): string {
  return `${Math.max(0, Date.parse(at))}000000`;
}
