// From labelled rows to a model: fitted, rounded to whole numbers, and its scores given a meaning.
//
// A task (scripts/fit/routing.mjs and its siblings) says what is learnt:
//   name, classes, guideline
//   form     what of a text is read (FeatureForm of src/foundation/learned/features.ts)
//   scales   how freely words, parts of words and signs may weigh: { words, characters, signs }
//   l2       how strongly weights are drawn towards 0
//   load()   [{ name, sha256, rows: [{ id, group, label, weight, … }] }]; rows of one group stay together in folds;
//            `open`: classes of which the label of a row says nothing
//   features(row)  its Features
import { Buffer } from "node:buffer";
import { judge } from "../../dist/foundation/learned/judge-text.js";
import { modelOf } from "../../dist/foundation/learned/model.js";
import { log, sigmoid } from "./arithmetic.mjs";
import { foldsOf } from "./folds.mjs";
import { aimsOnTop, earlierWeights } from "./on-top.mjs";
import { fitLogistic } from "./regression.mjs";

const UNIT = 16;
const FOLDS = 4;

/** The features of each row, computed once: `{ row, features }`. */
export function prepare(task, rows) {
  return rows.map((row) => ({ row, features: task.features(row) }));
}

/**
 * The whole file: weights from all rows, chances from scores of rows that were left out in turn. On top of earlier weights
 * (scripts/fit/on-top.mjs) the chances stay theirs.
 */
export function fitModel(task, prepared, data, before = null) {
  const file = { ...fitWeights(task, prepared, before), data };
  if (before !== null) return { ...file, chances: before.file.chances };
  return { ...file, chances: chancesOf(task, prepared) };
}

/** Fit without one fold at a time, and give each row the scores of the model that has not seen it. */
export function scoresLeftOut(task, prepared, folds = foldsOf(prepared, FOLDS)) {
  const scores = Array.from({ length: prepared.length });
  const all = Math.max(...folds) + 1;
  for (let fold = 0; fold < all; fold++) {
    const model = toModel(
      fitWeights(
        task,
        prepared.filter((_, i) => folds[i] !== fold),
      ),
    );
    for (let i = 0; i < prepared.length; i++)
      if (folds[i] === fold) scores[i] = judge(model, prepared[i].features).scores;
  }
  return scores;
}

export function toModel(file) {
  return modelOf(file, Buffer.from(file.weights, "base64"));
}

function fitWeights({ name, classes, guideline, form, scales, l2 }, prepared, before = null) {
  const scaleOf = [scales.words, scales.characters, scales.signs];
  // Only features that occur are fitted; the others weigh 0.
  const placeOf = new Map();
  const scaleAt = [];
  const rows = prepared.map(({ row, forget, features: { buckets, groups, sizes, count } }) => {
    const places = new Int32Array(count);
    const values = new Float64Array(count);
    buckets.subarray(0, count).forEach((bucket, i) => {
      let place = placeOf.get(bucket);
      if (place === undefined) {
        place = placeOf.size;
        placeOf.set(bucket, place);
        scaleAt.push(scaleOf[groups[i]]);
      }
      places[i] = place;
      values[i] = groups[i] === 2 ? scaleOf[2] : scaleOf[groups[i]] / Math.sqrt(sizes[groups[i]]);
    });
    return { row, forget, places, values, weight: row.weight ?? 1 };
  });
  const fitted = classes.map((label, k) => {
    const known = rows.filter(({ row }) => says(row, label));
    const isOfClass = (row) => row.label === label;
    if (before !== null) {
      const at = earlierWeights(before, k, placeOf, scaleAt);
      const aims = aimsOnTop(before, at, known, isOfClass);
      return fitLogistic(aims.rows, placeOf.size, l2, aims.before);
    }
    const aimed = known.map((one) => ({ ...one, target: isOfClass(one.row) ? 1 : 0 }));
    return fitLogistic(aimed, placeOf.size, l2);
  });
  return quantise({ name, classes, guideline, form }, fitted, placeOf, scaleAt, before?.file);
}

/** One unit for all classes, so that their scores can be compared: as fine as 16 bits allow, at most 1/2048. */
function quantise({ name, classes, guideline, form }, fitted, placeOf, scaleAt, earlier) {
  let most = earlier === undefined ? 16 : 32_767 / earlier.units;
  for (const weights of fitted)
    scaleAt.forEach((scale, place) => (most = Math.max(most, Math.abs(weights[place] * scale))));
  // Earlier weights that no text at hand speaks of stay as they were.
  const units = earlier !== undefined && most * earlier.units < 32_768 ? earlier.units : Math.floor(32_767 / most);
  const bytes =
    earlier === undefined
      ? Buffer.alloc(2 * (classes.length << form.bits))
      : rescale(Buffer.from(earlier.weights, "base64"), units / earlier.units);
  for (const [bucket, place] of placeOf)
    classes.forEach((_, k) =>
      bytes.writeInt16LE(Math.round(fitted[k][place] * scaleAt[place] * units), 2 * (bucket * classes.length + k)),
    );
  return {
    format: 1,
    model: name,
    form,
    classes,
    guideline,
    data: [],
    units,
    bias: fitted.map((weights) => Math.round(weights[placeOf.size] * units * UNIT)),
    chances: classes.map(() => Array.from({ length: 99 }, (_, i) => i)),
    weights: bytes.toString("base64"),
  };
}

function rescale(bytes, ratio) {
  for (let at = 0; at < bytes.length; at += 2) bytes.writeInt16LE(Math.round(bytes.readInt16LE(at) * ratio), at);
  return bytes;
}

/** For each class the least score that stands for 1, 2, … 99 of 100, from scores of rows the model had not seen. */
function chancesOf(task, prepared) {
  const scores = scoresLeftOut(task, prepared);
  return task.classes.map((label, k) => {
    const known = prepared.flatMap(({ row }, i) => (says(row, label) ? [i] : []));
    return stepsOf(
      known.map((i) => scores[i][k]),
      known.map((i) => (prepared[i].row.label === label ? 1 : 0)),
      known.map((i) => prepared[i].row.weight ?? 1),
    );
  });
}

/** Whether the label of a row says if it belongs to a class: "goes to product" leaves open as which of two. */
const says = (row, label) => row.open === undefined || !row.open.includes(label);

/** Platt's method: the chance is a sigmoid of the score, whose two numbers are found by Newton's method. */
export function stepsOf(scores, targets, weights) {
  const unit = Math.max(1, ...scores.map(Math.abs)) / 4;
  let slope = 1;
  let shift = 0;
  for (let pass = 0; pass < 60; pass++) {
    let [g0, g1, h00, h01, h11] = [0, 0, 1e-6, 0, 1e-6];
    for (let i = 0; i < scores.length; i++) {
      const x = scores[i] / unit;
      const p = sigmoid(slope * x + shift);
      const error = weights[i] * (p - targets[i]);
      const curve = weights[i] * p * (1 - p);
      g0 += error * x;
      g1 += error;
      h00 += curve * x * x;
      h01 += curve * x;
      h11 += curve;
    }
    const det = h00 * h11 - h01 * h01;
    slope -= (h11 * g0 - h01 * g1) / det;
    shift -= (h00 * g1 - h01 * g0) / det;
  }
  const rising = Math.max(slope, 1e-3);
  return Array.from({ length: 99 }, (_, i) => {
    const p = (i + 1) / 100;
    return Math.round(((log(p / (1 - p)) - shift) / rising) * unit);
  });
}
