import { readdirSync } from "../foundation/files/read-files.js";
import { Totals, type Measurement } from "../app/serve/metric-types.js";
import { VERSION } from "../version.js";
import type { ServedPlace } from "./context.js";
import { prometheusName, renderPrometheus, type Sample } from "./prometheus.js";

/* Metrics of a server for its operators: its projects, its requests and its process, for `GET /metrics`. */

/** One request that was answered. */
interface SeenRequest {
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
}

export interface ServerMetrics {
  readonly seen: (request: SeenRequest) => void;
  /** Somebody follows a stream of events; returns how to say that they have gone. */
  readonly viewing: () => () => void;
  readonly render: () => Promise<string>;
}

const REQUEST_TIME: Measurement["instrument"] = {
  name: "coordinator.http.request.duration",
  kind: "histogram",
  unit: "s",
  description: "How long requests took, streams of events left out.",
};
const REQUEST_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface MetricsParts {
  readonly places: () => readonly ServedPlace[];
  /** How many runs and requests are being worked on. */
  readonly busy: () => number;
}

export function createServerMetrics({ places, busy }: MetricsParts): ServerMetrics {
  const requests = new Totals(REQUEST_BOUNDS);
  let viewers = 0;
  return {
    seen: ({ operation, method, status, seconds }) =>
      requests.add({ instrument: REQUEST_TIME, value: seconds, attributes: { operation, method, status } }),
    viewing() {
      viewers++;
      return () => void viewers--;
    },
    async render() {
      const projects = await Promise.all(places().map(samplesOfPlace));
      return renderPrometheus([
        ...projects.flat(),
        gauge("coordinator_server_jobs", "Runs and requests that this server works on.", busy()),
        gauge("coordinator_server_viewers", "Streams of events that are followed.", viewers),
        ...samplesOf(requests, {}),
        ...processSamples(),
      ]);
    },
  };
}

async function samplesOfPlace({ id, name, problem, metrics }: ServedPlace): Promise<Sample[]> {
  const about = gauge("coordinator_project_up", "1 for a project that can be worked on, 0 for one that cannot.", 1, {
    project: id,
    name,
  });
  if (problem !== null || metrics === null) return [{ ...about, value: 0 }];
  try {
    const { totals, now } = await metrics.collect();
    return [about, ...samplesOf(totals, { project: id }), ...now.map((one) => sampleOf(one, { project: id }))];
  } catch {
    // A store that cannot be read is a project that is not up, and the others are still told.
    return [{ ...about, value: 0 }];
  }
}

function samplesOf(totals: Totals, labels: Sample["labels"]): Sample[] {
  return totals.all().map(({ instrument, attributes, value, count, buckets }) => ({
    ...sampleOf({ instrument, attributes, value }, labels),
    ...(instrument.kind === "histogram" ? { histogram: { bounds: totals.bounds, buckets, count } } : {}),
  }));
}

function sampleOf({ instrument, attributes, value }: Measurement, labels: Sample["labels"]): Sample {
  const name = prometheusName(instrument);
  return { name, kind: instrument.kind, help: instrument.description, labels: { ...labels, ...attributes }, value };
}

function gauge(name: string, help: string, value: number, labels: Sample["labels"] = {}): Sample {
  return { name, kind: "gauge", help, labels, value };
}

function processSamples(): Sample[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const cpu = (user + system) / 1e6;
  const started = Date.now() / 1000 - process.uptime();
  const { utilization } = performance.eventLoopUtilization();
  const files = openFiles();
  return [
    gauge("coordinator_build_info", "1, with the version of this server.", 1, {
      version: VERSION,
      node: process.versions.node,
    }),
    { ...gauge("process_cpu_seconds_total", "Processor time of this process.", cpu), kind: "counter" },
    gauge("process_resident_memory_bytes", "Memory of this process.", rss),
    gauge("process_start_time_seconds", "When this process was started, since 1970.", started),
    gauge("nodejs_heap_used_bytes", "Memory of objects of this process.", heapUsed),
    gauge("nodejs_eventloop_utilization", "Which part of its life this process was busy.", utilization),
    ...(files === null ? [] : [gauge("process_open_fds", "Open files and connections.", files)]),
  ];
}

function openFiles(): number | null {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return null;
  }
}
