import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findToken } from "../../src/hands/hosts/find-token.js";
import { workFolder } from "../cli/program.js";
import { hosted } from "./hosted.js";

/** A home with programs of its own before those of the machine; `gh` is there and logged in to nothing. */
function machine() {
  const home = workFolder();
  const programs = join(home, "programs");
  mkdirSync(programs);
  const program = (name: string, script: string) => {
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(programs, name), 0o755);
  };
  program("gh", "exit 1");
  const env = { HOME: home, PATH: `${programs}:${process.env["PATH"] ?? ""}` };
  return { home, env, program };
}

const GH = '[ "$*" = "auth token --hostname github.com" ] && echo token-that-gh-keeps';

function keepInGit({ home, program }: ReturnType<typeof machine>): void {
  writeFileSync(join(home, ".gitconfig"), "[credential]\n\thelper = kept\n");
  const answer = "echo username=ada; echo password=token-that-git-keeps";
  program("git-credential-kept", `cat > "$HOME/asked"; ${answer}`);
}

describe("the login for a host", () => {
  it("comes from the variable that the settings name, then from ours, then from that of gh for this server alone", async () => {
    const { env } = machine();
    const all = {
      ...env,
      MINE: "token-of-mine",
      COORDINATOR_GITHUB_TOKEN: "token-of-ours",
      GH_TOKEN: "token-of-gh-hub",
    };
    expect(await findToken("github.com", "MINE", all)).toEqual({ token: "token-of-mine", source: "MINE" });
    expect(await findToken("github.com", undefined, all)).toMatchObject({ source: "COORDINATOR_GITHUB_TOKEN" });
    const gh = { ...env, GH_TOKEN: "token-of-gh-hub" };
    expect(await findToken("github.com", undefined, gh)).toEqual({ token: "token-of-gh-hub", source: "GH_TOKEN" });
    expect(await findToken("git.example.com", undefined, gh)).toBeNull();
  });

  it("comes from gh where no variable has one, asked for this very server", async () => {
    const at = machine();
    at.program("gh", GH);
    keepInGit(at);
    const found = { token: "token-that-gh-keeps", source: "gh auth token" };
    expect(await findToken("github.com", undefined, at.env)).toEqual(found);
  });

  it("comes from git where gh has none, and is nobody's where git has none either", async () => {
    const at = machine();
    expect(await findToken("github.com", undefined, at.env)).toBeNull();
    keepInGit(at);
    const found = { token: "token-that-git-keeps", source: "git credential fill" };
    expect(await findToken("github.com", undefined, at.env)).toEqual(found);
  });

  it("is named by doctor with the rights it lacks, and never shown", async () => {
    const at = await hosted([]);
    const line = async () => {
      const { json, stdout } = await at.coordinator("doctor");
      expect(stdout).not.toContain(at.host.token);
      const found = Object.values(json).flatMap((value) =>
        Array.isArray(value) ? (value as { name?: string }[]) : [],
      );
      return found.find(({ name }) => name === "code host");
    };
    const detail = expect.stringContaining("token from COORDINATOR_GITHUB_TOKEN") as string;
    expect(await line()).toMatchObject({ status: "good", detail, fix: null });
    at.host.rights.set(at.host.me.login, "read");
    const lacking = await line();
    expect(lacking).toMatchObject({
      status: "weak",
      detail: expect.stringContaining("lacks the right to push") as string,
    });
    expect(lacking).toMatchObject({ fix: expect.stringContaining("COORDINATOR_GITHUB_TOKEN") as string });
    at.host.fault = () => ({ status: 401, body: { message: `Bad credentials ${at.host.token}` } });
    expect(await line()).toMatchObject({ status: "weak", fix: expect.any(String) as string });
  });
});
