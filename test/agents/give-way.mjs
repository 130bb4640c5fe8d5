// The model that a plan decides on, with two real agents in one run: set and used, passed by when it is limited, and never
// started with data that nobody accepted it for. What was asked of which model is what the scripted model saw.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { KEY, follow, program, start, writeOwnSettings } from "./story.mjs";

const ASK = "Fix src/reports.mjs: the list of reports must hold the yearly report";
const REPORTS = 'export const reports = ["yearly"];\n';
/** Who stands in for whom. The other way round codex writes nothing: it does not know the tools of a model without metadata. */
const STANDS_IN = { codex: "goose" };

export async function giveWay({ name, command, settings, model, others }, otherModels) {
  const second = others.find((one) => one.name === STANDS_IN[name]);
  assert.ok(second !== undefined, `${STANDS_IN[name]} is not installed, and two agents are needed`);
  const folder = mkdtempSync(join(tmpdir(), "coordinator-models-"));
  const project = join(folder, "project");
  const env = { PATH: process.env.PATH, HOME: folder, LANG: "C.UTF-8", TMPDIR: tmpdir(), MODEL_KEY: KEY };
  const call = (what, ...args) => spawnSync(what, args, { cwd: project, encoding: "utf8", env });
  const run = (...args) => follow(start(["run", ASK, "--type", "technical", "--yes", ...args], { cwd: project, env }));
  const takes = [[{ write: ["/ws/src/reports.mjs", REPORTS] }, { say: "done" }]];
  model.play((text) => (text.includes(`Your task: ${ASK}`) ? takes : null));
  try {
    mkdirSync(join(project, "src"), { recursive: true });
    writeFileSync(join(project, "src/reports.mjs"), "export const reports = [];\n");
    writeFileSync(join(project, ".gitignore"), ".coordinator/\n");
    const own = (of, theirs, with_) => {
      const auth = { ...of.auth, upstream: model.url, key_env: "MODEL_KEY", header: "x-key" };
      return { ...of, auth, command: theirs, ...with_ };
    };
    const [first, next] = [otherModels[name], otherModels[second.name]];
    const agents = {
      [name]: own(settings, command, { models: [first], model: first }),
      [second.name]: own(second.settings, second.command, { models: [next], model: next }),
    };
    writeOwnSettings(folder, agents, [...command, ...second.command]);
    const checks = [{ name: "there", kind: "other", run: "grep -q reports src/reports.mjs" }];
    writeFileSync(
      join(project, "coordinator.yaml"),
      stringify({ default_agent: name, fallback_agents: [second.name], checks }),
    );
    call("git", "init", "-q", "-b", "main");
    call("git", "add", "-A");
    call("git", "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "Reports");

    // Confidential: nobody is started, and no model is asked anything.
    const before = model.calls();
    const held = await run("--sensitivity", "confidential");
    assert.equal(held.status, 3, held.output.slice(-900));
    assert.match(held.output, /confidential\s+data/);
    assert.equal(model.calls(), before, "a model was asked with confidential data");

    // Limited: the fallback that was planned takes over, with the model that was planned for it.
    model.asked();
    model.limited();
    model.limit((asked) => asked.includes(first));
    const ran = await run();
    const tape = call(process.execPath, program, "export", "last").stdout;
    const events = tape.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line).event ?? {}] : []));
    const ends = events
      .filter(({ type }) => type === "attempt_finished")
      .map(({ outcome, said }) => ({ outcome, said }));
    assert.equal(ran.status, 0, `${JSON.stringify(ends)}${ran.output.slice(-1200)}`);
    const taken = events.filter(({ type }) => type === "fallback_taken");
    assert.deepEqual(
      taken.map(({ from, to }) => [from, to]),
      [
        [
          { agent: name, model: first },
          { agent: second.name, model: next },
        ],
      ],
    );
    const started = events
      .filter(({ type }) => type === "attempt_started")
      .map(({ agent, model: used }) => [agent, used]);
    assert.deepEqual(
      [started[0], started.at(-1)],
      [
        [name, first],
        [second.name, next],
      ],
    );
    assert.ok(
      model.limited().some((each) => String(each).includes(first)),
      `${first} was never asked`,
    );
    const asked = model.asked();
    assert.ok(asked.length > 0 && asked.every((each) => String(each).includes(next)), `asked: ${asked.join(", ")}`);
    const id = /run_[\w-]+/.exec(ran.output)[0];
    assert.equal(call("git", "show", `refs/coord/${id}/head:src/reports.mjs`).stdout, REPORTS);
    assert.equal(tape.includes(KEY), false, "the key is in the log");
    return `${first} limited, ${second.name} worked with ${next}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
