// How long a plan takes over the least it could: the longest way through it, or all its work over all agents. The real
// transition function decides what starts; only the clock is simulated. Prints one JSON document.
import { RunPolicy } from "../dist/model/run.js";
import { NEW_RUN } from "../dist/mind/run/state.js";
import { step } from "../dist/mind/run/transition.js";

const TASKS = 50;
const PLANS = Number(process.argv[2] ?? 150);
const AGENTS = [3, 8, 16];
const nothing = { tokens: 0, cost_usd: 0, minutes: 0, files: 0, commits: 0, api_calls: 0 };
const plenty = Object.fromEntries(Object.keys(nothing).map((key) => [key, 1e9]));

function random(seed) {
  let state = (seed * 2654435761 + 99) >>> 0;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}
const normal = (next) => Math.sqrt(-2 * Math.log(next() || 1e-12)) * Math.cos(2 * Math.PI * next());

/** The dependencies of each task, as places of earlier tasks. */
const SHAPES = {
  layered: (next) =>
    Array.from({ length: TASKS }, (_, i) =>
      i < 10 ? [] : pick(next, 1 + Math.floor(next() * 3), Math.floor(i / 10) * 10 - 10, 10),
    ),
  pipelines: () => Array.from({ length: TASKS }, (_, i) => (i % 5 === 0 ? [] : [i - 1])),
  random: (next) => Array.from({ length: TASKS }, (_, i) => (i === 0 ? [] : pick(next, Math.floor(next() * 3), 0, i))),
};
const pick = (next, count, from, among) => [
  ...new Set(Array.from({ length: count }, () => from + Math.floor(next() * among))),
];

function makespan(dependencies, minutes, agents, schedule) {
  const tasks = dependencies.map((list, i) => ({
    task_id: `T${i}`,
    title: `T${i}`,
    agent: "a",
    phase: "p",
    priority: "P1",
    dependencies: list.map((d) => `T${d}`),
    estimate: { ...nothing, minutes: minutes[i] },
    gates: [],
  }));
  const plan = { plan_id: "plan", plan_checksum: "0".repeat(64), tasks, gates: [], budget: plenty };
  const policy = RunPolicy.parse({ max_concurrent_tasks: agents, plan_needs_approval: false, schedule });
  let [state, clock] = [NEW_RUN, 0];
  const running = [];
  const take = (event) => {
    const taken = step(state, event, clock * 60_000);
    state = taken.state;
    for (const effect of taken.effects)
      if (effect.kind === "start_attempt")
        running.push({ at: clock + minutes[Number(effect.task_id.slice(1))], effect });
  };
  take({ type: "request_received", request_id: "r", request: "r", seed: 1, policy });
  take({ type: "intake_decided", decision: "approved", reason: "", unsafe: false });
  take({ type: "plan_frozen", plan, verified: true });
  while (running.length > 0) {
    running.sort((a, b) => a.at - b.at);
    const { at, effect } = running.shift();
    clock = at;
    const done = { task_id: effect.task_id, attempt: effect.attempt };
    take({
      type: "attempt_finished",
      ...done,
      outcome: { kind: "completed", output_ref: "x" },
      usage: { amounts: nothing, source: "reported" },
    });
    take({ type: "verification_finished", ...done, verdict: "PASS", evidence: "" });
    take({ type: "integration_finished", ...done, integrated: true, ref: "x" });
    take({ type: "review_finished", ...done, accepted: true, summary: "" });
  }
  if (state.status !== "completed") throw new Error(`the simulated run is ${state.status}: ${state.reason}`);
  return clock;
}

/** First come, first served: what a queue without ranks does. */
function fifo(dependencies, minutes, agents) {
  const left = dependencies.map((list) => list.length);
  const ready = left.flatMap((n, i) => (n === 0 ? [i] : []));
  const running = [];
  let clock = 0;
  for (let done = 0; done < TASKS; done++) {
    while (running.length < agents && ready.length > 0) {
      const i = ready.shift();
      running.push({ i, at: clock + minutes[i] });
    }
    running.sort((a, b) => a.at - b.at);
    const { i, at } = running.shift();
    clock = at;
    dependencies.forEach((list, d) => list.includes(i) && --left[d] === 0 && ready.push(d));
  }
  return clock;
}

function lowerBound(dependencies, minutes, agents) {
  const longest = [];
  dependencies.forEach((list, i) => (longest[i] = minutes[i] + Math.max(0, ...list.map((d) => longest[d]))));
  return Math.max(...longest, minutes.reduce((a, b) => a + b, 0) / agents);
}

const rows = [];
for (const [shape, make] of Object.entries(SHAPES))
  for (const agents of AGENTS) {
    const ratios = { dataflow: [], levels: [], fifo: [] };
    for (let seed = 1; seed <= PLANS; seed++) {
      const next = random(seed);
      const dependencies = make(next);
      const minutes = dependencies.map(() => Math.exp(normal(next)) * 10);
      const least = lowerBound(dependencies, minutes, agents);
      ratios.dataflow.push(makespan(dependencies, minutes, agents, "dataflow") / least);
      ratios.levels.push(makespan(dependencies, minutes, agents, "levels") / least);
      ratios.fifo.push(fifo(dependencies, minutes, agents) / least);
    }
    const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;
    const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
    rows.push({
      shape,
      agents,
      dataflow: mean(ratios.dataflow),
      dataflow_median: median(ratios.dataflow),
      fifo: mean(ratios.fifo),
      levels: mean(ratios.levels),
    });
  }
console.log(JSON.stringify({ plans: PLANS, tasks: TASKS, rows }));
