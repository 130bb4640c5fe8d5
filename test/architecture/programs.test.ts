import { describe, expect, it } from "vitest";
import { sourceFiles } from "./source-files.js";

/*
 * Who may start a program, and where it is started. Version managers and interpreters take code from the folder they are
 * started in, so outside of a sandbox that is never a folder of a clone.
 */

const STARTERS: Readonly<Record<string, string>> = {
  "app/decide/current-user.ts": "git, by gitWords",
  "app/doctor/doctor-checks.ts": "git --version, in OUTSIDE",
  "app/doctor/examine-toolchains.ts": "toolchains for their versions, in OUTSIDE",
  "app/hand-over/background.ts": "this program, in the state folder",
  "app/init/install-packages.ts": "package managers, in the clone: only after a person said yes to the command",
  "app/notify/send-notice.ts": "the person's own program, in their home",
  "app/prove/anchors.ts": "git, by gitWords",
  "hands/agents/find-agents.ts": "agents for their versions, in OUTSIDE",
  "hands/agents/scripted/perform-action.ts": "the scripted agent, which runs in a sandbox itself",
  "hands/agents/scripted/use-mcp.ts": "the scripted agent, which runs in a sandbox itself",
  "hands/attempts/setup/kept.ts": "cp of the system",
  "hands/attempts/shim/spawn-shim.ts": "this program, in the state folder",
  "hands/facts/git.ts": "git, by gitWords",
  "hands/facts/read-blobs.ts": "git, by gitWords",
  "hands/git/cgit.ts": "git, by gitWords",
  "hands/git/start-git.ts": "git, where and with which words its callers say",
  "hands/git/users-git.ts": "git, by gitWords",
  "hands/hosts/find-token.ts": "gh and git credential, in OUTSIDE",
  "hands/sandbox/caches.ts": "cp of the system",
  "hands/sandbox/grade.ts": "programs of the system, to try a sandbox",
  "hands/sandbox/launch.ts": "programs of the system, which open a sandbox",
  "hands/sandbox/network/relay.ts": "what runs in a sandbox, from inside",
  "hands/sandbox/owner.ts": "programs of the system",
  "hands/sandbox/shown/shown-places.ts": "cp of the system",
  "hands/sandbox/without-sandbox.ts": "an agent without a sandbox, by a person's order, in its workspace",
  "hands/sandbox/watch/watcher.ts": "this program, in /",
  "hands/workspace/spread-folders.ts": "programs of the system",
  "hands/store/chain/anchor-git.ts": "git, by gitWords",
};

const modules = sourceFiles().filter(({ path }) => !path.startsWith("testing/"));
const starting = modules.filter(({ text }) =>
  /^import (?!type\b)[^;]*\bfrom "(?:node:child_process|[./a-z]*\/start-git\.js)";/m.test(text),
);

describe("programs", () => {
  it("are started by these modules alone", () => {
    expect(starting.map(({ path }) => path).sort()).toEqual(Object.keys(STARTERS).sort());
  });

  it.each(Object.entries(STARTERS))("%s starts %s", (path, said) => {
    const text = modules.find((each) => each.path === path)?.text ?? "";
    const [, word] = /\b(gitWords|OUTSIDE)\b/.exec(said) ?? [];
    if (word !== undefined && path !== "hands/facts/read-blobs.ts") expect(text).toMatch(new RegExp(`\\b${word}\\b`));
    if (word !== undefined) expect(text).not.toMatch(/cwd: (?:repo|repository|root|folder|place)\b/);
  });
});
