import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Hostile, openHostile, PEOPLE, sampled } from "./hostile.js";

/* A link at every place that the program writes in a project. Each is refused, and nothing is written through it. */

interface Case {
  readonly name: string;
  readonly repository: Hostile;
  readonly command: readonly string[];
  /** What is said: which file, and that it is a link. */
  readonly says: RegExp;
  readonly code?: number;
}

const state = (target: string): Hostile => ({ links: { ".coordinator": target } });
const LINKED_STATE = /\.coordinator is a link\.[\s\S]*LINK_REFUSED|LINK_REFUSED[\s\S]*\.coordinator is a link/;
const ASKED = ["Document the module in README.md"];

/** Every command that keeps or reads state finds the same: its folder is elsewhere. */
const COMMANDS: readonly (readonly string[])[] = [
  ["init", "--yes", "--no-checks"],
  ["init", "--yes", "--no-checks", "--board"],
  ["doctor"],
  ["plan", ...ASKED, "--out", "plan"],
  ["run", ...ASKED],
  ["run", "--last"],
  ["facts", "collect"],
  ["memory", "build"],
  ["adr", "watch", "--once"],
  ["status"],
  ["inbox"],
  ["handoff", "last"],
  ["verify", "last"],
  ["clean"],
];

const OF_STATE = [
  ["runs.db", "HOME/.bashrc"],
  ["runs.db-wal", "HOME/.bashrc"],
  ["runs.db.lock", "HOME/.bashrc"],
  ["signing-key.pem", "HOME/.ssh/id_ed25519"],
  ["redaction-salt", "HOME/.npmrc"],
  [".gitignore", "HOME/.bashrc"],
  ["facts.json", "HOME/notes/secret.json"],
  ["memory.json", "HOME/notes/secret.json"],
  ["profile.json", "HOME/notes/secret.json"],
  ["definitions.txt", "HOME/notes/private.md"],
  ["adr-watch.json", "HOME/notes/secret.json"],
  ["board", "HOME/box"],
  ["records", "HOME/box"],
  ["attempts", "HOME/box"],
  ["signals", "HOME/box"],
  ["cages", "HOME/box"],
  ["setup", "HOME/box"],
  ["baselines", "HOME/box"],
  ["plans", "HOME/box"],
  ["requests", "HOME/box"],
  ["activity", "HOME/box"],
  ["ports", "HOME/box"],
] as const;

const CASES: readonly Case[] = [
  ...COMMANDS.map((command) => ({
    name: `.coordinator, by ${command.join(" ")}`,
    repository: state("HOME/box"),
    command,
    says: LINKED_STATE,
  })),
  { name: ".coordinator, relative", repository: state("../home/box"), command: ["doctor"], says: LINKED_STATE },
  { name: ".coordinator, to nothing", repository: state("HOME/new"), command: ["run", ...ASKED], says: LINKED_STATE },
  {
    name: ".coordinator, to a file",
    repository: state("HOME/.bashrc"),
    command: ["run", ...ASKED],
    says: LINKED_STATE,
  },
  {
    name: ".coordinator, to a folder of the project",
    repository: state("src"),
    command: ["run", ...ASKED],
    says: LINKED_STATE,
  },
  {
    name: ".coordinator, over a chain",
    repository: { links: { ".coordinator": "a", a: "b", b: "HOME/box" } },
    command: ["run", ...ASKED],
    says: LINKED_STATE,
  },
  ...OF_STATE.map(([name, target]) => ({
    name: `.coordinator/${name}`,
    repository: { links: { [`.coordinator/${name}`]: target } },
    command: ["run", ...ASKED],
    says: new RegExp(`${name.replaceAll(".", "\\.")} is a link`),
  })),
  {
    name: "coordinator.yaml, by init --force",
    repository: { links: { "coordinator.yaml": "HOME/.bashrc" } },
    command: ["init", "--force", "--yes", "--no-checks"],
    says: /coordinator\.yaml/,
  },
  {
    name: "coordinator.yaml to nothing, by init",
    repository: { links: { "coordinator.yaml": "HOME/new.yaml" } },
    command: ["init", "--yes", "--no-checks"],
    says: /coordinator\.yaml is there already/,
    code: 2,
  },
  {
    name: "the folder of the contract, by init",
    repository: { links: { governance: "HOME/box" } },
    command: ["init", "--yes", "--no-checks"],
    says: /governance.*is a link/,
  },
  {
    name: "the folder of a plan",
    repository: { links: { plan: "HOME/box" } },
    command: ["plan", ...ASKED, "--out", "plan"],
    says: /plan/,
  },
  {
    name: "a folder on the way to a plan",
    repository: { links: { plans: "HOME/box" } },
    command: ["plan", ...ASKED, "--out", "plans/first"],
    says: /plans, on the way to .*plans\/first, is a link|plans.*is a link/,
  },
  {
    name: "a plan that is written aside first",
    repository: { links: { ".plan.next": "HOME/box" } },
    command: ["plan", ...ASKED, "--out", "plan"],
    says: /./,
    code: 0,
  },
  {
    name: "facts.json by --out",
    repository: { links: { "facts.json": "HOME/.bashrc" } },
    command: ["facts", "collect", "--out", "facts.json"],
    says: /facts\.json is not read: a link leads out/,
  },
  {
    name: "a draft beside facts.json",
    repository: { links: { ".facts.json.next": "HOME/.bashrc" } },
    command: ["facts", "collect", "--out", "facts.json"],
    says: /\.facts\.json\.next is a link/,
  },
  {
    name: "memory.json by --out, over a folder",
    repository: { links: { docs: "HOME/box" } },
    command: ["memory", "build", "--out", "docs/memory.json"],
    says: /docs.*is a link/,
  },
  {
    name: "a folder by its whole path",
    repository: { links: { docs: "HOME/box" } },
    command: ["facts", "collect", "--out", "PROJECT/docs/deep/facts.json"],
    says: /docs.*is a link/,
  },
  {
    name: "an intent that is sealed in place",
    repository: { links: { "intent.json": "HOME/notes/secret.json" } },
    command: ["intent", "seal", "intent.json", "--write"],
    says: /intent\.json is not read: a link leads out/,
  },
];

describe.each(PEOPLE)("as $name, a link where something is written", (who) => {
  it.each(sampled(CASES, who))("$name", async ({ repository, command, says, code = 4 }) => {
    const opened = openHostile(repository, who);
    const ran = await opened.run(...command.map((word) => word.replace("PROJECT", opened.project)));
    expect(opened.harm(ran.output)).toEqual([]);
    expect(ran.output).toMatch(says);
    expect({ code: ran.code, timedOut: ran.timedOut }).toEqual({ code, timedOut: false });
    for (const path of Object.keys(repository.links ?? {}).filter((link) => !link.endsWith(".next")))
      expect(lstatSync(join(opened.project, path)).isSymbolicLink()).toBe(true);
    if (command[0] === "init") expect(existsSync(join(opened.home, "new.yaml"))).toBe(false);
  });
});
