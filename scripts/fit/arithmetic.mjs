// exp and log of additions, multiplications and divisions alone. How exact Math.exp is, is left to each engine; fitted
// weights must come out the same on all of them.

const { LN2 } = Math;

/** For arguments of at most 700 either way; beyond, the value at 700. */
export function exp(x) {
  const bounded = x > 700 ? 700 : x < -700 ? -700 : x;
  const halvings = Math.round(bounded / LN2);
  const rest = bounded - halvings * LN2;
  let sum = 1;
  for (let n = 18; n >= 1; n--) sum = 1 + (sum * rest) / n;
  let power = 1;
  for (let n = Math.abs(halvings), base = 2; n > 0; n >>= 1, base *= base) if (n & 1) power *= base;
  return halvings < 0 ? sum / power : sum * power;
}

/** Of positive numbers: brought between 3/4 and 3/2 by halving and doubling, then 2·artanh as a series. */
export function log(x) {
  let halvings = 0;
  for (; x > 1.5; x /= 2) halvings++;
  for (; x < 0.75; x *= 2) halvings--;
  const z = (x - 1) / (x + 1);
  const square = z * z;
  let sum = 0;
  for (let n = 33; n >= 1; n -= 2) sum = sum * square + 1 / n;
  return halvings * LN2 + 2 * z * sum;
}

export const sigmoid = (x) => (x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x)));

/** log(1 + e^x) without overflow. */
export const softplus = (x) => (x > 0 ? x + log(1 + exp(-x)) : log(1 + exp(x)));
