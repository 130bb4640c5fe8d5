// `npm run bench [-- --write]`: measures the front door, and planning beside its peers, each section in a process of its own. Prints the
// tables and, last, one JSON document; with --write it also puts them into docs/benchmarks.md.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { install, requireNode, root, run } from "./steps.mjs";

requireNode();
if (!install() || !install(join(root, "bench")) || !run("npm", ["run", "--silent", "build"])) process.exit(1);
const { table } = await import("../bench/measure.mjs");

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
const results = {};
const before = loadavg()[0];
for (const section of SECTIONS) {
  const output = execFileSync(
    process.execPath,
    [FRONT_DOOR.includes(section) ? "bench/front-door.mjs" : "bench/planning.mjs", section],
    { cwd: root, encoding: "utf8", maxBuffer: 1 << 26, timeout: 600_000 },
  );
  results[section] = JSON.parse(output);
  console.log(table(results[section]));
}

const ms = (section) => results[section].rows[0].median;
const bars = [
  ["whole plan, 200 nodes", `${ms("plan-200").toFixed(2)} ms`, "≤ 5 ms", ms("plan-200") <= 5],
  ["whole plan, 100,000 nodes", `${(ms("plan-100000") / 1000).toFixed(2)} s`, "≤ 1.5 s", ms("plan-100000") <= 1500],
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
    "≤ 12 ×",
    ms("plan-100000") / ms("plan-10000") <= 12,
  ],
];
const barTable = [
  "| bar | measured | wanted | |",
  "|---|--:|--:|---|",
  ...bars.map(([what, is, wanted, met]) => `| ${what} | ${is} | ${wanted} | ${met ? "met" : "missed"} |`),
  "",
].join("\n");
const host = {
  node: process.versions.node,
  cpus: cpus().length,
  cpu: cpus()[0]?.model ?? "unknown",
  load_before: before,
  load_after: loadavg()[0],
};
console.log(barTable);
console.log(JSON.stringify({ host, results }));

if (process.argv.includes("--write")) {
  const file = join(root, "docs", "benchmarks.md");
  const text = readFileSync(file, "utf8");
  const measured = [
    `Node ${host.node}, ${host.cpus} cores (${host.cpu}); load average ${before.toFixed(2)} before and ${host.load_after.toFixed(2)} after.`,
    "",
    barTable,
    ...SECTIONS.map((section) => table(results[section])),
  ].join("\n");
  writeFileSync(file, text.replace(/(<!-- planning -->\n)[\s\S]*?(<!-- \/planning -->)/, `$1\n${measured}\n$2`));
}
