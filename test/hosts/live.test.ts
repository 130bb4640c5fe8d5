import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startStandIn } from "../../src/testing/hosts/stand-in.js";
import { coordinatorJson, workFolder } from "../cli/program.js";
import { RUN, writeRun } from "./hosted.js";

/*
 * One run published to a real host and taken away again: what no stand-in shows. Only by option, on a repository that may be thrown away:
 *
 *   COORDINATOR_LIVE_HOST=https://github.com/OWNER/NAME COORDINATOR_LIVE_TOKEN=… npx vitest run test/hosts/live.test.ts
 *
 * COORDINATOR_LIVE_KIND is gitlab or gitea for those, and COORDINATOR_LIVE_API the address of the API of a server that is not known.
 */

interface Live {
  readonly address: string;
  readonly token: string;
  readonly kind: string;
  readonly api: string | undefined;
}

const { COORDINATOR_LIVE_HOST: address, COORDINATOR_LIVE_TOKEN: token } = process.env;
const { COORDINATOR_LIVE_KIND: kind = "github", COORDINATOR_LIVE_API: api } = process.env;
const isAsked = address !== undefined && token !== undefined;

describe.skipIf(!isAsked)(
  `a real host${isAsked ? "" : " (left out: COORDINATOR_LIVE_HOST and COORDINATOR_LIVE_TOKEN name none)"}`,
  () => {
    it("takes a run as one pull request, however often it is published", () =>
      publishTwice({ address: address ?? "", token: token ?? "", kind, api }));
  },
);

it("the test of a real host does the same with a stand-in", async () => {
  const host = await startStandIn(workFolder());
  try {
    const seed = workFolder();
    await git(seed, {}, "init", "-q", "-b", "main");
    await git(seed, {}, ...IDENTITY, "commit", "-q", "--allow-empty", "-m", "start");
    await git(seed, {}, "push", "-q", host.folder, "main");
    const live = { address: `${host.url}/${host.repository}`, token: host.token, kind: host.kind, api: host.api };
    await publishTwice(live);
    expect([host.misfits, host.pulls.size, host.statuses.length]).toEqual([[], 1, 1]);
    // Nothing is left but what the host keeps of a pull request.
    expect(host.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  } finally {
    await host.close();
  }
});

const IDENTITY = ["-c", "user.name=Ada", "-c", "user.email=ada@localhost"];

async function publishTwice({ address: at, token: secret, kind: of, api: where }: Live): Promise<void> {
  const home = workFolder();
  const cwd = join(home, "project");
  const env = { HOME: home, XDG_STATE_HOME: join(home, "state"), [`COORDINATOR_${of.toUpperCase()}_TOKEN`]: secret };
  writeFileSync(
    join(home, ".gitconfig"),
    '[credential]\n\thelper = "!f() { echo username=git; echo password=$COORDINATOR_' +
      of.toUpperCase() +
      '_TOKEN; }; f"\n',
  );
  if (where !== undefined) {
    mkdirSync(join(home, ".config", "coordinator"), { recursive: true });
    const servers = { [new URL(at).host]: { kind: of, api: where } };
    writeFileSync(join(home, ".config", "coordinator", "config.yaml"), JSON.stringify({ code_host: { servers } }));
  }
  await git(home, env, "clone", "-q", `${at}.git`, cwd);
  const inside = (...args: string[]) => git(cwd, env, ...args);
  const [base, into] = [await inside("rev-parse", "HEAD"), await inside("rev-parse", "--abbrev-ref", "HEAD")];
  const name = `coordinator-live-${randomUUID().slice(0, 8)}`;
  writeFileSync(join(cwd, `${name}.txt`), "made by a test, may be removed\n");
  await inside("checkout", "-q", "--detach");
  await inside("add", ".");
  await inside(...IDENTITY, "commit", "-q", "-m", "a task");
  const head = await inside("rev-parse", "HEAD");
  await inside("update-ref", `refs/coord/${RUN}/head`, head);
  await inside("checkout", "-q", into);
  await writeRun(cwd, base, [head], undefined, into);
  const publish = async () => {
    const { code, json, stdout } = await coordinatorJson(["publish", RUN, "--branch", name], { cwd, env });
    expect([code, stdout.includes(secret)], stdout).toEqual([0, false]);
    return (json["parts"] as { pull: number; how: string; head: string; notes: string[] }[])[0];
  };
  try {
    const first = await publish();
    expect(first).toMatchObject({ how: "created", head, notes: [] });
    expect(await publish()).toMatchObject({ pull: first?.pull, how: "adopted", head, notes: [] });
  } finally {
    // A host closes the pull request of a branch that is gone.
    await inside("push", "-q", "origin", `:refs/heads/${name}`);
  }
}

/** The output of git, which is waited for: a host in this process has to answer it. */
function git(cwd: string, env: Readonly<Record<string, string>>, ...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", args, { cwd, env: { PATH: process.env["PATH"], GIT_TERMINAL_PROMPT: "0", ...env } });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(out.trim()) : reject(new Error(`git ${args[0]}: ${err}`))));
  });
}
