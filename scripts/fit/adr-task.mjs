// The learning of reading decision records: whether a sentence, an entry or a row asks for work (docs/labels/adr.md).
//
// Records: those beside the project (../shared/eval/adr and adr-2), when they are there; and public ones, labelled in
// docs/labels/adr-public.jsonl, whose texts are looked for in the folder COORDINATOR_ADR_RECORDS (beside the project:
// adr-records) under the name of their SHA-256.
import { likeness } from "../eval/likeness.mjs";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseAdr } from "../../dist/mind/adr/parse-adr.js";
import { weigh } from "../../dist/mind/adr/task-features.js";
import { speakingUnits } from "../../dist/mind/adr/units.js";
import { correctionRows, ownerOf, readSet, root, shared } from "./data.mjs";
import { sha256 } from "./folds.mjs";

const form = { bits: 16, words: 2, characters: [3, 4] };
/** Where even the labeller was not sure. */
const MEDIUM = 0.7;
/** The first set was labelled with lists in view and leaves out most prose. */
const FIRST_SET = 0.7;
const PUBLIC = 0.8;

export default {
  name: "adr",
  classes: ["task"],
  guideline: "docs/labels/adr.md",
  form,
  scales: { words: 2, characters: 0.5, signs: 0.3 },
  l2: 1,
  load: ({ corrections } = {}) => [
    ...loadRecords().map(({ name, sha256: hash, records }) => ({ name, sha256: hash, rows: records.flatMap(rowsOf) })),
    ...(corrections === undefined ? [] : [correctedRows(corrections)]),
  ],
  features: ({ features }) => features,
};

/** All labelled records: `{ name, sha256, records: [{ id, set, owner, path, text, expected, confidence, isTask }] }`. */
export function loadRecords() {
  return [besideSet("adr", FIRST_SET), besideSet("adr-2", 1), publicSet()].filter((set) => set !== null);
}

/** Tasks that people took out of a record, put into it or reworded, each as the one entry of its section. */
const correctedRows = (path) =>
  correctionRows(path, ["task"], ({ text: words, section, chosen }) => {
    const text = `# Record\n\n## ${section || "Tasks"}\n\n- ${chosen.text ?? words}\n`;
    const [unit] = weighUnits({ text, path: "0001-record.md", tasksOf: () => new Set() });
    if (unit === undefined) throw new Error(`a correction in ${path} is not an entry of a record: ${words}`);
    return { record: null, label: chosen.category === "task" ? "task" : "none", features: unit.features };
  });

function besideSet(name, weight) {
  const folder = join(shared, name);
  const set = readSet(name, join(folder, "adr_expected.jsonl"));
  if (set === null) return null;
  const records = set.entries.map((entry) => {
    const text = readFileSync(join(folder, entry.file), "utf8");
    const asked = [...entry.expected.tasks, ...(entry.expected.tasks_not_scheduled ?? [])];
    const over = ["rejected", "superseded", "deprecated"].includes(entry.expected.status);
    return {
      id: entry.id,
      set: name,
      owner: ownerOf(entry.repo),
      path: entry.path,
      text,
      expected: entry.expected,
      confidence: entry.label_confidence,
      weight: (entry.label_confidence === "medium" ? MEDIUM : 1) * weight,
      // The tasks of a record that is over are labelled in some only.
      known: !over || asked.length > 0,
      tasksOf: (units) => alignTexts(units, asked),
    };
  });
  return { name, sha256: sha256(records.map(({ text }) => sha256(text)).join("") + set.sha256), records };
}

function publicSet() {
  const set = readSet("adr-public", join(root, "docs", "labels", "adr-public.jsonl"));
  const folder = process.env.COORDINATOR_ADR_RECORDS ?? join(dirname(root), "adr-records");
  if (set === null || !existsSync(folder)) return null;
  const records = set.entries.flatMap((entry) => {
    const file = join(folder, entry.sha256);
    if (!existsSync(file)) return [];
    const text = readFileSync(file, "utf8");
    if (sha256(text) !== entry.sha256) throw new Error(`${file} is not the text that was labelled`);
    return [
      {
        id: `${entry.repo}/${entry.path}`,
        set: "adr-public",
        owner: ownerOf(entry.repo),
        path: entry.path,
        text,
        expected: null,
        confidence: entry.label_confidence,
        weight: (entry.label_confidence === "medium" ? MEDIUM : 1) * PUBLIC,
        known: true,
        tasksOf: (units) => findPlaces(units, entry.tasks),
      },
    ];
  });
  return records.length === 0 ? null : { name: "adr-public", sha256: set.sha256, records };
}

function rowsOf(record) {
  const { id, owner, weight, known } = record;
  if (!known) return [];
  return weighUnits(record).map(({ features, task }, at) => ({
    id: `${id}#${at}`,
    // A record is scored as a whole, by its first unit.
    record: at === 0 ? record : null,
    group: owner,
    label: task ? "task" : "none",
    weight,
    features,
  }));
}

/** The units of a record with their features, and which of them are tasks. */
export function weighUnits({ text, path, tasksOf }) {
  const adr = parseAdr(text, path);
  const units = speakingUnits(adr.sections);
  const tasks = tasksOf(units);
  return weigh(form, { ...adr, units }).map(({ features }, at) => ({ features, task: tasks.has(at), unit: units[at] }));
}

/** Tasks by their line, and their place among the units of that line. */
function findPlaces(units, tasks) {
  const found = new Set();
  for (const [line, place] of tasks) {
    const at = units.findIndex(
      (unit, i) => unit.line === line && units.slice(0, i).filter((u) => u.line === line).length === place,
    );
    if (at !== -1) found.add(at);
  }
  return found;
}

/** Each expected text belongs to the unit that is most alike; every unit is used once. */
function alignTexts(units, texts) {
  const found = new Set();
  for (const text of texts) {
    let best = { at: -1, like: 0.7 };
    for (const [at, unit] of units.entries()) {
      const like = found.has(at) ? 0 : likeness(text, unit.text);
      if (like >= best.like && (like > best.like || best.at === -1)) best = { at, like };
    }
    if (best.at !== -1) found.add(best.at);
  }
  return found;
}
