// A decision record is approved, and what it asks for is done: tasks with their reasons, a queue and a board for people,
// a handoff for whoever comes next.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { carriedOut, story } from "../story.mjs";

const told = story(import.meta.url);
const { tell, show, git, coordinator, asked, commit, project } = told;
const text = (file) => readFileSync(join(project, file), "utf8");

commit("Lists");
assert.equal(coordinator("init", "--agent", "scripted", "--board").status, 0);
commit("Coordinator");

tell("What the record asks for, in which order and why:");
const checked = coordinator("adr", "check", "docs/adr/0007-share-lists.md");
assert.equal(checked.status, 0, checked.stderr);
show(checked.stdout);

tell("A person approves it:");
const run = carriedOut(told, "adr", "approve", "docs/adr/0007-share-lists.md", "--yes");
assert.equal(run.status, 0, run.stdout + run.stderr);
const { run_id } = asked("status", "last");
const files = git("diff", "--name-only", "main", `refs/coord/${run_id}/head`).split("\n");
show(files.join("\n"));
assert.deepEqual(files, ["src/endpoint.mjs", "src/share.mjs", "test/share.test.mjs"]);

tell("The queue, the board and the handoff follow from the log:");
const { tasks } = JSON.parse(text("tasks/work_queue.json"));
show(tasks.map(({ id, status, title }) => `${id}  ${status}  ${title}`).join("\n"));
assert.deepEqual(
  tasks.map(({ id, status }) => `${id} ${status}`),
  ["TASK-0007-001 completed", "TASK-0007-002 completed", "TASK-0007-003 completed"],
);
assert.match(text("PROJECT_HQ.md"), /## Status Dashboard/);
const [handoff = ""] = readdirSync(join(project, "sessions"));
assert.match(handoff, /^\d{4}-\d\d-\d\d-001\.md$/);
show(text(`sessions/${handoff}`).split("\n").slice(0, 24).join("\n"));

tell("The record itself was not touched, and is not carried out twice:");
assert.equal(git("status", "--porcelain", "docs"), "");
const again = coordinator("adr", "approve", "docs/adr/0007-share-lists.md", "--yes");
assert.notEqual(again.status, 0);
show(again.stderr);
assert.match(again.stderr, /ADR_TAKEN/);
