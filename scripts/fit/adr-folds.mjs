// How well records nobody has seen are read: fitted without one part of the owners at a time, scored on that part. The whole
// reader is scored, rules and weights together, as `coordinator adr check` would answer.
import { breakDown } from "../../dist/mind/adr/break-down.js";
import { parseAdr } from "../../dist/mind/adr/parse-adr.js";
import { countPairs } from "../eval/likeness.mjs";
import task, { loadRecords, weighUnits } from "./adr-task.mjs";
import { foldsOf } from "./folds.mjs";
import { fitModel, prepare, toModel } from "./model.mjs";

const FOLDS = 8;

/** For each set and confidence: what was expected, found and both, and for each fold its F1. */
export function scoreAdrFolds(seed = "") {
  const sets = loadRecords();
  const records = sets.flatMap((set) => set.records);
  const folds = foldsOf(
    records.map((record) => ({ row: { group: record.owner } })),
    FOLDS,
    seed,
  );
  const results = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    const train = new Set(records.filter((_, i) => folds[i] !== fold).map(({ id }) => id));
    const rows = task.load().flatMap((set) => set.rows.filter(({ id }) => train.has(id.slice(0, id.lastIndexOf("#")))));
    const model = toModel(fitModel(task, prepare(task, rows), []));
    for (const record of records.filter((_, i) => folds[i] === fold)) results.push({ fold, ...readOne(record, model) });
  }
  return results;
}

/** From a row to what was read of its record; null for all but its first unit. */
export const decider = (model) => (row) => (row.record === null ? null : readOne(row.record, model));

const ofSet = (set, confidence) => (decided) =>
  decided.filter(
    ({ decision }) =>
      decision !== null && decision.set === set && (confidence === undefined || decision.confidence === confidence),
  );

export const PARTS = [
  { name: "records, first set", of: ofSet("adr"), goals: { "tasks F1": 0.8 } },
  { name: "records, second set", of: ofSet("adr-2"), goals: { "tasks F1": 0.72, "none where none is asked": 0.94 } },
  { name: "the same, labels of high confidence", of: ofSet("adr-2", "high"), goals: { "tasks F1": 0.82 } },
  { name: "public records", of: ofSet("adr-public"), goals: {} },
];

export function score(decided) {
  const { precision, recall, f1, silent, silentRight } = summarise(
    decided.map(({ decision, fold }) => ({ ...decision, fold })),
  );
  return {
    "tasks precision": precision,
    "tasks recall": recall,
    "tasks F1": f1,
    "none where none is asked": silent === 0 ? Number.NaN : silentRight / silent,
  };
}

/** The labelled and the found tasks of one record. */
export function readOne(record, model) {
  const adr = parseAdr(record.text, record.path);
  const found = breakDown(adr, model).tasks.map(({ description }) => description.split("\n")[0]);
  const expected = record.expected === null ? labelsOf(record, adr) : record.expected.tasks;
  return {
    id: record.id,
    set: record.set,
    confidence: record.confidence,
    status: adr.status,
    expected: expected.length,
    found: found.length,
    hits: countPairs(expected, found),
  };
}

function labelsOf(record, { status, partly }) {
  const over = status === "rejected" || status === "deprecated" || (status === "superseded" && !partly);
  return over ? [] : weighUnits(record).flatMap(({ unit, task: is }) => (is ? [unit.text] : []));
}

/** Precision, recall, F1; how many accepted records that ask for nothing give nothing; the F1 of each fold. */
export function summarise(results) {
  const sum = (rows, key) => rows.reduce((total, row) => total + row[key], 0);
  const f1 = (rows) => (2 * sum(rows, "hits")) / Math.max(1, sum(rows, "found") + sum(rows, "expected"));
  const silent = results.filter(({ status, expected }) => status === "accepted" && expected === 0);
  const folds = [...new Set(results.map(({ fold }) => fold))].map((fold) => results.filter((row) => row.fold === fold));
  const each = folds.filter((rows) => sum(rows, "expected") > 0).map(f1);
  const mean = each.reduce((total, value) => total + value, 0) / Math.max(1, each.length);
  return {
    records: results.length,
    tasks: sum(results, "expected"),
    precision: sum(results, "hits") / Math.max(1, sum(results, "found")),
    recall: sum(results, "hits") / Math.max(1, sum(results, "expected")),
    f1: f1(results),
    spread: Math.sqrt(each.reduce((total, value) => total + (value - mean) ** 2, 0) / Math.max(1, each.length)),
    silent: silent.length,
    silentRight: silent.filter(({ found }) => found === 0).length,
  };
}

if (process.argv[1]?.endsWith("adr-folds.mjs")) {
  const results = scoreAdrFolds(process.argv[2] ?? "");
  const show = (name, rows) => {
    const { records, tasks, precision, recall, f1, spread, silent, silentRight } = summarise(rows);
    const figures = [precision, recall, f1, spread].map((value) => value.toFixed(3)).join(" · ");
    console.log(
      `${name}: ${records} records, ${tasks} tasks; P · R · F1 · spread ${figures}; none given by ${silentRight} of ${silent}`,
    );
  };
  for (const set of ["adr", "adr-2", "adr-public"])
    for (const confidence of ["", "high", "medium"])
      show(
        `${set} ${confidence}`,
        results.filter((row) => row.set === set && (confidence === "" || row.confidence === confidence)),
      );
}
