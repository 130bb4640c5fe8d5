// From an issue to a second change of one pull request, as a team sees it on its host. The host is a stand-in on loopback that
// compares every request with the description of the API and takes real pushes; the agent is a program without a model.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startStandIn } from "../../dist/testing/hosts/stand-in.js";
import { story } from "../story.mjs";

const told = story(import.meta.url);
const { tell, show, own, write, commit, git, folder, project, here } = told;
const host = await startStandIn(join(folder, "host"));
const { ada, me } = host;
const script = join(here, "script.json");
const agent = [process.execPath, join(here, "../../dist/hands/agents/scripted/scripted-agent.mjs"), "--script", script];
own(
  JSON.stringify({
    agents: { scripted: { preset: "scripted", command: agent } },
    workspace: { tools: [script] },
    code_host: {
      servers: { [host.server]: { api: host.api, pause_ms: 0 } },
      people: { [`github:${ada.id}`]: { name: "Ada", roles: [] } },
      follow_up: "plan", // remarks are planned; Ada approves what is planned
    },
  }),
);
writeFileSync(
  join(folder, ".gitconfig"),
  `[credential]\n\thelper = "!f() { echo username=ada; echo password=${host.token}; }; f"\n`,
);
write(
  "coordinator.yaml",
  JSON.stringify({ default_agent: "scripted", checks: [{ name: "test", kind: "test", run: "npm test" }] }),
);
write(".gitignore", ".coordinator/\n");
mkdirSync(join(folder, "state"));
commit("A greeter");
git("remote", "add", "origin", `${host.url}/${host.repository}.git`);
git("push", "-q", host.folder, "main");

/** One command as a person would type it. The host answers meanwhile. */
async function coordinator(...args) {
  console.log(`  $ coordinator ${args.join(" ")}`);
  const main = join(here, "../../dist/cli/main.js");
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    LANG: "C.UTF-8",
    XDG_STATE_HOME: join(folder, "state"),
    COORDINATOR_GITHUB_TOKEN: host.token,
  };
  const child = spawn(process.execPath, [main, ...args], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
  const [out, err] = [[], []];
  child.stdout.on("data", (chunk) => out.push(chunk));
  child.stderr.on("data", (chunk) => err.push(chunk));
  const status = await new Promise((resolve) => child.on("close", resolve));
  return { status, stdout: Buffer.concat(out).toString("utf8"), stderr: Buffer.concat(err).toString("utf8") };
}

/** As `coordinator`, and without a sandbox where there is none, and only there. */
let unsafe = [];
async function carriedOut(...args) {
  const ended = await coordinator(...args, ...unsafe);
  if (!ended.stderr.includes("SANDBOX_MISSING")) return ended;
  show("There is no sandbox here; the agent is our own program, so this story goes on without one.");
  unsafe = ["--unsafe-no-sandbox"];
  return coordinator(...args, ...unsafe);
}

function done({ status, stdout, stderr }, wanted) {
  assert.equal(status, wanted, `${stdout}${stderr}`);
  show(stdout);
}

const saidBy = (user) => [...host.comments.values()].filter((one) => one.user === user);
const typedIn = (text) => /^\/coordinator approve [0-9a-f]{12}$/m.exec(text)?.[0] ?? "";

tell("1. Ada writes an issue, and somebody hands it over. Its plan is told there, in one comment.");
const when = "2026-03-01T09:00:00Z";
const address = `${host.url}/${host.repository}/issues/12`;
const title = "Trim the name in src/greet.mjs";
const body =
  'A name with blanks around it is greeted with them. greet(" Ada ") must say Hello Ada. Change src/greet.mjs and test it in test/greet.test.mjs.';
const told_at = { created_at: when, updated_at: when, html_url: address };
host.issues.set(12, { id: 9012, number: 12, title, body, user: ada, state: "open", labels: [], ...told_at });
done(await carriedOut("run", "--issue", address), 3);
const [plan] = saidBy(me);
show(`\n${me.login} wrote on #12:\n${plan.body}`);

tell("2. Ada approves exactly this plan, and it is carried out.");
const approval = typedIn(plan.body);
host.comment(12, ada, approval);
show(`ada wrote on #12: ${approval}`);
const run = await carriedOut("run", "--issue", address);
done(
  {
    ...run,
    stdout: run.stdout
      .split("\n")
      .filter((line) => /: verdict | completed: /.test(line))
      .join("\n"),
  },
  0,
);

const [said] = saidBy(me);
assert.equal(said.id, plan.id, "the plan's comment was edited, and no second one posted");
show(`\nThe comment of ${me.login} on #12 says now: ${/^Approved by .*$/m.exec(said.body)?.[0]}`);

tell("3. Its work becomes a draft pull request that says what proves it.");
done(await coordinator("publish", "last"), 0);
const [pull] = [...host.pulls.values()];
const first = host.git("rev-parse", pull.head);
show(`\n#${pull.number} ${pull.title} (draft: ${pull.draft})\n${pull.body}`);
assert.match(pull.body, /^Closes #12$/m);

tell("4. Ada reads it and remarks on a line. The remark is planned, and the plan waits for her.");
const remark = host.remark(
  pull.number,
  ada,
  "src/greet.mjs",
  1,
  "A name of blanks must be greeted with Hello you. Change src/greet.mjs and test it in test/greet.test.mjs.",
);
show(`ada wrote on src/greet.mjs:1: ${remark.body}`);
done(await carriedOut("sync"), 3);
const [, second] = saidBy(me);
show(`\n${me.login} wrote on #${pull.number}:\n${second.body}`);

tell("5. She approves it, and the change goes onto the same pull request, with an answer to her remark.");
host.comment(pull.number, ada, typedIn(second.body));
show(`ada wrote on #${pull.number}: ${typedIn(second.body)}`);
done(await carriedOut("sync"), 0);
const head = host.git("rev-parse", pull.head);
const [, answer] = host.remarks;
show(`\n${me.login} answered: ${answer.body}`);
console.log(`  $ git log --oneline ${pull.base}..${pull.head}`);
show(host.git("log", "--oneline", "--first-parent", `${pull.base}..${pull.head}`));

assert.equal(host.pulls.size, 1, "one pull request, and no second one");
assert.notEqual(head, first);
host.git("merge-base", "--is-ancestor", first, head);
assert.match(host.git("show", `${head}:src/greet.mjs`), /trim\(\) \|\| "you"/);
assert.deepEqual(
  host.statuses.map(({ sha, state }) => [sha, state]),
  [
    [head, "success"],
    [first, "success"],
  ],
);
assert.ok(answer.body.includes(head));
assert.deepEqual(host.misfits, []);
assert.deepEqual(
  [saidBy(me).length, host.remarks.length],
  [2, 2],
  "each plan in one comment, each thread with one answer",
);
console.log(`\nOne issue, one pull request, two changes: each approved by its checksum and proven on its head.`);
await host.close();
