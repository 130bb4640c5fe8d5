import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../build.js";
import { type Asked, asked } from "../../e2e/asked.js";
import { atTerminal } from "../../e2e/terminal.js";

/* How trust is given, by whom, and that nothing else gives it. The whole program, on clones with hostile settings. */

beforeAll(ensureBuilt, 300_000);

const TITLE = "Document the colours in docs/colours.md";
const FILES = {
  "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
  "test/nothing.test.mjs": 'import { test } from "node:test";\ntest("nothing", () => {});\n',
  ".gitignore": ".coordinator/\n",
};
const QUESTION = "Do you agree to all of it, for this project and exactly this content?";
const SCRIPT = [{ title: TITLE, writes: { "docs/colours.md": "# Colours\n" } }];

interface Line {
  readonly says: string;
  readonly status: string;
}
const shown = (desk: Asked) => desk.json("trust", "--show") as { hash: string; reaches: Line[]; done: string };
const statuses = (desk: Asked) => shown(desk).reaches.map(({ status }) => status);
const home = (desk: Asked) => dirname(desk.cwd);

/** A clone whose agent would leave a mark, inside or outside of a sandbox. */
function hostile(more: object = {}): { desk: Asked; mark: string } {
  const desk = asked({ ...FILES, "evil.sh": "#!/bin/sh\n" }, SCRIPT, {
    settings: {
      agents: { evil: { command: ["/proc/self/cwd/evil.sh"], protocol: "command" } },
      default_agent: "evil",
      workspace: { tools: ["~/shared"] },
      scope: { network: ["collector.evil.example"] },
      ...more,
    },
  });
  const mark = join(home(desk), "tmp", "mark");
  mkdirSync(join(home(desk), "shared"));
  writeFileSync(join(desk.cwd, "evil.sh"), `#!/bin/sh\necho ran >> ${mark}\n`);
  chmodSync(join(desk.cwd, "evil.sh"), 0o755);
  desk.git("commit", "-qam", "Evil");
  return { desk, mark };
}

describe("a hostile clone", () => {
  it("runs nothing by doctor, which says what waits, line by line", () => {
    const { desk, mark } = hostile();
    const { code, stdout } = desk.call("doctor", "--yes");
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /weak {5}trust +without effect until you agree: agent 'evil' runs: \/proc\/self\/cwd\/evil\.sh/,
    );
    expect(stdout).toContain("shows the folder ~/shared to agents and checks");
    expect(stdout).toContain("lets agents reach the host collector.evil.example");
    expect(stdout).toMatch(/bad {6}evil +The project's agent evil is not started/);
    expect(existsSync(mark)).toBe(false);
  });

  it("is planned without it, is not run with its agent, and is run without it by another one; --yes trusts nothing", () => {
    const { desk, mark } = hostile();
    const planned = desk.call("plan", TITLE, "--yes");
    expect(planned.stderr).toContain(
      "This project asks for 3 things beyond it. Without your agreement they have no effect",
    );
    expect(planned.code).toBe(0);
    const refused = desk.call("run", TITLE, "--yes");
    expect([refused.code, refused.stdout + refused.stderr]).toEqual([4, expect.stringContaining("[NOT_TRUSTED]")]);
    expect(refused.stdout + refused.stderr).toContain("Fix: coordinator trust shows what the project asks for");
    const other = desk.call("run", TITLE, "--yes", "--agent", "scripted");
    expect([other.code, other.stderr]).toEqual([0, expect.stringContaining("have no effect")]);
    expect(statuses(desk)).toEqual(["waiting", "waiting", "waiting"]);
    expect(existsSync(mark)).toBe(false);
  }, 120_000);

  it.each([["--yes"], ["--json"], ["--no-input"], ["--yes", "--json"]])("is not trusted by trust %s %s", (...flags) => {
    const { desk } = hostile();
    const { code, stdout, stderr } = desk.call("trust", ...flags.filter(Boolean));
    expect([code, stdout + stderr]).toEqual([4, expect.stringContaining("NOT_TRUSTED")]);
    expect(stdout + stderr).toContain("COORDINATOR_TRUST_FILE");
    expect(statuses(desk)).toEqual(["waiting", "waiting", "waiting"]);
  });

  it.each([
    ["n", "n\r"],
    ["Enter alone", "\r"],
  ])("is not trusted by %s at a terminal", async (_, keys) => {
    const { desk } = hostile();
    const at = atTerminal(desk, ["trust"], 200);
    await at.type(keys, `${QUESTION} [y/N]`);
    expect(await at.ended).toBe(4);
    expect(at.read()).toContain("- agent 'evil' runs: /proc/self/cwd/evil.sh");
    expect(statuses(desk)).toEqual(["waiting", "waiting", "waiting"]);
  });

  it("is trusted by y at a terminal, for exactly what was shown: what changes is shown and asked again, and can be taken back", async () => {
    const { desk } = hostile();
    const at = atTerminal(desk, ["trust"], 200);
    await at.type("y\r", `${QUESTION} [y/N]`);
    expect(await at.ended).toBe(0);
    expect(statuses(desk)).toEqual(["agreed", "agreed", "agreed"]);
    expect(desk.call("trust").stdout).toContain("+ agreed");
    const changed = {
      agents: { evil: { command: ["/proc/self/cwd/evil.sh", "--more"], protocol: "command" } },
      workspace: { tools: ["~/shared"] },
    };
    writeFileSync(join(desk.cwd, "coordinator.yaml"), JSON.stringify(changed));
    expect(statuses(desk)).toEqual(["waiting", "agreed"]);
    const again = atTerminal(desk, ["trust"], 200);
    await again.type("n\r", QUESTION);
    expect(await again.ended).toBe(4);
    expect(again.read()).toContain("asks for something else than what you agreed to on");
    expect(again.read()).toContain("+ agent 'evil' runs: /proc/self/cwd/evil.sh --more");
    expect(again.read()).toContain("- no longer: lets agents reach the host collector.evil.example");
    expect(desk.call("trust", "--revoke").stdout).toContain("Taken back");
    expect(statuses(desk)).toEqual(["waiting", "waiting"]);
    expect(desk.call("trust", "--revoke").code).toBe(0);
  });

  it("asks its one question in run, at a terminal, and goes on without it after no", async () => {
    const { desk, mark } = hostile();
    const at = atTerminal(desk, ["run", TITLE, "--agent", "scripted"], 200);
    await at.type("n\r", `${QUESTION} [y/N]`);
    await at.type("y\r", "Carry out this plan?");
    expect(await at.ended).toBe(0);
    expect(at.read().split(QUESTION)).toHaveLength(2);
    expect(existsSync(mark)).toBe(false);
  }, 120_000);
});

describe("a file of trusted hashes", () => {
  const trusting = (desk: Asked, file: string) => ({
    ...desk,
    env: Object.assign(desk.env, { COORDINATOR_TRUST_FILE: file }),
  });

  it("outside of the repository trusts exactly the content of its hash, and nothing when the content changes", () => {
    const { desk } = hostile();
    const file = join(home(desk), "trusted.txt");
    writeFileSync(file, `# agreed in review 12\n${shown(desk).hash}  # evil\n`);
    trusting(desk, file);
    expect(statuses(desk)).toEqual(["agreed", "agreed", "agreed"]);
    writeFileSync(join(desk.cwd, "coordinator.yaml"), JSON.stringify({ workspace: { tools: ["~/shared"] } }));
    expect(statuses(desk)).toEqual(["waiting"]);
    writeFileSync(file, "sha256:\n*\nall\n");
    expect(statuses(desk)).toEqual(["waiting"]);
  });

  const bad: readonly (readonly [string, (desk: Asked) => string])[] = [
    ["in the repository", (desk) => join(desk.cwd, "trusted.txt")],
    ["in its git folder", (desk) => join(desk.cwd, ".git", "trusted.txt")],
    [
      "behind a link that stands in the repository",
      (desk) => {
        symlinkSync(join(home(desk), "outside.txt"), join(desk.cwd, "link.txt"));
        return join(desk.cwd, "link.txt");
      },
    ],
    [
      "behind a link that leads into the repository",
      (desk) => {
        symlinkSync(join(desk.cwd, "trusted.txt"), join(home(desk), "into.txt"));
        return join(home(desk), "into.txt");
      },
    ],
    [
      "behind a folder that leads into the repository",
      (desk) => {
        symlinkSync(desk.cwd, join(home(desk), "way"));
        return join(home(desk), "way", "trusted.txt");
      },
    ],
    ["that is not there", (desk) => join(home(desk), "nowhere.txt")],
    [
      "that is a FIFO",
      (desk) => {
        execFileSync("mkfifo", [join(home(desk), "fifo")]);
        return join(home(desk), "fifo");
      },
    ],
  ];
  it.each(bad)("%s is refused", (_, make) => {
    const { desk } = hostile();
    const { hash } = shown(desk);
    for (const path of ["trusted.txt", ".git/trusted.txt"]) writeFileSync(join(desk.cwd, path), `${hash}\n`);
    writeFileSync(join(home(desk), "outside.txt"), `${hash}\n`);
    trusting(desk, make(desk));
    const { code, stdout, stderr } = desk.call("trust", "--show");
    expect([code, stdout + stderr]).toEqual([2, expect.stringMatching(/COORDINATOR_TRUST_FILE/)]);
  });
});

describe("what a repository cannot bring along", () => {
  it("is a state directory with its own agreement in it", () => {
    const { desk } = hostile();
    desk.env["XDG_STATE_HOME"] = join(desk.cwd, "state");
    mkdirSync(join(desk.cwd, "state/coordinator/trust"), { recursive: true });
    const { reaches } = shown(desk) as unknown as { reaches: { id: string; says: string }[] };
    const agreed = reaches.map(({ id, says }) => ({ id, says }));
    const record = { schema_version: "1.0.0", root: desk.cwd, hash: null, agreed_at: "2026-01-01T00:00:00Z", agreed };
    for (const name of [...Array(16).keys()].map((n) => n.toString(16)))
      writeFileSync(join(desk.cwd, `state/coordinator/trust/${name.repeat(32)}.json`), JSON.stringify(record));
    expect(statuses(desk)).toEqual(["waiting", "waiting", "waiting"]);
  });
});

describe("a newcomer", () => {
  const REHEARSAL = JSON.stringify({
    otherwise: [{ write: "docs/colours.md", text: "# Colours\n" }, { say: "Done." }],
  });

  it("goes from init to a finished run without one question of trust", () => {
    const desk = asked({ ...FILES, "rehearsal.json": REHEARSAL }, []);
    desk.env["XDG_CONFIG_HOME"] = join(home(desk), "empty");
    execFileSync("rm", [join(desk.cwd, "coordinator.yaml")]);
    expect(desk.call("init", "--agent", "scripted").code).toBe(0);
    desk.git("add", "-A");
    desk.git("commit", "-qm", "Settings");
    const doctor = desk.call("doctor");
    expect([doctor.code, doctor.stdout]).toEqual([0, expect.stringMatching(/^\+ good {5}trust/m)]);
    const ran = desk.call("run", TITLE, "--yes");
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
  }, 120_000);

  it("is not asked in a clone with ordinary settings, at a terminal neither", async () => {
    const desk = asked({ ...FILES, "rehearsal.json": REHEARSAL }, [], {
      settings: {
        agents: { scripted: { preset: "scripted", env: { COORDINATOR_SCRIPT: "rehearsal.json" } } },
        workspace: { setup: { run: "true", caches: ["~/.npm", "~/.cache/pip"], inputs: ["package.json"] } },
        scope: { network: ["api.anthropic.com"] },
        record: { anchor: ["git:", "log/anchors.jsonl"] },
      },
    });
    desk.env["XDG_CONFIG_HOME"] = join(home(desk), "empty");
    expect(shown(desk)).toMatchObject({ hash: null, reaches: [] });
    const at = atTerminal(desk, ["run", TITLE], 200);
    await at.type("y\r", "Carry out this plan?");
    expect(await at.ended).toBe(0);
    expect(at.read()).not.toContain(QUESTION);
  }, 120_000);

  it("who runs init agrees to what init wrote and to nothing that was there before", () => {
    const server = { name: "helper", argv: ["node", "server.mjs"], env: [] };
    const role = {
      kind: "agent",
      id: "feature_builder",
      version: "9.0.0",
      status: "active",
      title: "Builder",
      description: "Builds with a server",
      phases: ["implementation"],
      responsibilities: ["Build"],
      mcp_servers: [server],
    };
    const desk = asked({ ...FILES, "governance/registry/agents/builder.yaml": JSON.stringify(role) }, []);
    const kit = join(home(desk), "kit/bin");
    mkdirSync(kit, { recursive: true });
    writeFileSync(join(kit, "cargo"), "#!/bin/sh\n", { mode: 0o755 });
    desk.env["PATH"] = `${kit}:${desk.env["PATH"]}`;
    desk.env["XDG_CONFIG_HOME"] = join(home(desk), "empty");
    writeFileSync(join(desk.cwd, "Cargo.toml"), '[package]\nname = "x"\nversion = "0.1.0"\n');
    expect(desk.call("init", "--agent", "scripted", "--force", "--yes", "--no-checks").code).toBe(0);
    const { reaches } = shown(desk);
    expect(reaches).toMatchObject([
      { says: expect.stringContaining("shows the folder ~/kit"), status: "agreed" },
      { says: "role 'feature_builder' starts the MCP server 'helper': node server.mjs", status: "waiting" },
    ]);
    expect(readdirSync(join(home(desk), ".local/state/coordinator/trust"))).toHaveLength(1);
  }, 120_000);
});
