// Two projects in one program: both are asked for something at the same time, through the library and in this very
// process. No command line is started; nothing of the process, its directory or its variables is changed.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { processRequest } from "../../dist/index.js";
import { story } from "../story.mjs";

const agentOf = ({ here }) => [
  process.execPath,
  join(here, "../../dist/hands/agents/scripted/scripted-agent.mjs"),
  "--script",
  join(here, "script.json"),
];

/** A project with its own home, settings and agent. */
function begin(project) {
  const told = story(import.meta.url, { project });
  const script = JSON.stringify(join(told.here, "script.json"));
  told.own(
    [
      "agents:",
      `  scripted: { preset: scripted, command: ${JSON.stringify(agentOf(told))} }`,
      `workspace: { tools: [${script}] }`,
      "",
    ].join("\n"),
  );
  told.write("coordinator.yaml", "default_agent: scripted\nchecks: [{ name: test, kind: test, run: npm test }]\n");
  told.commit("Begin");
  return told;
}

const [reports, billing] = [begin("reports"), begin("billing")];
const { tell, show } = reports;

/** One request, its response, and how many events its run told meanwhile. */
async function ask({ project, folder }, user_request) {
  let events = 0;
  const response = await processRequest(
    {
      request_id: randomUUID(),
      timestamp: new Date().toISOString(),
      user_request,
      context: { project_path: project },
    },
    {
      approved: true,
      type: "technical",
      environment: { PATH: process.env.PATH, HOME: folder, LANG: "C.UTF-8" },
      watch: ({ type }) => (events += type === "event" ? 1 : 0),
      // A run that takes longer than this is stopped; it can be resumed with `coordinator run --last`.
      signal: AbortSignal.timeout(300_000),
    },
  );
  return { response, events };
}

tell("Two requests at once, about two projects.");
const before = process.cwd();
const ended = await Promise.all([
  ask(reports, "Document src/reports.mjs in README.md"),
  ask(billing, "Document src/total.mjs in README.md"),
]).catch((error) => {
  if (error.code !== "SANDBOX_MISSING") throw error;
  show(`There is no sandbox here, and a program does not go on without one by itself: ${error.message}`);
  return null;
});
if (ended !== null) {
  for (const { response, events } of ended) {
    show(`${response.status}, ${events} events, ${response.deliverables.length} deliverables`);
    assert.equal(response.status, "completed", JSON.stringify(response));
    assert.ok(events > 5);
  }
  assert.equal(process.cwd(), before);
  const headOf = ({ git }) => git("for-each-ref", "--format=%(refname)", "refs/coord/**/head");
  const readmes = [reports, billing].map((told) => told.git("show", `${headOf(told)}:README.md`));
  readmes.forEach((text) => show(text));
  assert.match(readmes[0], /titleOf/);
  assert.match(readmes[1], /total\(items\)/);
}
