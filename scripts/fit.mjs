// `npm run fit [-- routing|safety|adr …] [--check] [--anew] [--texts=DIR] [--corrections=FILE]`: fits the learned layer to the labelled texts
// and writes policy/learned/NAME.json. Equal texts give an equal file, bit by bit; the file names the hash of each set.
// Where scripts/fit/before has weights, the project's own texts are fitted on top of them (scripts/fit/on-top.mjs); with --anew, and for
// the other tasks, weights come from all texts that are at hand. With --check nothing is written: exit 1 when the file differs from
// what the texts give.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isOwn, root } from "./fit/data.mjs";
import { fitModel, prepare } from "./fit/model.mjs";
import { hasBefore, readBefore } from "./fit/on-top.mjs";

const TASKS = ["routing", "safety", "adr"].filter((name) => existsSync(join(root, "scripts", "fit", `${name}.mjs`)));

/** Where texts come from that are not part of the project. */
const WHERE = {
  "commits.jsonl": " (--texts=DIR; scripts/fit/commit-texts.mjs reads them from clones)",
  "routing-public.jsonl": " (--texts=DIR; docs/labels/routing-public.jsonl has their addresses and hashes)",
  "adr-public": " (COORDINATOR_ADR_RECORDS; docs/labels/adr-public.jsonl has their addresses and hashes)",
  adr: " (COORDINATOR_EVAL_DATA)",
  "adr-2": " (COORDINATOR_EVAL_DATA)",
};

const option = (name) => process.argv.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
const more = { texts: option("texts"), corrections: option("corrections") };
const given = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
const unknown = given.filter((name) => !TASKS.includes(name));
if (unknown.length > 0) {
  console.error(`there is nothing to fit called ${unknown.join(", ")}: it is one of ${TASKS.join(", ")}`);
  process.exit(2);
}
/** The sets that the shipped weights were fitted to and that are not here, or not the same. */
function missingOf(name, data) {
  const path = join(root, "policy", "learned", `${name}.json`);
  if (!existsSync(path)) return [];
  return JSON.parse(readFileSync(path, "utf8")).data.flatMap((set) => {
    const here = data.find((one) => one.name === set.name);
    if (here?.sha256 === set.sha256 && here.rows === set.rows) return [];
    return [`${set.name}: ${set.rows} rows before, ${here?.rows ?? "none"} now${WHERE[set.name] ?? ""}`];
  });
}

/** Weights from all texts that are at hand, with a word about those that are not. */
function fitAnew(name, task, sets) {
  const data = sets.map(dataOf);
  const missing = missingOf(name, data);
  if (missing.length > 0) {
    console.log(
      `${name}: not all texts are here, so other weights than the shipped ones come out. Missing or other than before:`,
    );
    for (const one of missing) console.log(`  ${one}`);
  }
  return fitModel(task, prepare(task, rowsOf(sets)), data);
}

function fitOnTop(name, task, sets) {
  const before = readBefore(name, sets);
  const kept = before.file.data.filter((set) => !sets.some((one) => one.name === set.name));
  return fitModel(task, prepare(task, rowsOf(sets)), [...kept, ...sets.map(dataOf)], before);
}

const dataOf = ({ name, rows, sha256 }) => ({ name, rows: rows.length, sha256 });
const rowsOf = (sets) => sets.flatMap(({ rows }) => rows);

for (const name of given.length > 0 ? given : TASKS) {
  const { default: task } = await import(`./fit/${name}.mjs`);
  const onTop = hasBefore(name) && !process.argv.includes("--anew");
  // Texts of others would make the result depend on what lies beside the project.
  const sets = onTop ? task.load({ corrections: more.corrections }).filter(isOwn) : task.load(more);
  const file = onTop ? fitOnTop(name, task, sets) : fitAnew(name, task, sets);
  const path = join(root, "policy", "learned", `${name}.json`);
  const text = `${JSON.stringify(file)}\n`;
  const same = existsSync(path) && readFileSync(path, "utf8") === text;
  if (!process.argv.includes("--check")) writeFileSync(path, text);
  else if (!same) process.exitCode = 1;
  console.log(
    `${name}: ${rowsOf(sets).length} rows of ${sets.map((set) => set.name).join(", ")}${onTop ? " on top of earlier weights" : ""}; ` +
      `${text.length} bytes, ${same ? "unchanged" : "changed"}`,
  );
}
