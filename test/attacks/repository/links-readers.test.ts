import { describe, expect, it } from "vitest";
import { type Hostile, openHostile, PEOPLE, sampled } from "./hostile.js";

/* A link at every place that the program reads in a project: what it leads to outside is neither printed nor kept. */

interface Case {
  readonly name: string;
  readonly repository: Hostile;
  readonly command: readonly string[];
  readonly code?: number;
  readonly says?: RegExp;
}

const ASKED = ["Document the function one() of src/index.js in README.md"];
const PLAN = ["plan", ...ASKED, "--out", "plan"];
const REFUSED = { code: 4, says: /link leads out of the project/ } as const;
const CONTEXT = "- ref: docs/guide.md\n  kind: standard\n";
const ADR = "# 2. Rate\n\n## Status\n\nAccepted\n\n## Decision\n\n- Add a limit to `src/index.js`\n";

/** A link to each kind of file at a place whose reader says that it cannot be read. */
const linked = (
  path: string,
  target: string,
  command: readonly string[],
  files: Record<string, string> = {},
): Case => ({
  name: `${path} -> ${target}, by ${command.slice(0, 2).join(" ")}`,
  repository: { links: { [path]: target }, files },
  command,
  ...REFUSED,
});

const CASES: readonly Case[] = [
  linked("docs/guide.md", "HOME/.ssh/id_ed25519", PLAN, { "governance/context.yaml": CONTEXT }),
  linked("docs/guide.md", "../../home/notes/private.md", PLAN, { "governance/context.yaml": CONTEXT }),
  linked("docs", "HOME/notes", PLAN, { "governance/context.yaml": "- ref: docs/private.md\n  kind: standard\n" }),
  {
    name: "a document over a chain of links that ends nowhere",
    repository: {
      files: { "governance/context.yaml": CONTEXT },
      links: { "docs/guide.md": "../a", a: "b/c", b: "HOME/", "d/e": "../docs/guide.md" },
    },
    command: PLAN,
    code: 2,
  },
  linked("docs/guide.md", "/proc/self/environ", PLAN, { "governance/context.yaml": CONTEXT }),
  linked("governance/context.yaml", "HOME/notes/list.yaml", PLAN),
  linked("governance/context.yaml", "HOME/notes/list.yaml", ["route", "README.md"]),
  {
    name: "governance/ that is a link, by doctor",
    repository: { links: { governance: "HOME/notes" } },
    command: ["doctor", "--no-checks"],
  },
  linked("governance/policy.yaml", "HOME/notes/secret.yaml", ["route", "README.md"]),
  linked("governance/intake-policy.yaml", "HOME/notes/secret.yaml", ["intake", "README.md"]),
  linked("governance/execution-policy.yaml", "HOME/notes/secret.yaml", PLAN),
  linked("governance/contracts/coordinator.yaml", "HOME/notes/secret.yaml", ["doctor"]),
  linked("coordinator.yaml", "HOME/notes/secret.yaml", ["doctor"]),
  linked("coordinator.yaml", "HOME/.config/gh/hosts.yml", ["run", ...ASKED]),
  linked("coordinator.yaml", "../home/notes/secret.yaml", PLAN),
  linked("intent.yaml", "HOME/notes/secret.yaml", ["plan", "--intent", "intent.yaml"]),
  linked("request.txt", "HOME/notes/private.md", ["intake", "request.txt"]),
  linked("request.yaml", "HOME/notes/secret.yaml", ["run", "--request", "request.yaml"]),
  linked("tape.jsonl", "HOME/notes/secret.json", ["verify", "tape.jsonl"]),
  linked("answers.yaml", "HOME/notes/secret.yaml", ["intake", "README.md", "--answers", "answers.yaml"]),
  linked("lines.jsonl", "HOME/notes/secret.json", ["intake", "lines.jsonl", "--batch"]),
  { ...linked("docs/adr/0001-a.md", "HOME/notes/adr/0001-secret.md", ["adr", "check", "docs/adr/0001-a.md"]), code: 2 },
  { ...linked("docs/adr/0001-a.md", "HOME/notes/adr/0001-secret.md", ["adr", "list"]), code: 2 },
  {
    name: "an ADR that is a link, by memory build",
    repository: {
      links: { "docs/adr/0001-a.md": "HOME/notes/adr/0001-secret.md" },
      files: { "docs/adr/0002-b.md": ADR },
    },
    command: ["memory", "build"],
    code: 0,
  },
  {
    name: "an ADR that is a link, by adr watch --once --all",
    repository: { links: { "docs/adr/0001-a.md": "HOME/notes/adr/0001-secret.md" } },
    command: ["adr", "watch", "--once", "--all"],
    code: 0,
  },
  {
    name: "an ADR that is a link, by run --adr",
    repository: { links: { "docs/adr/0001-a.md": "HOME/notes/adr/0001-secret.md" } },
    command: ["run", "--adr", "docs/adr/0001-a.md"],
    code: 2,
  },
  {
    name: "a folder of ADRs that is a link",
    repository: { links: { "docs/adr": "HOME/notes/adr" } },
    command: ["adr", "list"],
    code: 2,
  },
  {
    name: "a folder of ADRs that .adr-dir names outside",
    repository: { files: { ".adr-dir": "../home/notes/adr\n" } },
    command: ["adr", "list"],
    code: 2,
  },
  {
    name: ".adr-dir that is a link",
    repository: { links: { ".adr-dir": "HOME/.npmrc" } },
    command: ["adr", "list"],
    code: 2,
  },
  {
    name: "a handoff that is a link, by memory build",
    repository: { links: { "sessions/2026-01-01-a.md": "HOME/notes/private.md" } },
    command: ["memory", "build"],
    ...REFUSED,
  },
  {
    name: "a folder of handoffs that is a link, by memory build",
    repository: { links: { sessions: "HOME/notes" } },
    command: ["memory", "build"],
    code: 0,
  },
  {
    name: "registry/ that is a link",
    repository: { links: { registry: "HOME/notes" } },
    command: ["registry", "check"],
  },
  {
    name: "an entry of the registry that is a link",
    repository: { links: { "registry/rules/a.yaml": "HOME/notes/secret.yaml" } },
    command: ["registry", "check"],
  },
  {
    name: "a registry that is named and is a link",
    repository: { links: { more: "HOME/notes" } },
    command: ["registry", "check", "--registry", "more"],
    code: 2,
  },
  {
    name: "manifests and pipelines that are links, by init",
    repository: {
      links: {
        "package.json": "HOME/notes/secret.json",
        "package-lock.json": "HOME/notes/secret.json",
        "pyproject.toml": "HOME/.npmrc",
        Makefile: "HOME/.bashrc",
        ".github/workflows/ci.yml": "HOME/notes/secret.yaml",
        ".python-version": "HOME/.npmrc",
        ".nvmrc": "HOME/.npmrc",
        ".gitattributes": "HOME/.npmrc",
        "coverage/coverage-summary.json": "HOME/notes/secret.json",
      },
    },
    command: ["init", "--yes", "--no-checks"],
    code: 0,
  },
  {
    name: "manifests that are links, by facts collect",
    repository: {
      links: { "package.json": "HOME/notes/secret.json", "coverage/coverage-summary.json": "HOME/notes/secret.json" },
    },
    command: ["facts", "collect", "--out", "facts.json"],
    code: 0,
  },
  {
    name: "manifests that are links, by intake --repo",
    repository: { links: { "package.json": "HOME/notes/secret.json" } },
    command: ["intake", "README.md", "--repo", ".", "--explain"],
  },
  {
    name: "the folder of workflows that is a link, by doctor",
    repository: { links: { ".github": "HOME/.config" } },
    command: ["doctor"],
  },
  {
    name: "a plan with a file that is a link",
    repository: {
      files: { "plan/manifest.json": "{}" },
      links: { "plan/inputs/facts.json": "HOME/notes/secret.json" },
    },
    command: ["verify", "plan"],
    ...REFUSED,
  },
  {
    name: "a plan whose folder is a link",
    repository: { links: { plan: "HOME/notes" } },
    command: ["run", "--plan", "plan"],
    code: 2,
  },
  {
    name: "a link into .git",
    repository: { files: { "governance/context.yaml": CONTEXT }, links: { "docs/guide.md": "../.git/config" } },
    command: PLAN,
    code: 4,
    says: /a link leads into \.git/,
  },
  {
    name: "a nested project whose files above it are links",
    repository: {
      files: { "sub/coordinator.yaml": "project: sub\n" },
      links: { "governance/policy.yaml": "HOME/notes/secret.yaml" },
    },
    command: ["--cwd", "sub", "route", "../README.md"],
    ...REFUSED,
  },
  {
    name: "a link that stays inside is followed",
    repository: {
      files: { "governance/context.yaml": CONTEXT, "notes.md": "# Guide\n" },
      links: { "docs/guide.md": "../notes.md" },
    },
    command: PLAN,
    code: 0,
  },
];

describe.each(PEOPLE)("as $name, a link where something is read", (who) => {
  it.each(sampled(CASES, who))("$name", async ({ repository, command, code, says = /./ }) => {
    const opened = openHostile(repository, who);
    const ran = await opened.run(...command);
    expect(opened.harm(ran.output)).toEqual([]);
    expect(ran.timedOut).toBe(false);
    expect(ran.output).not.toContain("INTERNAL");
    expect(ran.output).toMatch(says);
    if (code !== undefined) expect({ code: ran.code, output: ran.output }).toMatchObject({ code });
  });

  it("submodules: files above one, and below it, that are links", async () => {
    const opened = openHostile(
      {
        files: { "sub/coordinator.yaml": "project: sub\n", "sub/governance/context.yaml": CONTEXT },
        links: { "sub/docs/guide.md": "../../up.md", "up.md": "HOME/notes/private.md" },
      },
      who,
    );
    // As a checkout of a submodule is: a file that names the repository, which stands in the one around it.
    opened.git("clone", "-q", "--bare", ".", ".git/modules/sub");
    opened.git("config", "-f", ".git/modules/sub/config", "core.bare", "false");
    opened.git("config", "-f", ".git/modules/sub/config", "core.worktree", "../../../sub");
    const { writeFileSync } = await import("node:fs");
    writeFileSync(`${opened.project}/sub/.git`, "gitdir: ../.git/modules/sub\n");
    for (const command of [
      ["plan", ...ASKED, "--out", "plan"],
      ["doctor", "--no-checks"],
    ]) {
      const ran = await opened.run("--cwd", "sub", ...command);
      expect(opened.harm(ran.output)).toEqual([]);
      expect(ran.timedOut).toBe(false);
    }
  });

  it("hooks and filters that are committed run nowhere", async () => {
    const act = "#!/bin/sh\necho ran >> HOME/.bashrc\n";
    const names = ["pre-commit", "post-checkout", "post-merge", "reference-transaction"];
    const opened = openHostile(
      {
        files: {
          ...Object.fromEntries(
            names.flatMap((name) => [
              [`hooks/${name}`, act],
              [`.husky/${name}`, act],
              [`.githooks/${name}`, act],
            ]),
          ),
          ".gitattributes": "* filter=evil diff=evil merge=evil\n",
          ".gitconfig": '[core]\n\thooksPath = hooks\n[filter "evil"]\n\tclean = echo ran >> HOME/.bashrc\n',
        },
      },
      who,
    );
    for (const command of [["doctor", "--no-checks"], PLAN, ["facts", "collect"]]) {
      const ran = await opened.run(...command);
      expect(opened.harm(ran.output)).toEqual([]);
    }
  });
});
