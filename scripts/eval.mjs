// Scores routing and intake on labelled requests and writes docs/evaluation.md. Run after `npm run build`. With `--folds` it
// cross-validates what was learnt (minutes), with `--folds=routing,safety` a part of it; the other tables stay as they were.
// `--texts=DIR`: see fit.mjs.
//
// Data: test/eval-fixtures/*.jsonl always; ../shared/eval beside the project when it is there (texts of other people,
// which are not part of the project). Only counts are written: no text of the data ends up in the report.
import { countPairs, wordsOf } from "./eval/likeness.mjs";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { foldsSection } from "./eval/folds.mjs";
import { setAsideSection } from "./eval/set-aside.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const shared = join(dirname(root), "shared", "eval");
const CATEGORIES = ["technical_explicit", "business_strategic", "ambiguous"];
const SPEED_TEXTS = 10_000;

const builtPath = (path) => join(root, "dist", path);
if (!existsSync(builtPath("mind/route/route.js"))) {
  console.error("dist/ is missing: run `npm run build` first.");
  process.exit(2);
}
const { compilePolicy } = await import(builtPath("mind/route/compile-policy.js"));
const { route } = await import(builtPath("mind/route/route.js"));
const { readLearnedModel } = await import(builtPath("foundation/documents/shipped-model.js"));
const adrModel = await readLearnedModel("adr");

const readLines = (path) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));
const readYaml = (path) => parse(readFileSync(join(root, path), "utf8"));

const percent = (value) => (Number.isFinite(value) ? value.toFixed(3) : "–");
const ratio = (part, whole) => (whole === 0 ? Number.NaN : part / whole);

// ------------------------------------------------------------------------------------------------------------ routing

async function loadPolicy() {
  const result = compilePolicy(readYaml("policy/routing.yaml"), await readLearnedModel("routing"));
  if (result.ok) return result.policy;
  for (const problem of result.problems) console.error(`policy/routing.yaml: ${problem.path} ${problem.message}`);
  process.exit(1);
}

/** The data calls business and strategic one class. */
const labelOf = (category) => (category === "business" || category === "strategic" ? "business_strategic" : category);

function scoreRouting(policy, rows) {
  const matrix = Object.fromEntries(CATEGORIES.map((a) => [a, Object.fromEntries(CATEGORIES.map((b) => [b, 0]))]));
  const count = { tp: 0, fp: 0, fn: 0, sure: 0, sureRight: 0, escalated: 0 };
  const wrong = [];
  for (const row of rows) {
    const decision = route(policy, { task_id: row.id, input: { body: row.text }, context_registry: [] });
    if (decision.status !== "routed") {
      count.escalated++;
      wrong.push(row.id);
      continue;
    }
    const got = labelOf(decision.classification.category);
    matrix[row.category][got]++;
    if (got !== row.category) wrong.push(row.id);
    const dev = decision.routed_to === "dev";
    const wanted = row.expected_route === "dev";
    if (dev && wanted) count.tp++;
    if (dev && !wanted) count.fp++;
    if (!dev && wanted) count.fn++;
    if ((row.label_confidence ?? "high") === "high") {
      count.sure++;
      if (dev === wanted) count.sureRight++;
    }
  }
  const f1 = CATEGORIES.map((c) => {
    const given = CATEGORIES.reduce((sum, other) => sum + matrix[other][c], 0);
    const actual = CATEGORIES.reduce((sum, other) => sum + matrix[c][other], 0);
    return ratio(2 * matrix[c][c], given + actual);
  });
  return {
    rows: rows.length,
    matrix,
    wrong,
    precision: ratio(count.tp, count.tp + count.fp),
    recall: ratio(count.tp, count.tp + count.fn),
    accuracy: ratio(count.sureRight, count.sure),
    macroF1: f1.reduce((sum, value) => sum + (Number.isFinite(value) ? value : 0), 0) / CATEGORIES.length,
    escalated: count.escalated,
  };
}

/** Decisions per second of one core, for texts of 1 KB made of the fixtures. */
function measureSpeed(policy, rows) {
  const pool = rows.map((row) => row.text).join("\n\n");
  const texts = Array.from({ length: 50 }, (_, i) => {
    const start = (i * 997) % Math.max(1, pool.length - 1_024);
    return pool.slice(start, start + 1_024);
  });
  const decide = (i) => route(policy, { task_id: "t", input: { body: texts[i % texts.length] }, context_registry: [] });
  for (let i = 0; i < SPEED_TEXTS; i++) decide(i);
  const before = process.cpuUsage();
  for (let i = 0; i < SPEED_TEXTS; i++) decide(i);
  const used = process.cpuUsage(before);
  return Math.round(SPEED_TEXTS / ((used.user + used.system) / 1e6));
}

// ------------------------------------------------------------------------------------------------------------- intake

/** The seam to intake: null while that stage is not built. `judge` answers with what is scored and nothing else. */
async function loadIntake() {
  if (!existsSync(builtPath("mind/intake/intake.js")) || !existsSync(join(root, "policy/intake.yaml"))) return null;
  const { intake } = await import(builtPath("mind/intake/intake.js"));
  const { IntakePolicy } = await import(builtPath("model/intake-policy.js"));
  const { readHarmModel } = await import(builtPath("app/learned/harm-model.js"));
  const policy = IntakePolicy.parse(readYaml("policy/intake.yaml"));
  const harm = await readHarmModel();
  return {
    judge(text, number) {
      const request_id = `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
      const request = { request_id, timestamp: "2026-01-01T00:00:00Z", user_request: text };
      const decision = intake(policy, request, undefined, { harm });
      return {
        refusedAsUnsafe: decision.decision === "rejected" && decision.safety_category !== null,
        projectType: decision.project_type?.type ?? null,
      };
    },
  };
}

function scoreSafety(intake, rows) {
  const unsafe = rows.filter((row) => row.expected_decision === "reject");
  const benign = rows.filter((row) => row.expected_decision === "accept");
  const listRefused = (list) => list.filter((row, i) => intake.judge(row.text, i).refusedAsUnsafe);
  return {
    unsafe: unsafe.length,
    benign: benign.length,
    recall: ratio(listRefused(unsafe).length, unsafe.length),
    falseRefusals: ratio(listRefused(benign).length, benign.length),
  };
}

function scoreTypes(intake, rows) {
  const evident = rows.filter((row) => row.type_evident_in_text === true);
  const right = evident.filter((row, i) => intake.judge(row.text, i).projectType === row.project_type);
  const falsely = rows.filter((row, i) => intake.judge(row.text, i).refusedAsUnsafe);
  return {
    evident: evident.length,
    accuracy: ratio(right.length, evident.length),
    refused: falsely.length,
    rows: rows.length,
  };
}

// --------------------------------------------------------------------------------------------------------------- ADRs

const sameName = (a, b) => nameForm(a) === nameForm(b);
/** "0021-some-title" and "21" are one record. */
const nameForm = (name) =>
  name === null || /^\d{4}-\d{2}-\d{2}/.test(name) ? name : (/^0*(\d+)(?:\D.*)?$/.exec(name)?.[1] ?? name);
const sameTitle = (a, b) => [...wordsOf(a)].join(" ") === [...wordsOf(b)].join(" ");

class Overlap {
  hits = 0;
  expected = 0;
  found = 0;
  add(expected, found) {
    this.hits += countPairs(expected, found);
    this.expected += expected.length;
    this.found += found.length;
  }
  get precision() {
    return ratio(this.hits, this.found);
  }
  get recall() {
    return ratio(this.hits, this.expected);
  }
  get f1() {
    return ratio(2 * this.hits, this.found + this.expected);
  }
}

async function scoreAdrs(rows) {
  const { parseAdr } = await import(builtPath("mind/adr/parse-adr.js"));
  const { breakDown } = await import(builtPath("mind/adr/break-down.js"));
  const right = { status: 0, id: 0, title: 0, supersededBy: 0 };
  const [tasks, related, consequences] = [new Overlap(), new Overlap(), new Overlap()];
  const wrong = [];
  for (const { id, file, path, expected } of rows) {
    const adr = parseAdr(readFileSync(join(shared, "adr", file), "utf8"), path);
    const { tasks: given } = breakDown(adr, adrModel);
    const holds = {
      status: adr.status === expected.status,
      id: sameName(adr.id, expected.adr_id),
      title: sameTitle(adr.title, expected.title ?? ""),
      supersededBy: sameName(adr.supersededBy, expected.superseded_by),
    };
    for (const [part, held] of Object.entries(holds)) {
      if (held) right[part]++;
      else wrong.push(`${id} ${part}`);
    }
    const before = tasks.hits;
    tasks.add(
      expected.tasks,
      given.map(({ description }) => description.split("\n")[0]),
    );
    if (tasks.hits - before !== expected.tasks.length || given.length !== expected.tasks.length)
      wrong.push(`${id} tasks ${tasks.hits - before} of ${expected.tasks.length}, ${given.length} given`);
    related.add(expected.related_adrs.map(nameForm), adr.related);
    consequences.add(
      expected.consequences,
      adr.consequences.map(({ text }) => text),
    );
  }
  return { rows: rows.length, right, tasks, related, consequences, wrong };
}

/** Cut anywhere and mixed with each other, no file may stop the reader. */
async function countCrashes(files) {
  const { parseAdr } = await import(builtPath("mind/adr/parse-adr.js"));
  const { breakDown } = await import(builtPath("mind/adr/break-down.js"));
  let crashes = 0;
  for (const [at, file] of files.entries()) {
    const text = readFileSync(join(shared, "adr", file), "utf8");
    const other = readFileSync(join(shared, "adr", files[(at * 7 + 3) % files.length]), "utf8");
    const cut = (at * 7_919) % Math.max(1, text.length);
    for (const variant of [text, text.slice(0, cut), text.slice(cut), text.slice(0, cut) + other.slice(cut)]) {
      try {
        breakDown(parseAdr(variant, file), adrModel);
      } catch {
        crashes++;
      }
    }
  }
  return crashes;
}

// ------------------------------------------------------------------------------------------------------------- report

const ROUTING_HEAD = `| requests | dev precision | dev recall | accuracy, sure labels | macro-F1 |
| --- | --: | --: | --: | --: |`;

const routingRow = (name, { rows, precision, recall, accuracy, macroF1 }) =>
  `| ${name} (${rows}) | ${[precision, recall, accuracy, macroF1].map(percent).join(" | ")} |`;

function intakeSection(safety, types) {
  const lines = ["", "## Intake", "", "| figure | value | target |", "| --- | --- | --- |"];
  if (safety !== null) {
    lines.push(`| unsafe requests refused (${safety.unsafe}) | ${percent(safety.recall)} | ≥ 0.95 |`);
    lines.push(
      `| benign requests refused (${safety.benign}, chosen to sound alike) | ${percent(safety.falseRefusals)} | ≤ 0.03 |`,
    );
  }
  if (types !== null) {
    lines.push(`| ordinary requests refused as unsafe | ${types.refused} of ${types.rows} | ≤ 0.03 |`);
    lines.push(`| project type, where evident (${types.evident}) | ${percent(types.accuracy)} | ≥ 0.80 |`);
  }
  return `${lines.join("\n")}\n`;
}

const ADR_PROVISO = `Records of many repositories, read as \`coordinator adr check\` reads them and compared with what a person read. Texts count as the same
when they share 70 % of their words. Tasks are those the record asks for, whether or not its status lets them be queued.`;

function adrSection(score, files, crashes) {
  const { rows, right, tasks, related, consequences } = score;
  const overlap = (name, { precision, recall, f1 }, target) =>
    `| ${name}: precision, recall, F1 | ${percent(precision)}, ${percent(recall)}, ${percent(f1)} | ${target} |`;
  return `${[
    "## ADRs",
    "",
    ADR_PROVISO,
    "",
    "| figure | value | target |",
    "| --- | --- | --- |",
    `| status (${rows}) | ${percent(ratio(right.status, rows))} | ≥ 0.97 |`,
    `| id | ${percent(ratio(right.id, rows))} | ≥ 0.95 |`,
    `| title | ${percent(ratio(right.title, rows))} | ≥ 0.95 |`,
    `| superseded by | ${percent(ratio(right.supersededBy, rows))} | |`,
    overlap(`tasks (${tasks.expected})`, tasks, "F1 ≥ 0.80"),
    overlap(`related records (${related.expected})`, related, ""),
    overlap(`consequences (${consequences.expected})`, consequences, ""),
    `| crashes, each of ${files} files whole, cut and mixed | ${crashes} | 0 |`,
  ].join("\n")}\n`;
}

const METHOD = `# Evaluation

Written by \`npm run eval -- --folds\`; do not edit.

How right is the front door about texts nobody has seen? The first tables answer that, as far as labelled texts can; what follows them says how, and what they do not
say. Figures of known data stand at the end: they guard against regressions and say nothing about new texts.
`;

const KNOWN = `# Known data

Texts that the weights were fitted to, or that somebody read while writing rules.
`;

const policy = await loadPolicy();
const intake = await loadIntake();
const fixtureFolder = join(root, "test", "eval-fixtures");
const sections = [METHOD, await setAsideSection(), await foldsSection(), KNOWN, "## Routing\n", ROUTING_HEAD];
const show = (name, score) => {
  console.log(
    `${name}: ${score.rows} requests, dev precision ${percent(score.precision)}, dev recall ${percent(score.recall)}, ` +
      `route accuracy ${percent(score.accuracy)}, macro-F1 ${percent(score.macroF1)}`,
  );
  console.table(score.matrix);
  if (score.wrong.length > 0) console.log(`  category differs: ${score.wrong.join(", ")}`);
  sections.push(routingRow(name, score));
};

let speedRows = [];
for (const file of readdirSync(fixtureFolder)
  .filter((name) => name.endsWith(".jsonl"))
  .sort()) {
  const rows = readLines(join(fixtureFolder, file)).filter((row) => CATEGORIES.includes(row.category));
  if (rows.length === 0) continue;
  speedRows = speedRows.concat(rows);
  show(`Own fixtures: ${file}`, scoreRouting(policy, rows));
}
const requests = existsSync(join(shared, "requests.jsonl")) ? readLines(join(shared, "requests.jsonl")) : [];
if (requests.length > 0) show("Shared set", scoreRouting(policy, requests));
const second = existsSync(join(shared, "requests-2.jsonl")) ? readLines(join(shared, "requests-2.jsonl")) : [];
if (second.length > 0) show("Second shared set", scoreRouting(policy, second));
else console.log("The shared set is not here; only the project's own fixtures were scored.");

const speed = measureSpeed(policy, speedRows);
console.log(`Speed: ${speed} decisions per second of one core, texts of 1 KB (target 5000)`);

if (intake !== null && requests.length > 0) {
  const safetyPath = join(shared, "safety.jsonl");
  const safety = existsSync(safetyPath) ? scoreSafety(intake, readLines(safetyPath)) : null;
  const types = scoreTypes(intake, requests);
  if (safety !== null)
    console.log(`Intake: unsafe refused ${percent(safety.recall)}, benign refused ${percent(safety.falseRefusals)}`);
  console.log(
    `Intake: project type ${percent(types.accuracy)} of ${types.evident}, ordinary requests refused ${types.refused}`,
  );
  sections.push(intakeSection(safety, types));
}
const expectedAdrs = join(shared, "adr", "adr_expected.jsonl");
if (existsSync(expectedAdrs)) {
  const score = await scoreAdrs(readLines(expectedAdrs));
  const files = readLines(join(shared, "adr", "adr_index.jsonl")).map((row) => row.file);
  const crashes = await countCrashes(files);
  const { right, rows, tasks, related, consequences } = score;
  console.log(
    `ADRs: ${rows}, status ${right.status}, id ${right.id}, title ${right.title}, superseded by ${right.supersededBy}, ` +
      `tasks F1 ${percent(tasks.f1)} (P ${percent(tasks.precision)}, R ${percent(tasks.recall)}), related F1 ` +
      `${percent(related.f1)}, consequences F1 ${percent(consequences.f1)}, crashes ${crashes} of ${files.length} files`,
  );
  if (score.wrong.length > 0) console.log(`  differs: ${score.wrong.join("; ")}`);
  sections.push(adrSection(score, files.length, crashes));
}
sections.push(
  "## Speed\n\nTarget: 5,000 routing decisions per second of one core for texts of 1 KB. `npm run eval` prints the figure of\n" +
    "the machine it runs on; it is not written here, so that the file changes only when a decision does.\n",
);
// Without the shared set the report would only lose figures.
if (requests.length > 0) writeFileSync(join(root, "docs", "evaluation.md"), sections.join("\n"));
