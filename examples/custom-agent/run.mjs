// An agent of your own: one file that speaks the Agent Client Protocol, a few lines of YAML, and it works like any other:
// in a sandbox, inside its scope, with proof.
import assert from "node:assert/strict";
import { join } from "node:path";
import { carriedOut, story } from "../story.mjs";

const told = story(import.meta.url);
const { tell, show, git, coordinator, asked, commit, write, own, here } = told;

tell("A few lines in your own settings, ~/.config/coordinator/config.yaml, for a program that is yours:");
const agent = [
  "agents:",
  "  keeper:",
  `    command: ${JSON.stringify([join(here, "agent.mjs")])}`,
  "    mode: null # it has no modes; it asks before every edit",
];
own(`${agent.join("\n")}\n`);
show(agent.join("\n"));

tell("Who works in this repository, and a check that proves the work, in its coordinator.yaml:");
const settings = [
  "default_agent: keeper",
  "checks:",
  "  - { name: changelog, run: \"grep -q '^# Changes' CHANGELOG.md && grep -q '^- ' CHANGELOG.md\" }",
];
write("coordinator.yaml", `${settings.join("\n")}\n`);
show(settings.join("\n"));
const before = commit("A project");

tell("Does it work? It is started in a sandbox and asked for a session.");
const doctor = coordinator("doctor", "--agent", "keeper");
show(
  doctor.stdout
    .split("\n")
    .filter((line) => /sandbox|keeper/.test(line))
    .join("\n"),
);

tell("A sentence, and it does its work:");
const run = carriedOut(told, "run", "Document in CHANGELOG.md that totals are rounded", "--yes");
assert.equal(run.status, 0, run.stdout + run.stderr);
const { run_id } = asked("status", "last");
const head = `refs/coord/${run_id}/head`;
const text = git("show", `${head}:CHANGELOG.md`);
show(text);
assert.match(text, /^# Changes\n\n- .*totals are rounded\n- The first version$/);
assert.equal(git("diff", "--name-only", before, head), "CHANGELOG.md");
if (doctor.status !== 0) assert.match(run.stdout, /sandbox: none/, doctor.stdout);
