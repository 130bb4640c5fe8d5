// New texts on top of earlier weights, for the case that texts which taught those weights are no longer at hand.
//
// Fitted anew to what is left, the weights would forget what the missing texts taught. So the search begins at the earlier weights
// (scripts/fit/before/NAME.json), and
//   - a row that they were fitted to has as target the chance that they give it, not its label: at the earlier weights its slope is 0, as
//     together with the missing rows and the price of large weights it was then;
//   - a row of a new set has its label;
//   - every weight is drawn back to what it was: by l2, and by the curvature that the missing rows had, which is estimated as that of the rows
//     at hand times the missing weight for each at hand (the diagonal of Laplace's approximation).
// The meaning of a score (its chances) stays that of the earlier weights: rows left out cannot be had from them.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Buffer } from "node:buffer";
import { sigmoid } from "./arithmetic.mjs";
import { root } from "./data.mjs";

const BIAS_UNIT = 16;

const pathOf = (name) => join(root, "scripts", "fit", "before", `${name}.json`);

export const hasBefore = (name) => existsSync(pathOf(name));

/** The earlier weights of a task, with which rows of `sets` they were fitted to. */
export function readBefore(name, sets) {
  const file = JSON.parse(readFileSync(pathOf(name), "utf8"));
  const known = new Set(
    file.data.filter((set) => sets.some((one) => one.name === set.name && one.sha256 === set.sha256)).map(nameOf),
  );
  // A mixture is known when its core was.
  const isSeen = (row) => known.has(row.set === "mixed" ? row.id.split(":")[0] : row.set);
  const seen = sets.reduce((sum, { rows }) => sum + rows.filter(isSeen).length, 0);
  const all = file.data.reduce((sum, { rows }) => sum + rows, 0);
  return { file, isSeen, missing: (all - seen) / Math.max(1, seen) };
}

const nameOf = ({ name }) => name;

/** The earlier weight of each feature and the bias of one class, as numbers that `fitLogistic` finds. */
export function earlierWeights({ file }, k, placeOf, scaleAt) {
  const bytes = Buffer.from(file.weights, "base64");
  const at = new Float64Array(placeOf.size + 1);
  for (const [bucket, place] of placeOf)
    at[place] = bytes.readInt16LE(2 * (bucket * file.classes.length + k)) / file.units / scaleAt[place];
  at[placeOf.size] = file.bias[k] / file.units / BIAS_UNIT;
  return at;
}

/**
 * What is fitted to: the earlier chance of a row that was seen then, the label of another; and how strongly each weight is held. A row to
 * forget (`forget`, for folds) gives instead of a target the pull by which its label had moved the weights, taken back.
 */
export function aimsOnTop({ isSeen, missing }, at, rows, isOfClass) {
  const width = at.length - 1;
  const hold = new Float64Array(at.length);
  const aimed = rows.map(({ row, forget, places, values, weight }) => {
    const label = isOfClass(row) ? 1 : 0;
    if (!isSeen(row)) return { places, values, weight, target: label };
    let score = at[width];
    for (let j = 0; j < places.length; j++) score += at[places[j]] * values[j];
    const chance = sigmoid(score);
    const curve = missing * weight * chance * (1 - chance);
    for (let j = 0; j < places.length; j++) hold[places[j]] += curve * values[j] * values[j];
    hold[width] += curve;
    return forget ? { places, values, weight, pull: label - chance } : { places, values, weight, target: chance };
  });
  return { rows: aimed, before: { at, hold } };
}
