// Claude Code with Coordinator as its plugin: the skill is there, the server of the plugin is started, what needs a permission
// is decided by a person in the inbox, and a handoff is left before the conversation is compacted.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { follow, inDesk, isCompleted, PROGRAMS, submitAndApprove } from "./mcp.mjs";

const PLUGIN = fileURLToPath(new URL("../..", import.meta.url));
const tool = (name) => `mcp__plugin_coordinator_coordinator__${name}`;

export function useThePlugin({ model }) {
  const { binary, env: more } = PROGRAMS.claude;
  return inDesk(async ({ project, env, coordinator }) => {
    const start = (...words) => {
      const args = [
        "--plugin-dir",
        PLUGIN,
        "--output-format",
        "stream-json",
        "--verbose",
        "--model",
        "claude-sonnet-4-5",
      ];
      return follow(binary, [...words, ...args], { cwd: project, env: { ...env, ...more(model.url) } });
    };
    const say = (steps, ...words) =>
      start("-p", `SCRIPT:${JSON.stringify([...steps, { say: "REPORTED" }])}END`, ...words);
    const talk = (calls) =>
      say(
        calls.map(([one, input]) => ({ tool: [tool(one), input] })),
        "--allowedTools",
        SERVER,
      );

    const read = await say([{ tool: ["Skill", { skill: "coordinator:coordinator" }] }], "--allowedTools", "Skill");
    const begun = documentsIn(read).find(({ type, subtype }) => type === "system" && subtype === "init");
    assert.ok(
      begun?.plugins?.some(({ name }) => name === "coordinator"),
      `no plugin: ${read.slice(0, 3000)}`,
    );
    assert.ok(JSON.stringify(begun.skills ?? begun.slash_commands).includes("coordinator:coordinator"), "no skill");
    assert.deepEqual(
      begun.mcp_servers.map(({ name, status }) => [name, status]),
      [["plugin:coordinator:coordinator", "connected"]],
    );
    assert.match(read, /Hand work over/, `the skill was not read: ${read.slice(-3000)}`);

    await submitAndApprove(talk, coordinator);
    const last = await talk([["run", { run_id: "last" }]]);
    for (let looks = 0; !isCompleted(coordinator); looks++) {
      assert.ok(looks < 300, `it did not end: ${coordinator("status", "last").stdout}`);
      await sleep(500);
    }

    // A person allows one command and refuses another; each is asked for while the agent waits.
    const decided = async (file, answer) => {
      const talking = say([{ bash: `echo done > ${file}` }]);
      const entry = await entryIn(coordinator, talking);
      assert.ok(entry.about.includes(`echo done > ${file}`), entry.about);
      assert.equal(existsSync(join(project, file)), false, "it did not wait");
      assert.equal(coordinator("answer", entry.id, answer, "--run", entry.run_id).status, 0);
      return talking;
    };
    await decided("allowed.txt", "allow");
    assert.equal(existsSync(join(project, "allowed.txt")), true, "it was allowed and not done");
    assert.match(await decided("denied.txt", "deny: not here"), /A person refused this: not here/);
    assert.equal(existsSync(join(project, "denied.txt")), false, "it was refused and done");

    const session = documentsIn(last).at(-1).session_id;
    const compacted = await start("-p", "/compact", "--resume", session);
    const calls = join(env.HOME, "handoffs");
    assert.ok(existsSync(calls), `no handoff was ordered: ${compacted.slice(-3000)}`);
    assert.equal(readFileSync(calls, "utf8"), "0 --no-input handoff last\n");
    assert.match(coordinator("handoff", "--read").stdout, /Handoff|# /);
    return "skill read, server started, one permission given and one refused by a person, handoff left before compaction";
  }, KEEPS_HANDOFFS);
}

/** Where nothing says so, no handoffs are kept. */
const KEEPS_HANDOFFS = { board: {} };
const SERVER = "mcp__plugin_coordinator_coordinator";

const documentsIn = (said) => said.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));

/** What waits on a person, once it is there; the agent that asks must still be waiting then. */
async function entryIn(coordinator, talking) {
  let ended = null;
  void talking.then((said) => (ended = said));
  for (;;) {
    const [entry] = JSON.parse(coordinator("inbox", "--json").stdout).entries;
    if (entry !== undefined) return entry;
    assert.equal(ended, null, `nothing was asked: ${ended?.slice(-3000)}`);
    await sleep(200);
  }
}
