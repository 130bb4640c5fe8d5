// How everything here is measured: candidates take turns in every round, the order rotates, and the median of the
// rounds counts. Pure code is measured in CPU time, so that a busy neighbour shows less.

/** Milliseconds of CPU time one call takes, over enough calls to be worth timing. */
function cpuMs(work, calls) {
  const before = process.cpuUsage();
  for (let i = 0; i < calls; i++) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / calls;
}

/**
 * Measures candidates against each other. `check` throws when a candidate's answer is wrong: a fast wrong answer is
 * no result.
 */
export function compare(title, candidates, { rounds = 7, calls = 1, warmUp = 2, check = () => {} } = {}) {
  const names = [];
  const skipped = [];
  for (const name of Object.keys(candidates)) {
    let answer;
    try {
      answer = candidates[name]();
    } catch (error) {
      // A peer that cannot do the work is a result; our own failure is not.
      if (names.length === 0) throw error;
      skipped.push({ name, reason: `${error.name}: ${error.message}`.slice(0, 80) });
      continue;
    }
    check(name, answer);
    names.push(name);
    for (let i = 0; i < warmUp; i++) candidates[name]();
  }
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round) % names.length];
      times[name].push(cpuMs(candidates[name], calls));
    }
  }
  const rows = names.map((name) => ({ name, ...summary(times[name]) }));
  const base = rows[0].median;
  return { title, rows: rows.map((row) => ({ ...row, ratio: row.median / base })), skipped };
}

function summary(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: sorted[sorted.length >> 1], min: sorted[0], max: sorted.at(-1) };
}

export function table({ title, rows, skipped = [] }) {
  const figure = (ms) =>
    ms < 0.01 ? `${(ms * 1000).toFixed(3)} µs` : ms < 10 ? `${ms.toFixed(3)} ms` : `${ms.toFixed(0)} ms`;
  return [
    `### ${title}`,
    "",
    `| | CPU time, median | min – max | ratio to ${rows[0].name} |`,
    "|---|--:|--:|--:|",
    ...rows.map(
      (row) =>
        `| ${row.name} | ${figure(row.median)} | ${figure(row.min)} – ${figure(row.max)} | ${row.ratio.toFixed(2)} |`,
    ),
    ...skipped.map(({ name, reason }) => `| ${name} | could not: ${reason} | | |`),
    "",
  ].join("\n");
}

/** Bars as `[what, measured, wanted, met]`; null for one that nothing is wanted of. */
export function tableOfBars(bars) {
  return [
    "| bar | measured | wanted | |",
    "|---|--:|--:|---|",
    ...bars.map(
      ([what, is, wanted, met]) => `| ${what} | ${is} | ${wanted} | ${met === null ? "" : met ? "met" : "missed"} |`,
    ),
    "",
  ].join("\n");
}

/** Median wall milliseconds of an odd number of rounds; the first is not counted. */
export async function medianMs(work, rounds) {
  const times = [];
  for (let round = 0; round <= rounds; round++) {
    const before = performance.now();
    await work();
    times.push(performance.now() - before);
  }
  return times.slice(1).sort((a, b) => a - b)[rounds >> 1];
}
