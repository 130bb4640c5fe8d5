// Whether the tests that cite an id notice that its behaviour is gone.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../steps.mjs";
import { runTests } from "./run-tests.mjs";

/**
 * The tests of a mutant in two steps: those of modules, and those that start the built program or whole runs, which
 * are run only if the first notice nothing.
 */
function stepsOf(ids, citations) {
  const files = [...new Set(citations.filter(({ id }) => ids.includes(id)).map(({ file }) => file))];
  return { fast: files.filter(isOfModules), slow: files.filter((file) => !isOfModules(file)) };
}

function isOfModules(file) {
  return /^(?:src|test\/plan)\//.test(file) && !/\bensureBuilt\b/.test(readFileSync(join(root, file), "utf8"));
}

/** Judges one mutant in one copy of the project. A kill counts only if the same tests pass without the change. */
export async function judge(copy, mutant, citations, baseline) {
  const { fast, slow } = stepsOf(mutant.ids, citations);
  if (fast.length + slow.length === 0) return { outcome: "invalid", why: "no test cites an id of it" };
  const failing = baseline.failingFast(mutant.ids);
  if (failing !== undefined) return { outcome: "not measured", why: `it fails without the change: ${failing}` };
  let ran = false;
  for (const files of [fast, slow].filter((step) => step.length > 0)) {
    const result = await runMutated(copy, mutant, files);
    if (result.is === "broken") return { outcome: "invalid", why: result.why };
    if (result.is === "none") continue;
    ran = true;
    if (result.is === "passed") continue;
    if (files === slow) {
      const unchanged = await baseline.runSlow(copy, mutant.ids, slow);
      if (unchanged.is !== "passed") return { outcome: "not measured", why: `without the change: ${tell(unchanged)}` };
    }
    return { outcome: "killed", by: tell(result) };
  }
  return ran ? { outcome: "survived" } : { outcome: "invalid", why: "no test has an id of it in its name" };
}

async function runMutated(copy, mutant, files) {
  let undo;
  try {
    undo = await copy.apply(mutant);
  } catch (error) {
    return { is: "broken", why: error.message.split("\n").slice(0, 2).join(" ") };
  }
  try {
    return await runTests(copy.folder, mutant.ids, files);
  } finally {
    undo();
  }
}

function tell(result) {
  if (result.is === "failed") return result.failed[0];
  return result.is === "hung" ? "the tests did not end in time" : result.why;
}

/** How the cited tests fare without any change: those of modules all at once, the others when a kill depends on them. */
export async function measureBaseline(copy, mutants, citations) {
  const ids = [...new Set(mutants.flatMap((mutant) => mutant.ids))];
  const { fast } = stepsOf(ids, citations);
  const whole = fast.length === 0 ? { is: "passed" } : await runTests(copy.folder, ids, fast, { bail: false });
  const failed = whole.failed ?? [];
  const slowRuns = new Map();
  return {
    problem: whole.is === "passed" ? undefined : failed.length > 0 ? failed.join("\n") : tell(whole),
    failingFast: (ids) => failed.find((test) => ids.some((id) => test.includes(id))),
    runSlow(copy, ids, files) {
      const key = `${ids} ${files}`;
      if (!slowRuns.has(key)) slowRuns.set(key, runTests(copy.folder, ids, files));
      return slowRuns.get(key);
    },
  };
}
