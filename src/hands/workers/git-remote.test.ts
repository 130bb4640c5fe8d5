import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkRemote, type GitRemote, gitRemote } from "./git-remote.js";

function newRemote(): { readonly remote: GitRemote; readonly commits: readonly string[]; readonly bare: string } {
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
  return { remote: gitRemote({ remote: bare, gitDir: join(own, ".git"), environment }), commits, bare };
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
