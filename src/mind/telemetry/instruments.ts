import { OWN, STANDARD } from "./metric-names.js";
import type { Attributes, Span } from "./open-spans.js";

/* Metrics of runs. All of them follow from spans, so that traces and metrics cannot disagree. */

export interface Instrument {
  readonly name: string;
  readonly kind: "counter" | "histogram" | "gauge";
  /** As UCUM has it. */
  readonly unit: string;
  readonly description: string;
}

const counter = (name: string, unit: string, description: string): Instrument => ({
  name,
  kind: "counter",
  unit,
  description,
});
const seconds = (name: string, description: string): Instrument => ({
  name,
  kind: "histogram",
  unit: "s",
  description,
});
const gauge = (name: string, unit: string, description: string): Instrument => ({
  name,
  kind: "gauge",
  unit,
  description,
});

export const INSTRUMENTS = {
  runs: counter("coordinator.runs", "{run}", "Runs that ended."),
  runTime: seconds("coordinator.run.duration", "From the request to the end of the run."),
  attempts: counter("coordinator.attempts", "{attempt}", "Attempts that ended."),
  attemptTime: seconds("coordinator.attempt.duration", "How long attempts took."),
  tokens: counter("coordinator.tokens", "{token}", "Tokens that attempts used."),
  cost: counter("coordinator.cost", "{USD}", "What attempts cost."),
  tools: counter("coordinator.tool.uses", "{use}", "Uses of tools, with how they were judged."),
  verdicts: counter("coordinator.verdicts", "{verdict}", "Verdicts on results."),
  verifyTime: seconds("coordinator.verification.duration", "How long results were checked."),
  integrations: counter("coordinator.integrations", "{integration}", "Results put onto the branch of a run, or not."),
  integrateTime: seconds(
    "coordinator.integration.duration",
    "How long a result was integrated, with its turn in the queue.",
  ),
  waits: counter("coordinator.waits", "{entry}", "Entries of the inbox that were closed."),
  waitTime: seconds("coordinator.wait.duration", "How long entries waited on people."),
  running: gauge(
    "coordinator.attempts.running",
    "{task}",
    "Tasks that hold a place: attempts, checks, merges, reviews.",
  ),
  queued: gauge("coordinator.tasks.queued", "{task}", "Tasks that wait for nothing but a place."),
  oldestQueued: gauge("coordinator.tasks.oldest", "s", "How long the oldest of them has waited for a place."),
  leaseAge: gauge(
    "coordinator.lease.age",
    "s",
    "How long ago a process extended its claim of a run, the longest of them.",
  ),
  lostLeases: gauge("coordinator.leases.lost", "{run}", "Open runs whose process died or cannot be reached."),
  workWaiting: gauge("coordinator.work.waiting", "{piece}", "Attempts and checks that wait for a worker."),
  workOldest: gauge("coordinator.work.oldest", "s", "How long the oldest of them has waited for a worker."),
  workers: gauge("coordinator.workers", "{worker}", "Workers that live."),
  waiting: gauge("coordinator.inbox.open", "{entry}", "Entries that wait on people now."),
  oldest: gauge("coordinator.inbox.oldest", "s", "How long the oldest of them has waited."),
  openRuns: gauge("coordinator.runs.open", "{run}", "Runs that are not over."),
} as const satisfies Readonly<Record<string, Instrument>>;

/** Upper bounds of histograms, in seconds: from a check of a second to a question that waits for days. */
export const BOUNDS = [1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400, 604_800] as const;

export interface Measurement {
  readonly instrument: Instrument;
  readonly value: number;
  readonly attributes: Attributes;
}

/** Computes the measurements of one ended span. Contract: pure. */
export function measure(span: Span): readonly Measurement[] {
  const { attributes, about } = span;
  const took = (Date.parse(span.to) - Date.parse(span.from)) / 1000;
  const of = (name: string) => attributes[name] ?? "";
  const one = (instrument: Instrument, value: number, labels: Attributes): Measurement => ({
    instrument,
    value,
    attributes: labels,
  });
  const agent = { agent: of(STANDARD.agent) };
  switch (about) {
    case "run": {
      const ended = { status: of(OWN.status) };
      return [one(INSTRUMENTS.runs, 1, ended), one(INSTRUMENTS.runTime, took, ended)];
    }
    case "attempt": {
      const source = { ...agent, source: of(OWN.source) };
      return [
        one(INSTRUMENTS.attempts, 1, { ...agent, outcome: of(OWN.outcome) }),
        one(INSTRUMENTS.attemptTime, took, agent),
        one(INSTRUMENTS.tokens, Number(of(OWN.tokens)), source),
        one(INSTRUMENTS.cost, Number(of(OWN.cost)), source),
      ];
    }
    case "tool":
      return [one(INSTRUMENTS.tools, 1, { tool: of(STANDARD.tool), decision: of(OWN.decision) })];
    case "verify":
      if (of(OWN.verdict) === "") return [];
      return [
        one(INSTRUMENTS.verdicts, 1, { verdict: of(OWN.verdict) }),
        one(INSTRUMENTS.verifyTime, took, { verdict: of(OWN.verdict) }),
      ];
    case "integrate": {
      const outcome = { outcome: of(OWN.outcome) };
      return [one(INSTRUMENTS.integrations, 1, outcome), one(INSTRUMENTS.integrateTime, took, outcome)];
    }
    case "wait": {
      const kind = { kind: of(OWN.kind) };
      return [one(INSTRUMENTS.waits, 1, kind), one(INSTRUMENTS.waitTime, took, kind)];
    }
    default:
      return [];
  }
}
