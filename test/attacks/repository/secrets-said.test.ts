import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AttemptNote } from "../../../src/hands/attempts/attempt-order.js";
import { openRecords } from "../../../src/hands/attempts/run-records.js";
import { writeResult } from "../../../src/hands/attempts/shim/instance-folder.js";
import { NoteWriter } from "../../../src/hands/attempts/shim/notes.js";
import { collectLines } from "../../../src/hands/attempts/whole-messages.js";
import { withoutSecrets } from "../../../src/foundation/files/known-secrets.js";
import { builtInRegistryDirectory, loadRegistry } from "../../../src/hands/registry/load-registry.js";
import { compileGuardrails } from "../../../src/mind/scope/compile-guardrails.js";
import { diffGate } from "../../../src/mind/scope/diff-gate.js";
import { KINDS } from "../../../src/foundation/secrets/kinds/all.js";
import { chanceFrom, exampleOfKind, LETTERS, randomText } from "../../../src/testing/secret-examples.js";
import { findAbilities } from "../../../src/hands/sandbox/grade.js";
import { attemptOnce } from "../../attempts/attempt.js";
import { ensureBuilt } from "../../build.js";

/* An agent, a check or a repository says secrets of every kind, in whole and in pieces: none of them is written down. */

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "coordinator-said-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const chance = chanceFrom(1313);
/** One of every kind, without the fixed beginning: what must not be anywhere. */
const SECRETS = KINDS.map((kind) => {
  const shape = kind.shapes[0] ?? "";
  const said = exampleOfKind(kind, shape, chance);
  const fixed = (shape.split("{")[0] ?? "").length;
  return { kind: kind.name, said, body: said.slice(fixed) };
});
const PASSWORD = randomText(LETTERS.alnum, 18, chance);

/** Apart, so that the lines below are not headers of keys. */
const KEY: string = "KEY";
const message = (text: string): AttemptNote => ({ type: "agent", event: { type: "message", text } });

describe("what is written of what others say holds no secret", () => {
  it.each([1, 3, 7, 1000])("in events.jsonl, said in pieces of %d characters", (size) => {
    const at = folder();
    const said = collectLines(new NoteWriter(at, 64 * 1024 * 1024).write);
    for (const { said: token } of SECRETS) {
      const text = `I found ${token} in the settings.\n`;
      for (let i = 0; i < text.length; i += size) said.note(message(text.slice(i, i + size)));
    }
    said.note(message(`DB_PASSWORD=${PASSWORD.slice(0, 5)}`));
    said.note({
      type: "agent",
      event: {
        type: "usage",
        usage: {
          amounts: { tokens: 1, cost_usd: 0, minutes: 0, files: 0, commits: 0, api_calls: 1 },
          source: "reported",
        },
      },
    });
    said.note(message(PASSWORD.slice(5)));
    said.end();
    const written = readFileSync(join(at, "events.jsonl"), "utf8");
    expect(written).toContain("in the settings");
    for (const { kind, body } of SECRETS) expect([kind, written.includes(body)]).toEqual([kind, false]);
    expect(written).not.toContain(PASSWORD);
    expect(written).not.toContain(PASSWORD.slice(5));
  });

  it("in the result of a shim and in records, by value and by name", async () => {
    const at = folder();
    const value = { output: SECRETS.map(({ said }) => `it says ${said} here`), env: { DB_PASSWORD: PASSWORD } };
    writeResult(at, { kind: "value", value });
    const { path } = await openRecords(join(at, "records")).write("attempt", value);
    for (const file of [join(at, "result"), path]) {
      const written = readFileSync(file, "utf8");
      for (const { kind, body } of SECRETS) expect([kind, written.includes(body)]).toEqual([kind, false]);
      expect(written).not.toContain(PASSWORD);
    }
  });

  it("and what holds no secret is written as it was said", () => {
    const value = {
      session_id: "0193a7e2-5b1c-7d4e-9f60-2a8b4c6d8e0f",
      commit: "4f9a1c7e5b2d80643f9a1c7e5b2d80643f9a1c7e",
      ref: "refs/coord/run_20261116-101010-ab12/head",
      evidence: "sha256:d2c7f3a9b1e5c4f8a6d0b3e7c9f1a5d8d2c7f3a9b1e5c4f8a6d0b3e7c9f1a5d8",
      key_id: "1f2e3d4c",
      token: { tokens: 1200, key: "tasks/T1" },
      said: "The token parser reads `token: string` and password fields; see src/auth/token-store.ts.",
    };
    expect(withoutSecrets(value)).toEqual(value);
  });
});

describe.runIf(findAbilities().bubblewrap !== null)("an agent in its sandbox", () => {
  it("says a key in pieces, in a plan and in a command: nobody is told the key", async () => {
    ensureBuilt();
    const token = SECRETS.find(({ kind }) => kind === "Anthropic key")?.said ?? "";
    const { events } = await attemptOnce({
      steps: [
        { say: `The key is ${token.slice(0, 9)}` },
        { say: token.slice(9, 30) },
        { say: `${token.slice(30)}\n` },
        { say: "Done." },
      ],
    });
    const said = events.flatMap((event) => (event.type === "message" ? [event.text] : []));
    expect(said.join("")).toContain("The key is [Anthropic key]");
    expect(said.join("")).toContain("Done.");
    expect(JSON.stringify(events)).not.toContain(token.slice(9, 30));
  });
});

describe("the guardrail over a diff", () => {
  const SCOPE = { tools: [], commands: [], read: ["**"], write: ["src/**"], network: [], minutes: 1, output_bytes: 1 };

  it("holds a line with a secret of every kind, names its place, and shows nothing of it", async () => {
    const { guardrails } = await loadRegistry({ directories: [builtInRegistryDirectory()] });
    const lines = [...SECRETS.map(({ said }) => `value = "${said}"`), `DB_PASSWORD=${PASSWORD}`, "nothing to see"];
    const files = lines.map((text, i) => ({ path: `src/f${i}.txt`, text }));
    const decision = diffGate({
      scope: { ...SCOPE, files: 1000 },
      guardrails: compileGuardrails(guardrails),
      changes: files.map(({ path }) => ({ path, change: "modified", mode: "100644", size: 10, binary: false })),
      // What is taken away may be a secret: taking it away is right.
      lines: files.map(({ path, text }) => ({
        path,
        binary: false,
        capped: false,
        added: [{ line: 7, text }],
        removed: [{ line: 7, text: `old ${SECRETS[0]?.said}` }],
      })),
      overrides: [],
    });
    const held = new Map(decision.findings.map((finding) => [finding.path, finding]));
    for (const [i, { kind, body }] of SECRETS.entries()) {
      expect([kind, held.get(`src/f${i}.txt`)]).toMatchObject([kind, { rule_id: "forbid_secrets", line: 7 }]);
      expect([kind, JSON.stringify(decision).includes(body)]).toEqual([kind, false]);
    }
    expect(held.has(`src/f${SECRETS.length}.txt`)).toBe(true);
    expect(held.has(`src/f${SECRETS.length + 1}.txt`)).toBe(false);
    expect(JSON.stringify(decision)).not.toContain(PASSWORD);
  });

  it("takes a private key for one secret, where it begins", async () => {
    const { guardrails } = await loadRegistry({ directories: [builtInRegistryDirectory()] });
    const edge = (word: string) => `-----${word} OPENSSH PRIVATE ${KEY}-----`;
    const body = [1, 2, 3].map(() => randomText(LETTERS.base64, 64, chance));
    const added = ["first", edge("BEGIN"), ...body, edge("END"), "last"].map((text, i) => ({ line: i + 1, text }));
    const decision = diffGate({
      scope: { ...SCOPE, files: 10 },
      guardrails: compileGuardrails(guardrails),
      changes: [{ path: "src/id", change: "added", mode: "100644", size: 10, binary: false }],
      lines: [{ path: "src/id", binary: false, capped: false, added, removed: [] }],
      overrides: [],
    });
    expect(decision.findings.filter(({ rule_id }) => rule_id === "forbid_secrets")).toMatchObject([
      { line: 2, excerpt: "[private key]" },
    ]);
  });
});
