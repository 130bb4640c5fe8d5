// `npm run mutants -- [--only S0] [--id S3-066] [--limit N] [--jobs N] [--json]`: changes one line of the source at a
// time, in a copy, and runs the tests that cite the behaviour which is gone by it. docs/mutants.md tells more.
import { parseArgs } from "node:util";
import { runnerImport } from "vite";
import { makeCopy } from "./mutants/copy.mjs";
import { judge, measureBaseline } from "./mutants/judge.mjs";
import { stopTests } from "./mutants/run-tests.mjs";
import { root } from "./steps.mjs";

const USAGE = "Usage: npm run mutants -- [--only S0] [--id S3-066] [--limit N] [--jobs N] [--json]";
const GOAL = 0.97;

const { mutants, citations } = await readTables();
await main(readArguments());

async function readTables() {
  const { module: table } = await runnerImport(`${root}test/mutants/mutants.ts`);
  const { module: cited } = await runnerImport(`${root}test/scenarios/cited-tests.ts`);
  return { mutants: table.mutants, citations: cited.citationsUnder(root) };
}

function readArguments() {
  try {
    const { only, id, limit, jobs, json } = parseArgs({
      options: {
        only: { type: "string" },
        id: { type: "string", multiple: true },
        limit: { type: "string" },
        jobs: { type: "string" },
        json: { type: "boolean" },
      },
    }).values;
    const most = numberIn("limit", limit, Infinity);
    const chosen = mutants
      .filter(({ ids }) => only === undefined || ids.some((each) => each.startsWith(`${only}-`)))
      .filter(({ ids }) => id === undefined || ids.some((each) => id.includes(each)))
      .slice(0, most);
    const copies = numberIn("jobs", jobs, 1);
    if (chosen.length === 0) throw new Error("No row of the table (test/mutants) has such an id.");
    return { chosen, jobs: Math.min(copies, chosen.length), json: json === true };
  } catch (error) {
    console.error(`${error.message}\n${USAGE}`);
    process.exit(2);
  }
}

function numberIn(option, text, otherwise) {
  if (text === undefined) return otherwise;
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${option} takes a number from 1, not "${text}".`);
  return Number(text);
}

async function main({ chosen, jobs, json }) {
  const say = json ? console.error : console.log;
  const copies = [];
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stopMutants(copies));
  try {
    for (let job = 0; job < jobs; job++) copies.push(await makeCopy());
    say(`The tests cited by ${chosen.length} ${chosen.length === 1 ? "mutant" : "mutants"}, without a change:`);
    const baseline = await measureBaseline(copies[0], chosen, citations);
    say(baseline.problem === undefined ? "  all pass\n" : `  not all pass:\n${baseline.problem}\n`);
    const results = await judgeAll(copies, chosen, baseline, say);
    report(results, say);
    if (json) console.log(JSON.stringify(results, null, 2));
  } finally {
    for (const copy of copies) copy.remove();
  }
}

function stopMutants(copies) {
  stopTests();
  for (const copy of copies) copy.remove();
  process.exit(130);
}

/** Each copy takes the next mutant that nobody has taken. Results have the order of the table. */
async function judgeAll(copies, chosen, baseline, say) {
  const results = [];
  const waiting = chosen.entries();
  await Promise.all(
    copies.map(async (copy) => {
      for (const [at, mutant] of waiting) {
        const result = { ...mutant, ...(await judge(copy, mutant, citations, baseline)) };
        results[at] = result;
        say(line(result));
      }
    }),
  );
  return results;
}

function line({ outcome, ids, file, what, by, why }) {
  return `${outcome.padEnd(12)} ${ids.join(" ")} ${file}: ${what}${by || why ? ` (${by ?? why})` : ""}`;
}

function report(results, say) {
  const count = (outcome) => results.filter((result) => result.outcome === outcome).length;
  const [killed, survived] = [count("killed"), count("survived")];
  const share = killed + survived === 0 ? 0 : killed / (killed + survived);
  say(
    `\n${results.length} ${results.length === 1 ? "mutant" : "mutants"}: ${killed} killed, ${survived} survived, ${count("invalid")} invalid, ` +
      `${count("not measured")} not measured. Killed of those judged: ${(share * 100).toFixed(1)} %, goal ${GOAL * 100} %.`,
  );
  if (share < GOAL) process.exitCode = 1;
}
