import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAbilities } from "../../src/hands/sandbox/grade.js";
import { ensureBuilt } from "../build.js";
import { scripted } from "../../src/hands/agents/presets/scripted.js";
import { attemptOnce } from "./attempt.js";

/* A person's own login, in a home that is nobody's. What an agent can do with it, and that it needs the person's word. */

const home = mkdtempSync(join(tmpdir(), "coordinator-home-"));
const SECRET = "login-of-nobody-51c7";
const LOGIN = ".codex/auth.json";
const before = process.env["HOME"];

beforeAll(() => {
  ensureBuilt();
  for (const path of [LOGIN, ".codex/history.jsonl", ".ssh/id_ed25519"]) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), SECRET, { mode: 0o600 });
  }
  process.env["HOME"] = home;
});
afterAll(() => {
  process.env["HOME"] = before;
  rmSync(home, { recursive: true, force: true });
});

const unseen = (command: string) => ({ run: command, ask: false, report: false });
/** Everything of the home that an agent can read, below the two places it could be. */
const LOOK = `{ cd "$HOME" && find . -type f ! -path "./.scripted-agent/*" ! -name config.toml; ls -A ${home} 2>&1 | tail -1; } > /ws/src/found`;
const HARM = [`echo x >> ${LOGIN}`, `echo x > ${LOGIN}`, `rm -f ${LOGIN}`, `mv ${LOGIN} away`, `chmod 666 ${LOGIN}`];

const look = (agent: object) =>
  attemptOnce({
    agent: { ...agent },
    order: { tools: scripted.command.slice(1) },
    steps: [unseen(LOOK), { say: "Done." }],
  }).then(({ file }) => file("src/found"));

describe.runIf(findAbilities().bubblewrap !== null)("a login of the person", () => {
  it("is shown when configuration says so: to be read, never to be changed, and nothing beside it", async () => {
    const tried = HARM.map((command) => `(cd "$HOME" && ${command}) 2>/dev/null && echo "done: ${command}"`).join("; ");
    const { result, file } = await attemptOnce({
      agent: { auth: { type: "own", files: [LOGIN, ".nothing/there"], hosts: ["auth.example.com"] } },
      steps: [
        unseen(LOOK),
        unseen(`cat "$HOME/${LOGIN}" > src/read`),
        unseen(`{ ${tried}; true; } > src/tried`),
        { say: "Done." },
      ],
    });
    expect(result.outcome).toMatchObject({ kind: "completed" });
    expect(file("src/read")).toBe(SECRET);
    expect(file("src/found")).toMatch(new RegExp(`^\\./${LOGIN}\nls: .*No such file or directory$`));
    expect(file("src/tried")).toBe("");
    expect(readFileSync(join(home, LOGIN), "utf8")).toBe(SECRET);
  });

  it.each([
    ["of a program of one's own, when nothing is said", { preset: undefined, mode: null }],
    ["of a preset, when configuration says no", { preset: "codex", mode: "ask", auth: { type: "none" } }],
  ])("is not there %s", async (_, agent) => {
    expect(await look(agent)).toMatch(/^ls: .*No such file or directory$/);
  });

  it("of a preset is that of the preset alone, when a person names the preset and says no more", async () => {
    expect(await look({ preset: "codex", mode: "ask" })).toMatch(new RegExp(`^\\./${LOGIN}\nls: .*No such file`));
  });
});
