// Harm often stands as one sentence among honest work. Each short text of the project is learnt from a second and third time between
// ordinary requests, harmful and benign ones alike, so that honest words around it neither hide nor make harm.
import { sha256 } from "./folds.mjs";

const CORES = /^safety-(?:voices|tickets|registers|clerks|languages|gate-\d|new|pairs|authors)\.jsonl$/;
/** Ordinary requests that no part of the figures of safety is made of. */
const HONEST = ["requests.jsonl", "routing.jsonl"];
const MOST_CORE = 300;
const MOST_HONEST = 500;
const TIMES = 2;
const WEIGHT = 0.5;

/** One more set. A mixed text belongs to the author of its core; what is chosen depends on names alone. */
export function mixedRows(sets) {
  const rows = sets.flatMap((set) => set.rows);
  const honest = new Map();
  for (const row of rows.filter(({ set, text }) => HONEST.includes(set) && text.length < MOST_HONEST))
    honest.set(row.language, [...(honest.get(row.language) ?? []), row.text.trim()]);
  const mixed = rows
    .filter(({ set, text, truth }) => CORES.test(set) && truth !== "dual_use" && text.length <= MOST_CORE)
    .filter(({ language }) => honest.has(language))
    .flatMap((row) => Array.from({ length: TIMES }, (_, at) => mix(row, honest.get(row.language), at)));
  return { name: "mixed", sha256: sha256(mixed.map(({ text }) => sha256(text)).join("")), rows: mixed };
}

function mix(row, honest, at) {
  const draw = Number.parseInt(sha256(`${row.set}:${row.id}:${at}`).slice(0, 8), 16);
  const one = honest[draw % honest.length];
  const other = honest[Math.floor(draw / 7) % honest.length];
  const parts = draw % 2 === 0 ? [one, row.text.trim()] : [one, row.text.trim(), other];
  if (Math.floor(draw / 2) % 3 === 0) parts.push(parts.shift());
  const text = parts.map((part) => endSentence(part, row.language)).join(" ");
  return { ...row, id: `${row.set}:${row.id}:${at}`, set: "mixed", text, weight: WEIGHT };
}

const endSentence = (text, language) =>
  /[.!?。]$/.test(text) ? text : `${text}${["zh", "ja"].includes(language) ? "。" : "."}`;
