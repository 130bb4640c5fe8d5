import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keepProjectOut } from "../../../src/app/project/own-environment.js";
import { ownSettings } from "../../../src/hands/settings/load-configuration.js";
import { Configuration } from "../../../src/model/settings/configuration.js";
import { diagnosticsOf } from "../../../src/model/diagnostic.js";
import { findAbilities } from "../../../src/hands/sandbox/grade.js";
import { type Hostile, openHostile, PEOPLE, sampled } from "./hostile.js";

/*
 * What a clone calls by a harmless name: paths that lead into the folder of git by another spelling, programs of the clone
 * that stand on the person's PATH, and a folder that git takes for a repository.
 */

const CAN = findAbilities().grade === "strong";
const ASKED = "Document the function one() of src/index.js in README.md";

/** `.git` and the state folder, as file systems that are less careful than this one would read it. */
const SPELLINGS = [
  "./.git/evil",
  ".//.git/evil",
  "docs/./.git/evil",
  ".GIT/evil",
  ".git./evil",
  ".git /evil",
  "git~1/evil",
  ".g\u200cit/evil",
  ".git::$INDEX_ALLOCATION/evil",
  "sub/.git/evil",
  ".git",
  "./.coordinator/runs.db",
  ".Coordinator/evil",
  "sub/.coordinator/evil",
  "../project/.git/evil",
  "/home/ada/clone/.git/evil",
  "/home/ada/clone/./.GIT/evil",
];

const settingsWith = (path: string): readonly object[] => [
  { board: { queue: path } },
  { board: { hq: path } },
  { board: { sessions: path } },
  { record: { anchor: path } },
];

describe("a setting that leads into .git or the state folder", () => {
  it.each(SPELLINGS)("%j is refused for every file that settings name", (path) => {
    for (const settings of settingsWith(path)) {
      const { error } = Configuration.safeParse(settings);
      const said = error === undefined ? "taken" : JSON.stringify(diagnosticsOf(error, "DOCUMENT_INVALID"));
      expect([settings, said]).toEqual([
        settings,
        expect.stringMatching(/\.git and \.coordinator|must be a path inside/),
      ]);
    }
  });

  it.each(["docs/queue.json", "git/queue.json", ".github/queue.json", "a.git/queue.json", "docs/.hidden/q.json"])(
    "%s is a path like any other",
    (path) => {
      for (const settings of settingsWith(path)) expect(Configuration.safeParse(settings).success).toBe(true);
    },
  );

  it("is refused by a run, which writes nothing", async () => {
    const [who = { name: "", uid: null }] = PEOPLE;
    const board = { queue: "./.git/evil.json", hq: "./.git/info/evil", sessions: ".//.git/hooks/evil" };
    const opened = openHostile({ files: { "coordinator.yaml": JSON.stringify({ board }) } }, who);
    const ran = await opened.run("run", "--yes", ASKED);
    expect([ran.code, ran.output]).toEqual([2, expect.stringContaining("board.queue: must be")]);
    const inside = readdirSync(join(opened.project, ".git"), { recursive: true, encoding: "utf8" });
    expect(inside.filter((path) => path.includes("evil"))).toEqual([]);
  });
});

/** A program of the clone that does what it is asked for, and leaves a mark in the home of the person. */
const evil = (name: string) => `#!/bin/sh\necho "$0 $*" >> HOME/owned\nexec /usr/bin/${name} "$@"\n`;
const NAMES =
  "git node npm npx sh cp tar env bwrap prlimit setpriv python3 go cargo rustc ruby php java mvn gradle dotnet claude codex gemini";
const PROGRAMS = Object.fromEntries(NAMES.split(" ").map((name) => [`bin/${name}`, evil(name)]));
/** Each makes doctor ask a toolchain for its version. */
const ASKS_VERSIONS = {
  "package.json": '{ "name": "project", "engines": { "node": ">=99" }, "scripts": { "test": "node --test" } }\n',
  ".python-version": "3.99\n",
  "go.mod": "module example.org/x\n\ngo 1.99\n",
  "rust-toolchain.toml": '[toolchain]\nchannel = "1.99"\n',
};

const SEARCHED: readonly (readonly [string, Hostile])[] = [
  ["bin", { path: ["bin"] }],
  ["an empty entry, in the folder of the programs", { path: [""] }],
  ["a folder of the clone by its whole path", { path: ["PROJECT/bin"] }],
];
const COMMANDS: readonly (readonly string[])[] = [
  ["doctor", "--no-checks"],
  ["init", "--yes", "--force", "--no-checks"],
  ["plan", ASKED],
];

describe.each(PEOPLE)("as $name, programs of a clone on the PATH", (who) => {
  it.each(sampled(SEARCHED, who))("%s", async (_, { path = [] }) => {
    const opened = openHostile({ files: ASKS_VERSIONS, programs: PROGRAMS, path }, who);
    const where = path.includes("") ? ["--cwd", "bin"] : [];
    for (const command of COMMANDS) {
      const ran = await opened.run(...where, ...command);
      expect(ran.output).not.toContain("INTERNAL");
      expect([command, existsSync(join(opened.home, "owned"))]).toEqual([command, false]);
    }
    if (CAN) await opened.run(...where, "run", "--yes", ASKED);
    expect(opened.harm("")).toEqual([]);
  });
});

/** As git keeps a bare repository. Its settings name a decider and programs. */
const BARE = {
  "sub/HEAD": "ref: refs/heads/main\n",
  "sub/objects/info/keep": "",
  "sub/refs/heads/keep": "",
  "sub/hooks/reference-transaction": "#!/bin/sh\necho ran >> HOME/owned\n",
  "sub/config": [
    "[core]",
    "\trepositoryformatversion = 0",
    "\tbare = false",
    "\tworktree = ..",
    "\tfsmonitor = \"sh -c 'echo ran >> HOME/owned'\"",
    "\tpager = \"sh -c 'echo ran >> HOME/owned'\"",
    "[user]",
    "\tname = mallory",
    "\temail = mallory@example.org",
    "",
  ].join("\n"),
};

describe.each(PEOPLE)("as $name, a folder of a clone that git takes for a repository", (who) => {
  it("runs nothing, and does not say who decides", async () => {
    const opened = openHostile({ files: BARE }, who);
    expect(opened.harm((await opened.run("--cwd", "sub", "doctor", "--no-checks")).output)).toEqual([]);
    const ran = await opened.run("--cwd", "sub", "run", "--yes", ASKED);
    expect(opened.harm(ran.output)).toEqual([]);
    expect(ran.output).not.toContain("mallory");
    if (CAN) expect(ran.output).toContain("approved by ada");
    expect(readFileSync(join(opened.project, "sub", "config"), "utf8")).toContain("mallory");
  });
});

/** What would be settings of the person, if a variable that is empty or relative named their folder. */
const OWN = JSON.stringify({
  agents: { evil: { command: ["sh", "-c", "true"], protocol: "command" } },
  default_agent: "evil",
  logins: ["claude"],
  notify: { command: ["sh", "-c", "touch HOME/owned"] },
});

describe("settings of a clone in the place of the person's own", () => {
  const [who = { name: "", uid: null }] = PEOPLE;
  it.each([
    ["an empty XDG_CONFIG_HOME", { XDG_CONFIG_HOME: "" }, 0],
    ["a relative XDG_CONFIG_HOME", { XDG_CONFIG_HOME: "." }, 0],
    ["an XDG_CONFIG_HOME in the clone", { XDG_CONFIG_HOME: "PROJECT/.config" }, 1],
  ])("%s", async (_, variables, code) => {
    const files = { "coordinator/config.yaml": OWN, ".config/coordinator/config.yaml": OWN };
    const opened = openHostile({ files, variables }, who);
    const doctor = await opened.run("doctor", "--no-checks");
    expect([doctor.code, doctor.output]).toEqual([code, expect.not.stringContaining("evil")]);
    if (Object.values(variables).includes("PROJECT/.config"))
      expect(doctor.output).toMatch(/config\.yaml.*would be your own settings and lies inside of the repository/);
    const ran = await opened.run("run", "--yes", ASKED);
    expect(ran.output).not.toContain("evil");
    expect(existsSync(join(opened.home, "owned"))).toBe(false);
  });

  // The account's own home takes the place of such a HOME, so no command is tried here.
  it("are named by no variable that is empty or relative", () => {
    const environment: NodeJS.ProcessEnv = {
      HOME: "",
      XDG_CONFIG_HOME: ".",
      XDG_STATE_HOME: "state",
      XDG_RUNTIME_DIR: "",
      PATH: "bin:/usr/bin::./x:.",
      LANG: "C",
    };
    expect(ownSettings(environment).startsWith("/")).toBe(false);
    keepProjectOut(environment, "/");
    expect(environment).toEqual({ PATH: "/usr/bin", LANG: "C" });
    expect(ownSettings(environment).startsWith("/")).toBe(true);
  });
});
