import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { z } from "zod";

/* A collector of our own on loopback. It takes OTLP over HTTP in JSON, and nothing that is not exactly that. */

const Nano = z.string().regex(/^\d{16,20}$/);
const Value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
]);
const Attributes = z.array(z.strictObject({ key: z.string().min(1), value: Value }));
const Scope = z.strictObject({ name: z.literal("coordinator"), version: z.string().min(1) });
const Resource = z.strictObject({ attributes: Attributes });

const SpanJson = z.strictObject({
  traceId: z.string().regex(/^(?!0+$)[0-9a-f]{32}$/),
  spanId: z.string().regex(/^(?!0+$)[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^(?!0+$)[0-9a-f]{16}$/)
    .optional(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: Nano,
  endTimeUnixNano: Nano,
  attributes: Attributes,
  events: z.array(z.strictObject({ name: z.string(), timeUnixNano: Nano, attributes: Attributes })),
  status: z.strictObject({ code: z.int().min(0).max(2), message: z.string().optional() }),
});

const Traces = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: Resource,
      scopeSpans: z.array(z.strictObject({ scope: Scope, schemaUrl: z.url(), spans: z.array(SpanJson) })),
    }),
  ),
});

const point = { attributes: Attributes, startTimeUnixNano: Nano, timeUnixNano: Nano };
const NumberPoint = z.strictObject({ ...point, asDouble: z.number() });
const HistogramPoint = z
  .strictObject({
    ...point,
    count: z.string(),
    sum: z.number(),
    bucketCounts: z.array(z.string()),
    explicitBounds: z.array(z.number()),
  })
  .refine(({ bucketCounts, explicitBounds }) => bucketCounts.length === explicitBounds.length + 1)
  .refine(({ bucketCounts, count }) => bucketCounts.reduce((all, one) => all + Number(one), 0) === Number(count));
const about = { name: z.string(), unit: z.string(), description: z.string() };
const aggregationTemporality = z.int().min(1).max(2);
const Metric = z.union([
  z.strictObject({ ...about, gauge: z.strictObject({ dataPoints: z.array(NumberPoint) }) }),
  z.strictObject({
    ...about,
    sum: z.strictObject({ aggregationTemporality, isMonotonic: z.literal(true), dataPoints: z.array(NumberPoint) }),
  }),
  z.strictObject({
    ...about,
    histogram: z.strictObject({ aggregationTemporality, dataPoints: z.array(HistogramPoint) }),
  }),
]);
const Metrics = z.strictObject({
  resourceMetrics: z.array(
    z.strictObject({
      resource: Resource,
      scopeMetrics: z.array(z.strictObject({ scope: Scope, schemaUrl: z.url(), metrics: z.array(Metric) })),
    }),
  ),
});

type Plain = Readonly<Record<string, string | number | boolean>>;

export interface CollectedSpan {
  readonly trace: string;
  readonly id: string;
  readonly parent: string | null;
  readonly name: string;
  readonly from: bigint;
  readonly to: bigint;
  readonly attributes: Plain;
  readonly failed: boolean;
}

export interface Collector {
  readonly url: string;
  /** Every span that was taken, in the order it came. */
  readonly spans: CollectedSpan[];
  /** The last value of each counter and the last count of each histogram, by its name and attributes, over all processes. */
  readonly counted: () => Record<string, number>;
  readonly resources: Plain[];
  readonly headers: IncomingMessage["headers"][];
  /** Everything as it came. */
  readonly bodies: string[];
  /** What was sent and is not OTLP. */
  readonly problems: string[];
  /** What the next requests are answered with; null takes them, and `silence` never answers. */
  behave: number | "silence" | null;
}

const plain = (attributes: z.infer<typeof Attributes>): Plain =>
  Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [found] = Object.values(value);
      return [key, "intValue" in value ? Number(found) : (found as string)];
    }),
  );

export async function collect(): Promise<Collector> {
  const counts = new Map<string, number>();
  const sums = new Map<string, number>();
  const collector: Omit<Collector, "url"> = {
    spans: [],
    resources: [],
    headers: [],
    bodies: [],
    problems: [],
    behave: null,
    counted: () => Object.fromEntries([...sums].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
  const keep = (instance: string, name: string, attributes: Plain, value: number) => {
    const key = `${name} ${JSON.stringify(attributes)}`;
    const before = counts.get(`${instance} ${key}`) ?? 0;
    counts.set(`${instance} ${key}`, value);
    sums.set(key, (sums.get(key) ?? 0) + value - before);
  };
  const takeTraces = (document: unknown) => {
    for (const { resource, scopeSpans } of Traces.parse(document).resourceSpans) {
      collector.resources.push(plain(resource.attributes));
      for (const one of scopeSpans.flatMap(({ spans }) => spans))
        collector.spans.push({
          trace: one.traceId,
          id: one.spanId,
          parent: one.parentSpanId ?? null,
          name: one.name,
          from: BigInt(one.startTimeUnixNano),
          to: BigInt(one.endTimeUnixNano),
          attributes: plain(one.attributes),
          failed: one.status.code === 2,
        });
    }
  };
  const takeMetrics = (document: unknown) => {
    for (const { resource, scopeMetrics } of Metrics.parse(document).resourceMetrics) {
      const instance = String(plain(resource.attributes)["service.instance.id"]);
      for (const metric of scopeMetrics.flatMap(({ metrics }) => metrics)) {
        if ("sum" in metric)
          for (const { attributes, asDouble } of metric.sum.dataPoints)
            keep(instance, metric.name, plain(attributes), asDouble);
        if ("histogram" in metric)
          for (const { attributes, count } of metric.histogram.dataPoints)
            keep(instance, metric.name, plain(attributes), Number(count));
      }
    }
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (collector.behave === "silence") return;
      if (collector.behave !== null) return void response.writeHead(collector.behave).end();
      const body = Buffer.concat(chunks);
      const text = (request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString("utf8");
      collector.bodies.push(text);
      collector.headers.push(request.headers);
      try {
        if (request.headers["content-type"] !== "application/json") throw new Error("not JSON");
        if (request.url === "/v1/traces") takeTraces(JSON.parse(text));
        else if (request.url === "/v1/metrics") takeMetrics(JSON.parse(text));
        else throw new Error(`nothing at ${request.url}`);
      } catch (error) {
        collector.problems.push((error as Error).message);
      }
      response.writeHead(200, { "content-type": "application/json" }).end('{"partialSuccess":{}}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(collector, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

/** The tree of spans as nested names, children in the order they began. */
export function treeOf(spans: readonly CollectedSpan[], root: CollectedSpan): unknown[] {
  const children = spans.filter(({ parent }) => parent === root.id).toSorted((a, b) => Number(a.from - b.from));
  return children.length === 0 ? [root.name] : [root.name, ...children.map((child) => treeOf(spans, child))];
}
