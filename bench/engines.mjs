// Engines beside each other: every round measures all of them, in rotating order, each in a process of its own.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ENGINES } from "./engines/index.mjs";
import { WORKLOADS } from "./plans.mjs";
import { startPostgres } from "./postgres.mjs";

const LIMIT_MS = 240_000;
const program = fileURLToPath(new URL("durable.mjs", import.meta.url));

/** `[{ workload, engine }]`, each measured `rounds` times; a timeout or an error is a result too. */
function measureAll(wanted, rounds, postgres) {
  const found = wanted.map((each) => ({ ...each, results: [], reason: null }));
  for (let round = 0; round < rounds; round++)
    for (let i = 0; i < found.length; i++) {
      const row = found[(i + round) % found.length];
      const { needs, rounds: most = rounds } = ENGINES[row.engine];
      if (row.reason !== null || row.results.length >= most) continue;
      if (needs === "postgres" && postgres.freshUrl === undefined) row.reason = `not measured here: ${postgres.reason}`;
      else measure(row, postgres);
    }
  return found.map(({ workload, engine, results, reason }) => ({ workload, engine, reason, ...medians(results) }));
}

function measure(row, postgres) {
  const env = { ...process.env, NODE_NO_WARNINGS: "1" };
  if (ENGINES[row.engine].needs === "postgres") env.BENCH_DATABASE_URL = postgres.freshUrl();
  try {
    const options = { env, encoding: "utf8", timeout: LIMIT_MS, stdio: ["ignore", "pipe", "pipe"] };
    row.results.push(JSON.parse(execFileSync(process.execPath, [program, row.engine, row.workload], options)));
  } catch (error) {
    row.reason = error.code === "ETIMEDOUT" ? `not done in ${LIMIT_MS / 1000} s` : `could not: ${firstLine(error)}`;
  }
}

const firstLine = ({ stderr, message }) =>
  String(stderr || message)
    .trim()
    .split("\n")[0]
    .slice(0, 100);

const FIGURES = ["wall_us", "cpu_us", "rss_mb", "bytes_per_task"];

function medians(results) {
  if (results.length === 0) return { rounds: 0 };
  const of = (figure) => results.map((result) => result[figure]).sort((a, b) => a - b);
  return {
    rounds: results.length,
    durability: results[0].durability,
    events: results[0].events,
    ...Object.fromEntries(FIGURES.map((figure) => [figure, of(figure)[results.length >> 1]])),
    min_wall_us: of("wall_us")[0],
    max_wall_us: of("wall_us").at(-1),
  };
}

const SIDE_BY_SIDE = ["layered-300", "runs-100", "runs-1000", "chain-200"];
const GROWTH = {
  "tasks in layers of 50": [100, 1000, 10_000].map((n) => [n, `tasks-${n}-growth`]),
  "tasks without dependencies": [100, 1000, 10_000].map((n) => [n, `wide-${n}-growth`]),
  "tasks in a chain": [100, 200, 400, 800].map((n) => [n, `chain-${n}-growth`]),
};

export async function measureEngines({ rounds = 3 } = {}) {
  const postgres = await startPostgres();
  try {
    const sideBySide = SIDE_BY_SIDE.map((workload) => {
      const engines = Object.keys(ENGINES).filter((engine) => ENGINES[engine].workloads.includes(workload));
      const wanted = engines.map((engine) => ({ workload, engine }));
      return { title: WORKLOADS[workload].title, workload, rows: measureAll(wanted, rounds, postgres) };
    });
    const growth = Object.entries(GROWTH).map(([title, sizes]) => {
      const engines = ["ours", title.includes("chain") ? "LangGraph 1.4 + SQLite" : "floor: 1 event a task"];
      const wanted = engines.flatMap((engine) => sizes.map(([, workload]) => ({ workload, engine })));
      const rows = measureAll(wanted, Math.min(3, rounds), postgres);
      return { title, sizes: sizes.map(([n]) => n), engines, rows };
    });
    return { sideBySide, growth };
  } finally {
    postgres.stop?.();
  }
}

const us = (value) => (value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(1));
const times = (value) => (value >= 10 ? value.toFixed(0) : value.toFixed(1));

export function engineTables({ sideBySide, growth }) {
  return [...sideBySide.map(sideTable), ...growth.map(growthTable)].join("\n");
}

function sideTable({ title, rows }) {
  const [ours] = rows;
  return [
    `### ${title}`,
    "",
    "| engine | wall µs a task | min – max | × ours | CPU µs a task | × ours | peak memory | bytes a task | durability |",
    "|---|--:|--:|--:|--:|--:|--:|--:|---|",
    ...rows.map((row) =>
      row.rounds === 0
        ? `| ${row.engine} | ${row.reason} | | | | | | | |`
        : `| ${row.engine} | ${us(row.wall_us)} | ${us(row.min_wall_us)} – ${us(row.max_wall_us)} | ` +
          `${times(row.wall_us / ours.wall_us)} | ${us(row.cpu_us)} | ${times(row.cpu_us / ours.cpu_us)} | ` +
          `${row.rss_mb.toFixed(0)} MB | ${row.bytes_per_task === 0 ? "–" : us(row.bytes_per_task)} | ${row.durability} |`,
    ),
    "",
  ].join("\n");
}

function growthTable({ title, sizes, engines, rows }) {
  const at = (engine, i) => rows.filter((row) => row.engine === engine)[i];
  const cell = (row) =>
    row.rounds === 0
      ? row.reason
      : `${us(row.wall_us)} · ${us(row.cpu_us)} · ${us(row.bytes_per_task)} · ${row.rss_mb.toFixed(0)}`;
  return [
    `### Growth: ${title}`,
    "",
    `| wall µs · CPU µs · bytes a task · peak MB | ${sizes.map((n) => n.toLocaleString("en")).join(" | ")} |`,
    `|---|${sizes.map(() => "--:").join("|")}|`,
    ...engines.map((engine) => `| ${engine} | ${sizes.map((_, i) => cell(at(engine, i))).join(" | ")} |`),
    "",
  ].join("\n");
}
