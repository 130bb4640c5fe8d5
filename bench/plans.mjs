// The plans every engine carries out: tasks that do nothing, so that what is left is what keeping them costs.

/** `layers` of `width` tasks; a task needs two of the layer before it. */
export function makeLayers(layers, width) {
  return Array.from({ length: layers * width }, (_, i) => {
    const before = Math.floor(i / width) * width - width;
    const needs = before < 0 ? [] : [...new Set([i % width, (i + 1) % width])].map((at) => `t${before + at}`);
    return { id: `t${i}`, needs };
  });
}

const chain = (length) => Array.from({ length }, (_, i) => ({ id: `t${i}`, needs: i === 0 ? [] : [`t${i - 1}`] }));

/** `runs` of one plan, so many at once; before that, as many runs of `warm` as make the code warm. */
const workload = (title, runs, atOnce, plan, warmRuns, warm = plan) => ({
  title,
  runs,
  atOnce,
  plan,
  tasks: runs * plan.length,
  warmRuns,
  warm,
});

export const WORKLOADS = {
  "layered-300": workload("One plan of 300 tasks, 10 layers of 30", 1, 1, makeLayers(10, 30), 40),
  "runs-100": workload("100 runs of 20 tasks at once", 100, 100, makeLayers(4, 5), 600),
  "runs-1000": workload("1,000 small runs of 10 tasks, 100 at once", 1000, 100, makeLayers(2, 5), 1200),
  "chain-200": workload("A chain of 200 tasks", 1, 1, chain(200), 20),
  ...Object.fromEntries(
    [100, 200, 400, 800].map((n) => [`chain-${n}-growth`, workload(`A chain of ${n}`, 1, 1, chain(n), 20, chain(100))]),
  ),
  ...Object.fromEntries(
    [100, 1000, 10_000].map((n) => [
      `tasks-${n}-growth`,
      workload(`One plan of ${n} tasks, layers of 50`, 1, 1, makeLayers(n / 50, 50), 24, makeLayers(10, 50)),
    ]),
  ),
  ...Object.fromEntries(
    [100, 1000, 10_000].map((n) => [
      `wide-${n}-growth`,
      workload(`One plan of ${n} tasks without dependencies`, 1, 1, makeLayers(1, n), 24, makeLayers(10, 50)),
    ]),
  ),
};
