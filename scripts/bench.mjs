// `npm run bench [-- --write] [--only=planning,running,start,long-log,attempts,scheduling,merges,workspace,sandbox,requests,sessions,server,dashboard,distributed] [--rounds=3]`: measures the
// front door, planning beside its peers, running beside other engines, and what the hands cost, each section in a process
// of its own. Prints the tables and, last, one JSON document; with --write it also puts them into docs/benchmarks.md.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { install, requireNode, root, run } from "./steps.mjs";

requireNode();
if (!install() || !install(join(root, "bench")) || !run("npm", ["run", "--silent", "build"])) process.exit(1);
const { table, tableOfBars } = await import("../bench/measure.mjs");
const { HANDS, measureHands } = await import("../bench/hands.mjs");

const option = (name) => process.argv.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
const only = option("only") ?? ["planning", "running", ...HANDS].join(",");

const FRONT_DOOR = ["intake", "routing"];
const SECTIONS = [
  ...FRONT_DOOR,
  "parsing",
  "adjudication",
  "sort-200",
  "sort-10000",
  "sort-100000",
  "graph-50",
  "questions",
  "freezing",
  "plan-200",
  "plan-10000",
  "plan-100000",
];
function measurePlanning() {
  const results = {};
  for (const section of SECTIONS) {
    const output = execFileSync(
      process.execPath,
      [FRONT_DOOR.includes(section) ? "bench/front-door.mjs" : "bench/planning.mjs", section],
      { cwd: root, encoding: "utf8", maxBuffer: 1 << 26, timeout: 600_000 },
    );
    results[section] = JSON.parse(output);
    console.log(table(results[section]));
  }

  const least = execFileSync(process.execPath, ["bench/plan-memory.mjs"], { cwd: root, encoding: "utf8" });
  results.memory = JSON.parse(least);
  const { peak_mb } = results.memory;

  const ms = (section) => results[section].rows[0].median;
  const bars = [
    ["whole plan, 200 nodes", `${ms("plan-200").toFixed(2)} ms`, "≤ 2 ms", ms("plan-200") <= 2],
    ["whole plan, 100,000 nodes", `${(ms("plan-100000") / 1000).toFixed(2)} s`, "≤ 1.2 s", ms("plan-100000") <= 1200],
    ["whole plan, 100,000 nodes: peak memory, planned once", `${peak_mb.toFixed(0)} MB`, "≤ 600 MB", peak_mb <= 600],
    [
      "one rule on one command",
      `${results.adjudication.per_evaluation_us.toFixed(3)} µs`,
      "≤ 1 µs",
      results.adjudication.per_evaluation_us <= 1,
    ],
    ["intake of a request of 1 KB", `${ms("intake").toFixed(4)} ms`, "≤ 0.2 ms", ms("intake") <= 0.2],
    ["routing of a request of 1 KB", `${ms("routing").toFixed(4)} ms`, "≤ 0.2 ms", ms("routing") <= 0.2],
    ["parse an intent of 200 tasks", `${ms("parsing").toFixed(3)} ms`, "< 100 ms", ms("parsing") < 100],
    [
      "50 rules on one command",
      `${(results.adjudication.rows[0].median / 200).toFixed(4)} ms`,
      "< 500 ms",
      results.adjudication.rows[0].median / 200 < 500,
    ],
    ["graph of 50 nodes", `${ms("graph-50").toFixed(3)} ms`, "< 1 s", ms("graph-50") < 1000],
    ["questions of a plan of 50 nodes", `${ms("questions").toFixed(3)} ms`, "< 200 ms", ms("questions") < 200],
    [
      "10,000 → 100,000 nodes",
      `${(ms("plan-100000") / ms("plan-10000")).toFixed(1)} ×`,
      "≤ 10 ×",
      ms("plan-100000") / ms("plan-10000") <= 10,
    ],
  ];
  const barTable = tableOfBars(bars);
  console.log(barTable);
  return { results, text: [barTable, ...SECTIONS.map((section) => table(results[section]))].join("\n") };
}

async function measureRunning() {
  const { engineTables, measureEngines } = await import("../bench/engines.mjs");
  const { runningBars } = await import("../bench/running-bars.mjs");
  const output = execFileSync(process.execPath, ["bench/running.mjs"], {
    cwd: root,
    encoding: "utf8",
    timeout: 600_000,
  });
  const parts = JSON.parse(output);
  const engines = await measureEngines({ rounds: Number(option("rounds") ?? 3) });
  const text = [tableOfBars(runningBars(engines, parts)), engineTables(engines)].join("\n");
  console.log(text);
  return { results: { parts, engines }, text };
}

function measureHand(name) {
  const measured = measureHands(name);
  console.log(measured.text);
  return measured;
}

const PARTS = {
  planning: measurePlanning,
  running: measureRunning,
  ...Object.fromEntries(HANDS.map((name) => [name, () => measureHand(name)])),
};
const found = {};
for (const part of Object.keys(PARTS).filter((name) => only.split(",").includes(name))) {
  const before = loadavg()[0];
  const { results, text } = await PARTS[part]();
  found[part] = results;
  if (process.argv.includes("--write")) write(part, text, before);
}
console.log(JSON.stringify({ node: process.versions.node, cpus: cpus().length, found }));

function write(part, text, before) {
  const file = join(root, "docs", "benchmarks.md");
  const host =
    `Node ${process.versions.node}, ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}); ` +
    `load average ${before.toFixed(2)} before and ${loadavg()[0].toFixed(2)} after.`;
  const place = new RegExp(`(<!-- ${part} -->\\n)[\\s\\S]*?(<!-- /${part} -->)`);
  const measured = `\n${host}\n\n${text}\n`;
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace(place, (_, open, close) => open + measured + close),
  );
}
