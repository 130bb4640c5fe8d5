// The project of the first run, in a temporary folder, with an agent that follows a script.
import { join } from "node:path";
import { story } from "../story.mjs";

export const SENTENCE = "Let people take their reports with them as CSV and JSON, under file names made of the titles";

export function prepareFirstRun() {
  const told = story(import.meta.url);
  const { write, own, here } = told;
  const agent = [
    process.execPath,
    join(here, "../../dist/hands/agents/scripted/scripted-agent.mjs"),
    "--script",
    join(here, "script.json"),
  ];
  // An agent with a command of its own stands in your own settings, and so does what it needs to see.
  own(
    [
      "agents:",
      "  scripted:",
      "    preset: scripted # a program without a model that does what a script says",
      `    command: ${JSON.stringify(agent)}`,
      `workspace: { tools: [${JSON.stringify(join(here, "script.json"))}] }`,
      "",
    ].join("\n"),
  );
  write(
    "coordinator.yaml",
    [
      "default_agent: scripted",
      "planner: scripted # it proposes; rules decide",
      "checks:",
      "  - { name: test, kind: test, run: npm test }",
      "",
    ].join("\n"),
  );
  return { ...told, before: told.commit("Reports") };
}
