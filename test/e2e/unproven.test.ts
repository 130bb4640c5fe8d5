import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { addOwnSettings } from "../own-settings.js";
import { type Asked, asked, type Said } from "./asked.js";

/* Checks that show nothing about a change, as repositories that nobody prepared have them: a person is asked, once. */

beforeAll(ensureBuilt);

const ASK = "Fix the wording in src/greeting.mjs";
const SCRIPT: readonly Said[] = [{ title: ASK, writes: { "src/greeting.mjs": "not JavaScript at all {{{\n" } }];
const FILES = {
  "package.json": '{"type":"module","scripts":{"test":"xo && node --test"}}\n',
  "src/greeting.mjs": 'export const greeting = "Helo";\n',
  "test/greeting.test.mjs":
    'import { test } from "node:test";\nimport { greeting } from "../src/greeting.mjs";\ntest("greets", () => { if (greeting === "") throw new Error("empty"); });\n',
  ".gitignore": ".coordinator/\n",
};
const NPM = { checks: [{ name: "test", kind: "test", run: "npm test" }] };
const WORDS = "test did not run on the base: xo: not found";

/** The only thing that waits, by its id. */
function onlyOne(desk: Asked): { id: string; text: string } {
  const inbox = desk.call("inbox").stdout;
  const ids = [...inbox.matchAll(/^\s*\$ coordinator answer (\S+) --order recheck$/gm)].map(([, id]) => id ?? "");
  expect(ids, inbox).toHaveLength(1);
  return { id: ids[0] ?? "", text: inbox };
}

function held(files: Readonly<Record<string, string>> = FILES, settings: object = NPM, script = SCRIPT): Asked {
  const desk = asked(files, script, { settings });
  const run = desk.call("run", ASK, "--yes");
  expect([run.code, run.stdout], run.stderr).toEqual([3, expect.not.stringContaining("proven against")]);
  return desk;
}

describe("a check whose program is missing", () => {
  it("holds the result and asks one question with its three ways; accepted without proof, everything that reports it says so", async () => {
    const desk = held();
    const { id, text } = onlyOne(desk);
    expect(text.replaceAll(/\s+/g, " ")).toContain(WORDS);
    for (const way of ["recheck", "waive --not-applicable", "waive", "give_up"])
      expect(text).toContain(`$ coordinator answer ${id} --order ${way}\n`);

    expect(desk.call("answer", id, "--order", "waive", "--by", "ada", "--note", "by hand").code).toBe(0);
    const done = desk.call("run", "--last");
    const told = done.stdout.replaceAll(/\s+/g, " ");
    expect(done.code, done.stdout).toBe(0);
    expect(told).not.toContain("every result was proven");
    expect(told).toContain("Completed: 1 of 1 task is done; its result was accepted by ada without full proof.");
    expect(told).toContain(`no check proves it accepted without proof by ada: ${WORDS}`);
    const verdict = (await desk.log()).map(({ event }) => event).findLast((e) => e.type === "verification_finished");
    expect(verdict).toMatchObject({
      verdict: "PASS",
      evidence: expect.stringContaining(`accepted without proof by ada: ${WORDS}`) as unknown,
      proof: { proven_by: [], accepted: [{ id: "test", by: "ada", not_applicable: false }, { id: "*" }] },
    });
    expect(desk.call("verify", "last").stdout.replaceAll(/\s+/g, " ")).toContain(
      `accepted without proof by ada: ${WORDS}`,
    );
    const merged = desk.call("merge", "last");
    expect(merged.code, merged.stdout + merged.stderr).toBe(0);
    expect(desk.git("log", "-3", "--format=%B")).toContain(`accepted without proof by ada: ${WORDS}`);
    const [, payload = ""] = /"payload": "([^"]+)"/.exec(desk.git("notes", "--ref=coord", "show", "main")) ?? [];
    expect(Buffer.from(payload, "base64").toString()).toContain(`accepted without proof by ada: ${WORDS}`);
  });

  it("is asked about again when it was said to be mended and is not, and proves the result once it is", () => {
    const sound: Said[] = [{ title: ASK, writes: { "src/greeting.mjs": 'export const greeting = "Hello";\n' } }];
    const folder = { current: "" };
    const desk = asked(FILES, sound, { settings: NPM });
    const home = desk.env["HOME"] ?? "";
    addOwnSettings(home, { workspace: { tools: ["~/tools", join(home, "script.json")] } });
    folder.current = join(home, "tools/bin");
    mkdirSync(folder.current, { recursive: true });
    expect(desk.call("run", ASK, "--yes").code).toBe(3);
    const first = onlyOne(desk).id;
    expect(desk.call("answer", first, "--order", "recheck").code).toBe(0);
    expect(desk.call("run", "--last").code).toBe(3);
    const second = onlyOne(desk).id;
    expect(second).not.toBe(first);

    writeFileSync(join(folder.current, "xo"), "#!/bin/sh\nexit 0\n");
    chmodSync(join(folder.current, "xo"), 0o755);
    expect(desk.call("answer", second, "--order", "recheck").code).toBe(0);
    const done = desk.call("run", "--last");
    expect(done.code, done.stdout).toBe(0);
    expect(done.stdout.replaceAll(/\s+/g, " ")).toContain("every result was proven against its base");
    expect(done.stdout).toContain("test: 1 passed");
  });

  it("does not count for the run when a person says so: it is not run again, and another check proves the result", async () => {
    const settings = {
      checks: [...NPM.checks, { name: "parses", kind: "build", run: "node --check src/greeting.mjs" }],
    };
    const sound: Said[] = [{ title: ASK, writes: { "src/greeting.mjs": 'export const greeting = "Hello";\n' } }];
    const desk = held(FILES, settings, sound);
    const { id, text } = onlyOne(desk);
    expect(text).not.toContain("no check proves");
    expect(desk.call("answer", id, "--order", "waive", "--not-applicable", "--by", "ada").code).toBe(0);
    const done = desk.call("run", "--last");
    const told = done.stdout.replaceAll(/\s+/g, " ");
    expect(done.code, done.stdout).toBe(0);
    expect(told).toContain("parses: ok");
    expect(told).toContain(`test does not count for this run, by ada: ${WORDS}`);
    const verdict = (await desk.log()).map(({ event }) => event).findLast((e) => e.type === "verification_finished");
    expect(verdict).toMatchObject({ verdict: "PASS", proof: { proven_by: [{ check: "parses" }] } });
  });

  it("ends the run when a person gives up, with nothing on its branch", () => {
    const desk = held();
    expect(desk.call("answer", onlyOne(desk).id, "--order", "give_up").code).toBe(0);
    desk.call("run", "--last");
    expect(desk.git("for-each-ref", "refs/coord/*/head")).toBe("");
    expect(desk.call("response", "last").stdout).toContain("Failed");
  });
});

describe("a project without checks", () => {
  it("proves nothing, however good the change is", () => {
    const desk = held(FILES, { checks: [] });
    expect(onlyOne(desk).text).toContain("no check proves this change");
  });
});

describe("a check that fails and did before, for a cause that stays", () => {
  it("does not let code pass that does not compile", () => {
    const settings = { checks: [{ name: "build", kind: "build", run: "node --check src/broken.mjs" }] };
    const desk = held({ ...FILES, "src/broken.mjs": "broken {{{\n" }, settings);
    expect(onlyOne(desk).text).toContain("build did not run on the base: SyntaxError");
  });
});
