import { findReworded } from "./reworded.js";
import type { Compared, RunFigures } from "./run-figures.js";

/** One of the specification's success criteria, beside what the logs say. */
export interface Criterion {
  readonly id: string;
  readonly title: string;
  /** Percent or seconds; null when nothing was there to measure. */
  readonly value: number | null;
  readonly unit: "%" | "s";
  readonly target: { readonly at: "least" | "most" | "under"; readonly value: number };
  /** Null when nothing was measured: no data is not success. */
  readonly met: boolean | null;
  /** Of how many cases, and of what. */
  readonly cases: number;
  readonly counted: string;
  readonly detail: string;
}

export interface Stats {
  readonly runs: number;
  readonly first_at: string | null;
  readonly last_at: string | null;
  readonly criteria: readonly Criterion[];
}

/**
 * The success criteria over these runs.
 *
 * Contract: pure; the order of the runs does not matter. A criterion nobody can judge from logs says so by its cases.
 */
export function stats(runs: readonly RunFigures[]): Stats {
  const times = runs.map(({ started_at }) => started_at).toSorted();
  return {
    runs: runs.length,
    first_at: times[0] ?? null,
    last_at: times.at(-1) ?? null,
    criteria: [
      rateUnderstanding(runs),
      gates(runs),
      variance(runs, "tokens", "tokens", "tokens used beside their estimate"),
      variance(runs, "minutes", "time", "time used beside its estimate"),
      variance(runs, "cost_usd", "cost", "cost beside its estimate"),
      completion(runs),
      responseTime(runs),
      recovery(runs),
      coordination(runs),
    ],
  };
}

type Head = Pick<Criterion, "id" | "title" | "unit" | "target" | "counted">;

const least = (value: number) => ({ at: "least", value }) as const;
const most = (value: number) => ({ at: "most", value }) as const;

function criterion(head: Head, value: number | null, cases: number, detail: string): Criterion {
  const measured = cases === 0 ? null : value;
  const { at, value: target } = head.target;
  const holds = (of: number) => (at === "least" ? of >= target : at === "most" ? of <= target : of < target);
  const met = measured === null ? null : holds(measured);
  return { ...head, value: measured === null ? null : roundFigure(measured), met, cases, detail };
}

/** A share in percent; nothing of nothing is not a share. */
function share(head: Head, part: number, whole: number, detail: string): Criterion {
  return criterion(head, whole === 0 ? null : (part / whole) * 100, whole, detail);
}

function rateUnderstanding(runs: readonly RunFigures[]): Criterion {
  const settled = runs.filter(({ understood, ended }) => understood !== null && ended !== null);
  const reworded = findReworded(runs);
  const overruled = settled.filter(({ understood }) => understood?.overruled).length;
  const edited = settled.filter(({ understood }) => (understood?.edits ?? 0) > 0).length;
  const asked = settled.filter(({ understood }) => (understood?.answers ?? 0) > 0).length;
  const wrong = settled.filter(
    ({ run_id, understood }) => understood?.overruled === true || (understood?.edits ?? 0) > 0 || reworded.has(run_id),
  ).length;
  return share(
    { id: "request_understanding", title: "requests understood", unit: "%", target: least(95), counted: "requests" },
    settled.length - wrong,
    settled.length,
    `${overruled} overruled by a person, ${edited} with tasks taken out, ${reworded.size} asked again in other words; ${asked} after questions`,
  );
}

function gates(runs: readonly RunFigures[]): Criterion {
  const decided = sum(runs, (run) => run.gates.decided);
  const wrong = sum(runs, (run) => run.gates.wrong);
  return share(
    { id: "decision_quality", title: "GO and NO_GO that held", unit: "%", target: least(90), counted: "decisions" },
    decided - wrong,
    decided,
    wrong === 0 ? "none contradicted later in its log" : `${wrong} contradicted: ${reasons(runs)}`,
  );
}

/** Why decisions did not hold, the most frequent first. */
function reasons(runs: readonly RunFigures[]): string {
  const times = new Map<string, number>();
  for (const because of runs.flatMap(({ gates: { because: all } }) => all))
    times.set(because, (times.get(because) ?? 0) + 1);
  return [...times]
    .toSorted(([, a], [, b]) => b - a)
    .map(([because, n]) => `${because} (${n})`)
    .join("; ");
}

function variance(
  runs: readonly RunFigures[],
  name: "tokens" | "minutes" | "cost_usd",
  id: string,
  title: string,
): Criterion {
  const off = runs
    .filter(({ ended }) => ended === "completed")
    .flatMap(({ compared }) => (compared === null ? [] : deviation(compared[name])));
  const within = off.filter((each) => each <= 10).length;
  return criterion(
    { id: `variance_${id}`, title, unit: "%", target: most(10), counted: "completed runs" },
    median(off),
    off.length,
    `the median of how far runs were off; ${within} of ${off.length} within 10 %`,
  );
}

/** In percent of the estimate; nothing estimated gives nothing to deviate from. */
function deviation({ estimated, used }: Compared): number[] {
  return estimated > 0 ? [(Math.abs(used - estimated) / estimated) * 100] : [];
}

function completion(runs: readonly RunFigures[]): Criterion {
  const ended = runs.filter(({ accepted, ended }) => accepted && ended !== null);
  const completed = ended.filter((run) => run.ended === "completed").length;
  return share(
    { id: "completion", title: "accepted runs completed", unit: "%", target: least(80), counted: "ended runs" },
    completed,
    ended.length,
    `${ended.length - completed} ended without their result`,
  );
}

function responseTime(runs: readonly RunFigures[]): Criterion {
  const times = runs.flatMap(({ response_ms }) => (response_ms === null ? [] : [response_ms / 1000]));
  const slowest = times.reduce((most, time) => Math.max(most, time), 0);
  const middle = median(times);
  return criterion(
    { id: "response_time", title: "slowest first answer", unit: "s", target: most(5), counted: "requests" },
    slowest,
    times.length,
    `from the request to its first decision${middle === null ? "" : `; median ${roundFigure(middle)} s`}`,
  );
}

/** Of all errors, also those that only a person may settle: the policy retries no wrong result. */
function recovery(runs: readonly RunFigures[]): Criterion {
  const structural = sum(runs, ({ errors }) => errors.structural);
  const recovered = sum(runs, ({ errors }) => errors.recovered);
  const other = sum(runs, ({ errors }) => errors.other);
  return share(
    {
      id: "error_recovery",
      title: "errors resolved without a person",
      unit: "%",
      target: least(70),
      counted: "errors",
    },
    recovered,
    structural + other,
    `${recovered} of ${structural} structural ones; ${other} ${other === 1 ? "was" : "were"} a person's to decide`,
  );
}

function coordination(runs: readonly RunFigures[]): Criterion {
  const all = sum(runs, ({ tokens }) => tokens.all);
  const ours = sum(runs, ({ tokens }) => tokens.coordination);
  const cases = runs.filter(({ tokens }) => tokens.all > 0).length;
  return criterion(
    {
      id: "coordination_share",
      title: "tokens used for coordination",
      unit: "%",
      target: { at: "under", value: 5 },
      counted: "runs",
    },
    all === 0 ? null : (ours / all) * 100,
    cases,
    `${Math.round(ours)} of ${Math.round(all)} tokens`,
  );
}

function sum(runs: readonly RunFigures[], of: (run: RunFigures) => number): number {
  return runs.reduce((all, run) => all + of(run), 0);
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : ((sorted[(sorted.length >> 1) - 1] ?? upper) + upper) / 2;
}

function roundFigure(value: number): number {
  return Math.round(value * 10) / 10;
}
