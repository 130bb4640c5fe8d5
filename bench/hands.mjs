// Costs of the hands of a run and how well it is scheduled, each measured in a process of its own: the program that
// measures, and what is wanted of what it prints.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { tableOfBars } from "./measure.mjs";

const ms = (value) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const times = (value) => `${value.toFixed(2)} ×`;
const heading = (title, columns) => [
  `### ${title}`,
  "",
  `| ${columns.join(" | ")} |`,
  `|---|${"--:|".repeat(columns.length - 1)}`,
];

/** How long plans take beside the least they can take: the longest way through them, or all work shared out evenly. */
function scheduling({ plans, tasks, rows }) {
  const bars = rows.map(({ shape, agents, dataflow }) => [
    `${shape}, ${agents} at once: time ÷ least possible, mean`,
    times(dataflow),
    "≤ 1.05 ×",
    dataflow <= 1.05,
  ]);
  const worst = Math.max(...rows.map(({ levels }) => levels));
  bars.push(["the worst of all with a barrier after each level", times(worst), "–", null]);
  return [
    tableOfBars(bars),
    ...heading(`Time ÷ least possible, ${plans} plans of ${tasks} tasks each`, [
      "shape, tasks at once",
      "ours, mean",
      "ours, median",
      "first come, first served, mean",
      "a barrier after each level, mean",
    ]),
    ...rows.map(
      ({ shape, agents, dataflow, dataflow_median, fifo, levels }) =>
        `| ${shape}, ${agents} | ${[dataflow, dataflow_median, fifo, levels].map((ratio) => ratio.toFixed(3)).join(" | ")} |`,
    ),
    "",
  ].join("\n");
}

function merges({ branches, files, rows }) {
  const bars = rows.flatMap(({ name, ours_ms, ours_cpu_ms, git_ms, git_cpu_ms }) => [
    [`a merge of ${branches}, ${name}`, ms(ours_ms), "≤ 3 ms", ours_ms <= 3],
    [`a merge of ${branches}, ${name}: git merge ÷ ours, CPU`, times(git_cpu_ms / ours_cpu_ms), "–", null],
    [`a merge of ${branches}, ${name}: git merge ÷ ours, wall clock`, times(git_ms / ours_ms), "–", null],
  ]);
  return [
    tableOfBars(bars),
    ...heading(`${branches} branches of a repository of ${files} files brought onto one`, [
      "each changes",
      "ours, wall",
      "ours, CPU",
      "git merge, wall",
      "git merge, CPU",
    ]),
    ...rows.map(
      ({ name, ours_ms, ours_cpu_ms, git_ms, git_cpu_ms }) =>
        `| ${name} | ${[ours_ms, ours_cpu_ms, git_ms, git_cpu_ms].map(ms).join(" | ")} |`,
    ),
    "",
  ].join("\n");
}

function workspace({ title, rows }) {
  return [
    ...heading(title, ["", "median", "min – max"]),
    ...rows.map(({ name, median, min, max }) => `| ${name} | ${ms(median)} | ${ms(min)} – ${ms(max)} |`),
    "",
  ].join("\n");
}

function sandbox({ bare, sandboxed, kill, added_p50 }) {
  return [
    ...heading("A program started in a sandbox and killed in it, wall-clock", ["", "median", "99 of 100"]),
    ...Object.entries({
      "started bare": bare,
      "started in a sandbox": sandboxed,
      "killed with all it started": kill,
    }).map(([name, { p50, p99 }]) => `| ${name} | ${ms(p50)} | ${ms(p99)} |`),
    "",
    `A sandbox adds ${ms(added_p50)} to a start.`,
    "",
  ].join("\n");
}

/** How soon a request is answered, first and last, and what active projects take. */
function requests({ hundred_requests_ms, response_200_ms, response_10000_ms, projects, many }) {
  const { runs, tasks, stats_ms, response_program_ms } = many;
  return tableOfBars([
    ["100 requests at once answered, the whole program", ms(hundred_requests_ms), "–", null],
    ["final response of a run of 200 tasks, CPU time", ms(response_200_ms), "< 3000 ms", response_200_ms < 3000],
    ["final response of a run of 10,000 tasks, CPU time", ms(response_10000_ms), "< 3000 ms", response_10000_ms < 3000],
    ["final response, the whole program", ms(response_program_ms), "< 3000 ms", response_program_ms < 3000],
    [
      "10 active projects at once: memory of each",
      `${projects.each_mb.toFixed(1)} MB`,
      "≤ 500 MB",
      projects.each_mb <= 500,
    ],
    [`success criteria over ${runs} runs of ${tasks} tasks`, ms(stats_ms), "–", null],
  ]);
}

function sessions({ sessions: count, rows }) {
  const [ours, alone] = rows;
  const more = (key) => (ours[key] - alone[key]) / count;
  const bars = tableOfBars([
    [
      `${count} sessions: all done after ÷ the same agents without us`,
      times(ours.seconds / alone.seconds),
      "≤ 1.2 ×",
      ours.seconds <= 1.2 * alone.seconds,
    ],
    ["memory beside the agent's own, each", `${more("megabytes").toFixed(1)} MB`, "≤ 12 MB", more("megabytes") <= 12],
    ["processes beside the agent's own, each", more("processes").toFixed(1), "≤ 3", more("processes") <= 3],
  ]);
  const titles = ["agent", "all done after", "memory", "each", "processes"];
  return [
    bars,
    ...heading(`${count} sessions at once, each in a process of its own`, titles),
    ...rows.map(
      ({ name, seconds, megabytes, processes }) =>
        `| ${name} | ${seconds.toFixed(1)} s | ${megabytes} MB | ${Math.round(megabytes / count)} MB | ${processes} |`,
    ),
    "",
  ].join("\n");
}

const MOST_TIMES = { "--help": 2.2, status: 3, inbox: 3 };

/** CPU time of a short command beside `node -e 0`, in CPU time. */
function start({ nothing_ms, rows }) {
  return tableOfBars([
    ["`node -e 0`, CPU time", ms(nothing_ms), "–", null],
    ...rows.map(({ name, ms: own, times: ratio }) => [
      `\`coordinator ${name}\` ÷ \`node -e 0\`, CPU time (${ms(own)})`,
      times(ratio),
      `≤ ${MOST_TIMES[name]} ×`,
      ratio <= MOST_TIMES[name],
    ]),
  ]);
}

/** A long log, looked at by commands of their own: the least of some rounds, since a busy host only adds to it. */
function longLog({ events, megabytes, first, rows }) {
  return tableOfBars([
    ...rows.map(({ name, wall_ms, cpu_ms }) => [
      `${name}, wall clock (CPU time ${ms(cpu_ms)})`,
      ms(wall_ms),
      "≤ 300 ms",
      wall_ms <= 300,
    ]),
    [`\`status RUN\` without a snapshot, CPU time`, ms(first.cpu_ms), "–", null],
    [`the log of ${events.toLocaleString("en")} events`, `${megabytes.toFixed(0)} MB`, "–", null],
  ]);
}

/** Time of an attempt, a run of many and a plan of words with everything real. */
function attempts({ plan, attempt, makespan }) {
  const { files, parts, agent_ms, whole_ms, cpu_ms, all_ms, checkout_ms } = attempt;
  const { tasks, at_once, cores, seconds, bound, cores_seconds, cpu_ms_per_task, all_ms_per_task } = makespan;
  const overhead_ms = whole_ms - agent_ms;
  return [
    tableOfBars([
      ["an attempt, but for its agent's program, wall clock", ms(overhead_ms), "≤ 400 ms", overhead_ms <= 400],
      ["of the coordinator's own process, CPU time", ms(cpu_ms), "≤ 150 ms", cpu_ms <= 150],
      ["of all programs of an attempt and its agent, CPU time", ms(all_ms), "–", null],
      ["git writes the files of one copy, wall clock; an attempt has two", ms(checkout_ms), "–", null],
      ["a plan of words: the first line is seen after", ms(plan.first_ms), "≤ 150 ms", plan.first_ms <= 150],
      ["a plan of words, wall clock", ms(plan.wall_ms), "≤ 600 ms", plan.wall_ms <= 600],
      ["the first plan of words of a repository, wall clock", ms(plan.cold_ms), "–", null],
      [
        `${tasks} tasks of a second, ${at_once} at once on ${cores} cores: makespan ÷ bound`,
        times(seconds / bound),
        "≤ 1.10 ×",
        seconds / bound <= 1.1,
      ],
      ["of the coordinator's own process for each of them, CPU time", ms(cpu_ms_per_task), "–", null],
      ["of all programs for each of them, its agent among them, CPU time", ms(all_ms_per_task), "–", null],
      ["makespan ÷ that CPU time on all cores", times(seconds / cores_seconds), "–", null],
    ]),
    ...heading(`An attempt on ${files} files, part by part, wall clock`, ["", "median"]),
    ...parts.map(({ name, ms: each }) => `| ${name} | ${ms(each)} |`),
    `| of it the agent's program, alone | ${ms(agent_ms)} |`,
    "",
  ].join("\n");
}

/** How smooth the dashboard is with a large run, and how soon its first page is there. */
function dashboard({ tasks, rows, first: { kilobytes, usable_ms, cpu_ms } }) {
  return tableOfBars([
    ...rows.flatMap(({ name, p95, p50, cpu }) => [
      [`${tasks} tasks, ${name}: 95 of 100 frames within (median ${ms(p50)})`, ms(p95), "≤ 32 ms", p95 <= 32],
      [`${tasks} tasks, ${name}: CPU time of the page for a frame, mean`, ms(cpu), "–", null],
    ]),
    ["first page, as sent", `${kilobytes.toFixed(0)} KB`, "≤ 200 KB", kilobytes <= 200],
    ["first page: CPU time of the page until it can be used", ms(cpu_ms), "–", null],
    ["first page usable on loopback, empty cache", ms(usable_ms), "< 1000 ms", usable_ms < 1000],
  ]);
}

/** The cost of viewers to a run of a server, and of telemetry where nobody has a collector. */
function server({ viewers, pairs, ratio_median, ratio_of_sums, telemetry: { off_us, fold_us } }) {
  return tableOfBars([
    [
      `makespan beside ${viewers} viewers ÷ alone, ${pairs.length} pairs in turn, sums`,
      times(ratio_of_sums),
      "< 1.05 ×",
      ratio_of_sums < 1.05,
    ],
    ["the same, median of the pairs", times(ratio_median), "–", null],
    ["telemetry off: asking whether it is on, once a run", `${off_us.toFixed(2)} µs`, "≤ 50 µs", off_us <= 50],
    ["telemetry on: one event of the log", `${fold_us.toFixed(1)} µs`, "–", null],
  ]);
}

/** A durable task with workers beside bare DBOS and the local engine; more workers; the death of one. */
function describeDistributed({ dbos, local, task, workers, takeOver }) {
  const range = ({ median, min, max }) => `${ms(median)} (${ms(min)} – ${ms(max)})`;
  const ratio = task.median / dbos.median;
  const perMinute = ({ median }) => Math.round(60_000 / median).toLocaleString("en");
  return tableOfBars([
    ["durable task, bare DBOS: queued children that do nothing", range(dbos), "–", null],
    ["durable task, ours with one worker that does nothing", range(task), "–", null],
    ["ours ÷ bare DBOS", times(ratio), "≤ 1.3 ×", ratio <= 1.3],
    ["durable task, the local engine with an agent that does nothing", range(local), "–", null],
    ["ours with a worker ÷ the local engine", times(task.median / local.median), "–", null],
    ...Object.entries(workers).map(([count, each]) => [
      `tasks of 200 ms in a minute, ${count} ${count === "1" ? "worker" : "workers"} of capacity 4`,
      perMinute(each),
      "–",
      null,
    ]),
    ["throughput, 4 workers ÷ 1", times(workers[1].median / workers[4].median), "–", null],
    ["SIGKILL of a worker until another begins its work", range(takeOver), "< 10 s", takeOver.max < 10_000],
  ]);
}

const SECTIONS = {
  start,
  "long-log": longLog,
  attempts,
  scheduling,
  merges,
  workspace,
  sandbox,
  requests,
  sessions,
  server,
  dashboard,
  distributed: describeDistributed,
};
export const HANDS = Object.keys(SECTIONS);

const MOST_MINUTES = 20;

/** A section that cannot be measured here is a result too. All that it said is shown where the bench runs. */
export function measureHands(name) {
  const program = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
  try {
    const timeout = MOST_MINUTES * 60_000;
    const options = { encoding: "utf8", timeout, stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 26 };
    const results = JSON.parse(execFileSync(process.execPath, [program], options));
    return { results, text: SECTIONS[name](results) };
  } catch (error) {
    const why = error.code === "ETIMEDOUT" ? `it took longer than ${MOST_MINUTES} minutes` : error.message;
    console.error(why);
    return { results: { reason: why }, text: `Not measured here: ${why}\n` };
  }
}
