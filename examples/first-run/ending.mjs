// How the first run ends, whichever engine carries it out: the files on its branch, and what its log says happened to which task.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Two writers meet in it, and the second stands behind the first. */
const MET = "docs/contents.json";
/** Told on the way, as often as an agent tells it, of a killed worker twice; and by each process of the run, as its machine is. */
const ON_THE_WAY = ["attempt_progressed", "tool_judged", "iteration_finished", "sandbox_graded"];
/** Who meets whom is chance. */
const ABOUT_MEETING = ["conflict_found", "conflict_resolved"];

/** Every file with the id of its content; the one in which writers meet as what it says. */
function filesOf(git, head) {
  const rows = git("ls-tree", "-r", head)
    .split("\n")
    .map((line) => line.split(/\s+/));
  const files = Object.fromEntries(rows.map(([, , id, path]) => [path, id]));
  const met = JSON.parse(git("show", `${head}:${MET}`));
  return {
    ...files,
    [MET]: Object.keys(met)
      .sort()
      .map((name) => [name, met[name]]),
  };
}

/** What happened, without when, where and under which ids. Tasks that are done side by side may end in either order. */
function happenedIn(tape) {
  const events = readFileSync(tape, "utf8")
    .trimEnd()
    .split("\n")
    .flatMap((line) => JSON.parse(line).event ?? []);
  return events
    .filter(({ type }) => !ON_THE_WAY.includes(type))
    .map(({ type, task_id = "", attempt = "" }) =>
      ABOUT_MEETING.includes(type) ? `${type}` : `${type} ${task_id} ${attempt}`.trim(),
    )
    .sort();
}

/** Contract: throws where the run ended otherwise than the story does. */
export function expectEnding({ git, coordinator, folder, here }, runId) {
  const tape = join(folder, "ending.jsonl");
  const exported = coordinator("export", runId, "--out", tape);
  assert.equal(exported.status, 0, exported.stdout + exported.stderr);
  const found = { files: filesOf(git, `refs/coord/${runId}/head`), happened: happenedIn(tape) };
  // After a change of the story: node examples/first-run/run.mjs --write-ending
  if (process.argv.includes("--write-ending"))
    writeFileSync(join(here, "../first-run/ending.json"), `${JSON.stringify(found, null, 2)}\n`);
  const wanted = JSON.parse(readFileSync(join(here, "../first-run/ending.json"), "utf8"));
  assert.deepEqual(found, wanted);
}
