import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { newFolder, userRepository, write } from "../../../test/workspace/repository.js";
import { createCgit } from "./cgit.js";

const PATH = process.env["PATH"] ?? "";

/** A program that stands where git is looked for. */
function pretending(body: string) {
  const folder = newFolder();
  mkdirSync(join(folder, "bin"));
  // As git does: `-C FOLDER` are its first words.
  write(folder, { "bin/git": `#!/bin/sh\npwd > "$2/started-in"\ncd "$2"\n${body}\n` });
  chmodSync(join(folder, "bin/git"), 0o755);
  return { folder, git: createCgit({ path: `${join(folder, "bin")}:/usr/bin:/bin`, cwd: folder, ceilings: [folder] }) };
}

describe("a call of git", () => {
  it("gives exit codes as values", async () => {
    const folder = newFolder();
    const git = createCgit({ path: PATH, cwd: folder, ceilings: [] });
    const gitDir = join(userRepository(folder), ".git");
    expect(await git.call({ gitDir, args: ["rev-parse", "--verify", "--quiet", "nothing"] })).toMatchObject({
      code: 1,
      stopped: null,
    });
    expect(await git.call({ gitDir, args: ["no-such-command"] })).toMatchObject({ code: 1, stopped: null });
    await expect(git.must("Asking", { gitDir, args: ["cat-file", "-p", "nothing"] })).rejects.toMatchObject({
      code: "WORKSPACE_FAILED",
      message: expect.stringContaining("nothing"),
    });
  });

  it("takes nothing of the environment", async () => {
    process.env["COORDINATOR_TEST_SECRET"] = "canary";
    const { folder, git } = pretending("env > seen");
    await git.call({ args: ["x"] });
    delete process.env["COORDINATOR_TEST_SECRET"];
    const seen = readFileSync(join(folder, "seen"), "utf8");
    expect(seen).not.toContain("canary");
    for (const wanted of [
      "GIT_CONFIG_NOSYSTEM=1",
      "GIT_CONFIG_GLOBAL=/dev/null",
      "GIT_NO_REPLACE_OBJECTS=1",
      "HOME=/nonexistent",
      `GIT_CEILING_DIRECTORIES=${folder}`,
    ])
      expect(seen).toContain(wanted);
  });

  it("is not started in the folder it is about, whose files could choose the program", async () => {
    const { folder, git } = pretending("true");
    await git.call({ args: ["x"] });
    expect(readFileSync(join(folder, "started-in"), "utf8")).toBe("/\n");
  });

  it("allows the file protocol for transfers only", async () => {
    const { folder, git } = pretending('echo "$@" > seen');
    const seen = () => readFileSync(join(folder, "seen"), "utf8");
    await git.call({ args: ["x"] });
    expect(seen()).toContain("protocol.allow=never");
    expect(seen()).not.toContain("protocol.file.allow");
    await git.call({ args: ["x"], transfer: true });
    expect(seen()).toContain("protocol.file.allow=always");
  });

  it("ends when it takes too long, says too much, or its reader has enough", async () => {
    expect(await pretending("exec sleep 60").git.call({ args: ["x"], timeoutMs: 50 })).toMatchObject({
      code: null,
      stopped: "timeout",
    });
    const { git } = pretending("exec yes");
    expect(await git.call({ args: ["x"], mostOutput: 1000 })).toMatchObject({ code: null, stopped: "output" });
    expect(await git.call({ args: ["x"], onOutput: () => false })).toMatchObject({ code: null, stopped: "reader" });
  });

  it("does not take an input that broke off for a whole one", async () => {
    const broken = Readable.from(
      (async function* () {
        yield "begun";
        throw new Error("broken");
      })(),
    );
    const { git } = pretending("cat > /dev/null; exit 0");
    expect(await git.call({ args: ["x"], input: broken })).toMatchObject({ code: null });
  });

  it("says when there is no git", async () => {
    const folder = newFolder();
    const git = createCgit({ path: folder, cwd: folder, ceilings: [] });
    expect(await git.call({ args: ["version"] })).toMatchObject({ code: null, stopped: "unavailable" });
  });
});
