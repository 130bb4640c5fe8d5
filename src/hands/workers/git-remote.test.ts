import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkRemote, type GitRemote, gitRemote } from "./git-remote.js";

interface NewRemote {
  readonly remote: GitRemote;
  readonly commits: readonly string[];
  readonly bare: string;
  /** That repository, reached through this shell script as the program that connects to a server. */
  readonly through: (script: string, silenceMs: number) => GitRemote;
}

function newRemote(): NewRemote {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-remote-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const environment = { PATH: process.env["PATH"] ?? "", HOME: folder };
  const [bare, own] = [join(folder, "remote.git"), join(folder, "own")];
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      encoding: "utf8",
      env: environment,
    }).trim();
  git("init", "-q", "--bare", bare);
  git("init", "-q", own);
  const commits = ["one", "two"].map((message) => {
    git("-C", own, "commit", "-q", "--allow-empty", "-m", message);
    return git("-C", own, "rev-parse", "HEAD");
  });
  const gitDir = join(own, ".git");
  const through = (script: string, silenceMs: number) => {
    const program = join(folder, "connect.sh");
    writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const parts = { remote: `ssh://host${bare}`, gitDir, silenceMs };
    return gitRemote({ ...parts, environment: { ...environment, GIT_SSH: program, GIT_SSH_VARIANT: "ssh" } });
  };
  return { remote: gitRemote({ remote: bare, gitDir, environment }), commits, bare, through };
}

const REF = "refs/coord/run_1/one/1";

describe("the git remote of workers", () => {
  it("has a ref that was to be created by whoever was first, and by nobody else", async () => {
    const { remote, commits } = newRemote();
    const [one, two] = commits as [string, string];
    expect(await remote.push([{ ref: REF, to: one, from: null }])).toBe(true);
    expect(await remote.push([{ ref: REF, to: two, from: null }])).toBe(false);
    expect(await remote.list([REF])).toEqual(new Map([[REF, one]]));
  });

  it("moves a ref from what was seen there only, and writes several or none", async () => {
    const { remote, commits } = newRemote();
    const [one, two] = commits as [string, string];
    await remote.push([{ ref: REF, to: one, from: null }]);
    const other = "refs/coord/run_1/two/1";
    expect(
      await remote.push([
        { ref: other, to: two, from: null },
        { ref: REF, to: two, from: null },
      ]),
    ).toBe(false);
    expect((await remote.list([other])).size).toBe(0);
    expect(await remote.push([{ ref: REF, to: two, from: one }])).toBe(true);
    expect(await remote.push([{ ref: REF, to: one, from: one }])).toBe(false);
  });

  it("says that it cannot be reached, or that it refuses", async () => {
    const { remote, commits, bare } = newRemote();
    const hook = join(bare, "hooks", "pre-receive");
    writeFileSync(hook, "#!/bin/sh\nexit 1\n");
    chmodSync(hook, 0o755);
    await expect(remote.push([{ ref: REF, to: commits[0] as string }])).rejects.toMatchObject({
      code: "REMOTE_REFUSED",
    });
    rmSync(bare, { recursive: true });
    await expect(remote.list([])).rejects.toMatchObject({ code: "REMOTE_UNREACHABLE" });
  });

  it("is unreachable when it says nothing for too long, and nothing that was started for it is left", async () => {
    const { through, commits, bare } = newRemote();
    const started = `${bare}.started`;
    const remote = through(`sleep 600 & echo $! > ${started}.next; mv ${started}.next ${started}; wait`, 3_000);
    const isUnreachable = {
      code: "REMOTE_UNREACHABLE",
      message: expect.stringContaining("said nothing for 3 seconds"),
    };
    for (const call of [
      () => remote.list([]),
      () => remote.fetch([REF]),
      () => remote.push([{ ref: REF, to: commits[0] as string }]),
    ]) {
      rmSync(started, { force: true });
      await expect(call()).rejects.toMatchObject(isUnreachable);
      // On a machine that is so busy that the script did not begin there is nothing to look at.
      if (!existsSync(started)) continue;
      const pid = readFileSync(started, "utf8").trim();
      await expect.poll(() => stateOf(pid), { timeout: 60_000 }).toMatch(/^Z?$/);
    }
  });

  it("may take as long as it likes while it tells of its progress", async () => {
    const { remote, through, commits, bare } = newRemote();
    const one = commits[0] as string;
    await remote.push([{ ref: REF, to: one }]);
    const telling = 'for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "step $n" >&2; sleep 0.5; done';
    const slow = through(`${telling}; exec git-upload-pack ${bare}`, 4_000);
    expect(await slow.list([REF])).toEqual(new Map([[REF, one]]));
  });

  it.each(["shop", "--upload-pack=x", "ext::sh -c x", "https://ada:canary@host/shop.git"])("is never %s", (address) => {
    const error = (() => {
      try {
        return checkRemote(address);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toMatchObject({ code: "ENGINE_SETTING" });
    expect((error as Error).message).not.toContain("canary");
  });

  it.each([
    "/srv/shop.git",
    "git@host.example:shop.git",
    "ssh://host/shop",
    "https://ada@host/shop.git",
    "file:///srv/x",
  ])("may be %s", (address) => {
    expect(checkRemote(address)).toBe(address);
  });
});

/** The state of a process as /proc names it; empty when it is gone. */
function stateOf(pid: string): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2)[0] ?? "";
  } catch {
    return "";
  }
}
