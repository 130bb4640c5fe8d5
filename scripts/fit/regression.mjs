// Logistic regression with L2, one class against the rest, by L-BFGS over all rows at once: no chance, a fixed order of
// every sum, so that the same rows give the same weights to the last bit.
import { sigmoid, softplus } from "./arithmetic.mjs";

const MEMORY = 8;
const PASSES = 120;
const CLOSE_ENOUGH = 1e-4;

/**
 * `rows`: `{ places, values, weight, target }`, places below `width`, the target 1 or 0 or a chance between them; or with `pull` in its
 * stead, a slope that the row has wherever its score stands. Answers the weights with the bias as the last one. Weights are drawn towards
 * 0, or with `before` (`{ at, hold }`, a number for each weight and the bias) back to `at`, where the search begins, each by its `hold`
 * more. The bias is drawn by its hold alone.
 */
export function fitLogistic(rows, width, l2, before = null) {
  const length = width + 1;
  const evaluate = (at, gradient) => {
    gradient.fill(0);
    let loss = 0;
    for (let i = 0; i < rows.length; i++) {
      const { places, values, weight, target, pull } = rows[i];
      let score = at[width];
      for (let j = 0; j < places.length; j++) score += at[places[j]] * values[j];
      loss += weight * (pull === undefined ? lossOf(score, target) : pull * score);
      const error = weight * (pull === undefined ? sigmoid(score) - target : pull);
      for (let j = 0; j < places.length; j++) gradient[places[j]] += error * values[j];
      gradient[width] += error;
    }
    let square = 0;
    if (before !== null) return loss + drawBack(before, l2, at, gradient);
    for (let j = 0; j < width; j++) {
      square += at[j] * at[j];
      gradient[j] += l2 * at[j];
    }
    return loss + (l2 / 2) * square;
  };
  return minimise(evaluate, before === null ? new Float64Array(length) : before.at.slice());
}

function lossOf(score, target) {
  if (target === 1) return softplus(-score);
  return target === 0 ? softplus(score) : softplus(score) - target * score;
}

/** The price of being away from earlier weights; its slopes are added to the gradient. */
function drawBack(before, l2, at, gradient) {
  const width = at.length - 1;
  let price = 0;
  for (let j = 0; j <= width; j++) {
    const away = at[j] - before.at[j];
    const strength = (j < width ? l2 : 0) + before.hold[j];
    price += strength * away * away;
    gradient[j] += strength * away;
  }
  return price / 2;
}

const dot = (a, b) => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
};

/** L-BFGS with a step that is halved until the loss falls as far as the slope promises. */
function minimise(evaluate, start) {
  const { length } = start;
  let at = start;
  let gradient = new Float64Array(length);
  let loss = evaluate(at, gradient);
  const first = Math.sqrt(dot(gradient, gradient));
  const steps = [];
  for (let pass = 0; pass < PASSES; pass++) {
    if (Math.sqrt(dot(gradient, gradient)) <= CLOSE_ENOUGH * Math.max(1, first)) break;
    const direction = directionOf(gradient, steps);
    const slope = dot(direction, gradient);
    let size = steps.length === 0 ? 1 / Math.max(1, first) : 1;
    let next = null;
    for (let tries = 0; tries < 30; tries++, size /= 2) {
      const there = new Float64Array(length);
      for (let i = 0; i < length; i++) there[i] = at[i] + size * direction[i];
      const slopes = new Float64Array(length);
      const lossThere = evaluate(there, slopes);
      if (lossThere <= loss + 1e-4 * size * slope) {
        next = { there, slopes, lossThere };
        break;
      }
    }
    if (next === null) break;
    const moved = new Float64Array(length);
    const bent = new Float64Array(length);
    for (let i = 0; i < length; i++) {
      moved[i] = next.there[i] - at[i];
      bent[i] = next.slopes[i] - gradient[i];
    }
    const curve = dot(moved, bent);
    if (curve > 1e-12) {
      steps.push({ moved, bent, curve });
      if (steps.length > MEMORY) steps.shift();
    }
    at = next.there;
    gradient = next.slopes;
    loss = next.lossThere;
  }
  return at;
}

function directionOf(gradient, steps) {
  const direction = gradient.slice();
  const shares = [];
  for (let i = steps.length - 1; i >= 0; i--) {
    const { moved, bent, curve } = steps[i];
    const share = dot(moved, direction) / curve;
    shares[i] = share;
    for (let j = 0; j < direction.length; j++) direction[j] -= share * bent[j];
  }
  const last = steps.at(-1);
  const scale = last === undefined ? 1 : last.curve / dot(last.bent, last.bent);
  for (let j = 0; j < direction.length; j++) direction[j] *= scale;
  for (let i = 0; i < steps.length; i++) {
    const { moved, bent, curve } = steps[i];
    const share = shares[i] - dot(bent, direction) / curve;
    for (let j = 0; j < direction.length; j++) direction[j] += share * moved[j];
  }
  for (let j = 0; j < direction.length; j++) direction[j] = -direction[j];
  return direction;
}
