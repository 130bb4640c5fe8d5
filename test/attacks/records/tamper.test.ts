import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CHECKPOINT_PREFIX } from "../../../src/hands/store/chain/checkpoint.js";
import { coordinator, root } from "../../cli/program.js";
import { type Ground, makeGround, OPEN, OTHER, REQUEST, RUN } from "./ground.js";
import { append, numberOf, rechain, resign } from "./rewrite.js";
import { type Answer, WAYS } from "./ways.js";

/* Somebody changes what was kept of a run. Each way has its answer written down, those that nobody can know too. */

let at: Ground;
beforeAll(async () => {
  at = await makeGround();
});
afterAll(() => at?.remove());
beforeEach(() => at.restore());

describe("records that nobody changed", () => {
  it.each([RUN, OTHER, OPEN, REQUEST])("verify: %s", async (run) => {
    expect((await at.verify(run)).findings).toEqual([]);
  });

  it("verify without what this machine remembers, too", async () => {
    rmSync(at.memory, { recursive: true });
    const { findings, unproven } = await at.verify();
    expect(findings).toEqual([]);
    expect(unproven.join(" ")).toContain("Without an anchor, cutting the log and its checkpoints off together");
  });
});

const WITH: Readonly<Record<Answer, boolean>> = { found: false, remembered: false, unknowable: true, harmless: true };
const WITHOUT: Readonly<Record<Answer, boolean>> = { found: false, remembered: true, unknowable: true, harmless: true };

describe("a way to change them", () => {
  it("there are many, each of them once", () => {
    expect(new Set(WAYS.map(({ name }) => name)).size).toBe(WAYS.length);
    expect(WAYS.length).toBeGreaterThanOrEqual(60);
  });

  it.each(WAYS.map((way) => [way.answer, way.name, way] as const))("%s: %s", async (answer, _, { change }) => {
    await change(at);
    const { passed, findings } = await at.verify();
    expect([passed, findings]).toEqual([WITH[answer], WITH[answer] ? [] : expect.anything()]);
    rmSync(at.memory, { recursive: true, force: true });
    expect((await at.verify()).passed, "without what this machine remembers").toBe(WITHOUT[answer]);
  });

  it("is told by the program with exit code 5, and with what is wrong", async () => {
    await at.sql(`DELETE FROM notes WHERE run = ${numberOf(RUN)}`);
    const { code, stdout } = await coordinator(["verify", RUN], at);
    expect([code, stdout]).toEqual([5, expect.stringMatching(/\(run_finished\) has no signed checkpoint/)]);
  });

  it.each([OTHER, OPEN, REQUEST])("is found in a run that was never merged, and in a request: %s", async (run) => {
    await at.sql(`UPDATE events SET event = replace(event, 'Do it', 'Do that') WHERE run = ${numberOf(run)}`);
    expect((await at.verify(run)).passed).toBe(false);
  });

  it("SECURITY.md names those that nobody can know", () => {
    const said = readFileSync(join(root, "SECURITY.md"), "utf8").replaceAll(/\s+/g, " ");
    for (const part of [
      "cut off together with its checkpoints",
      "written anew by somebody with the key",
      "does not name by a checksum",
    ])
      expect(said).toContain(part);
  });
});

describe("an anchor", () => {
  const anchors = async () => {
    const notes: string[] = [];
    await at.sql((database) => {
      const rows = database
        .prepare(`SELECT value FROM notes WHERE run = ${numberOf(RUN)} AND key LIKE '${CHECKPOINT_PREFIX}%'`)
        .all();
      notes.push(...(rows as { value: string }[]).map(({ value }) => value));
    });
    return [{ where: "elsewhere", notes }];
  };

  it("finds what neither the project nor this machine's memory knows any more", async () => {
    const kept = await anchors();
    expect((await at.verify(RUN, kept)).passed).toBe(true);
    rmSync(at.memory, { recursive: true });
    await at.sql((database) =>
      resign(
        database,
        RUN,
        at.folder,
        rechain(database, RUN, (event) => event.replace("Do it", "Do that")),
      ),
    );
    expect((await at.verify(RUN)).passed).toBe(true);
    expect((await at.verify(RUN, kept)).passed).toBe(false);
  });

  it("that waits for trust, or that settings with a problem name, is said not to have been read", async () => {
    const settings = join(at.cwd, "coordinator.yaml");
    const before = existsSync(settings) ? readFileSync(settings) : null;
    try {
      writeFileSync(settings, "record: { anchor: [~/anchors-elsewhere.jsonl] }\n");
      const waiting = await coordinator(["verify", RUN], at);
      const said = waiting.stdout.replaceAll(/\s+/g, " ");
      expect([waiting.code, said]).toEqual([0, expect.stringContaining("those that settings name were not read")]);
      expect(said).toContain("The anchor ~/anchors-elsewhere.jsonl of the project was not read");
      writeFileSync(settings, "record: { anchor: 7 }\n");
      const broken = await coordinator(["verify", RUN], at);
      expect(broken.stdout.replaceAll(/\s+/g, " ")).toContain("so no anchor that they name was read");
    } finally {
      if (before === null) rmSync(settings);
      else writeFileSync(settings, before);
    }
  });

  it("that was changed is found, and so is one of another run", async () => {
    const [{ notes } = { notes: [] }] = await anchors();
    const changed = notes.map((note) => note.replace("2026", "2025"));
    expect((await at.verify(RUN, [{ where: "elsewhere", notes: changed }])).passed).toBe(false);
    expect((await at.verify(OTHER, [{ where: "elsewhere", notes }])).passed).toBe(false);
  });
});

describe("a tape", () => {
  const tape = join(".", "run.tape");
  const exported = async () => {
    const { code } = await coordinator(["export", RUN, "--out", tape], at);
    expect(code).toBe(0);
    return readFileSync(join(at.cwd, tape), "utf8").trimEnd().split("\n");
  };
  const verified = async (lines: readonly string[]) => {
    writeFileSync(join(at.cwd, tape), `${lines.join("\n")}\n`);
    return (await coordinator(["verify", tape], at)).code;
  };

  it("is found to be changed in each of its parts", async () => {
    const lines = await exported();
    const [header = "", ...rest] = lines;
    const less = (name: string) =>
      header.replace(new RegExp(`"${name}":(\\d+)`), (_, n: string) => `"${name}":${Number(n) - 1}`);
    expect(await verified(lines)).toBe(0);
    expect(await verified(lines.map((line) => line.replace("PASS", "FAIL"))), "an event").toBe(5);
    expect(await verified([less("checkpoints"), ...rest.slice(0, -1)]), "the last checkpoint").toBe(5);
    expect(await verified([header.replace(/"public_key":"[^"]*"/, '"public_key":null'), ...rest]), "the key").toBe(5);
    expect(await verified([less("events"), ...rest.filter((line) => !line.includes('"run_merged"'))]), "the end").toBe(
      5,
    );
    expect(await verified([header, ...rest.slice(1)]), "an event left out").toBe(5);
  });
});

describe("a ref that was moved", () => {
  it.each([["merge", "--into", "main"], ["merge", "--export-branch", "mine"], ["diff"]])(
    "is refused by %s %s: what was expected and found is told, and nothing is changed",
    async (...words) => {
      at.git("update-ref", `refs/coord/${RUN}/head`, at.foreign);
      const before = [at.git("for-each-ref"), at.git("status", "--porcelain")];
      const [command = "", ...rest] = words;
      const { code, stdout, stderr } = await coordinator([command, RUN, ...rest], at);
      expect(code).toBe(5);
      const said = `${stdout}${stderr}`.replaceAll(/\s+/g, " ");
      expect(said).toContain(`refs/coord/${RUN}/head points at ${at.foreign}, and the log names ${at.head}`);
      expect(said).toContain(`git update-ref refs/coord/${RUN}/head ${at.head}`);
      expect([at.git("for-each-ref"), at.git("status", "--porcelain")]).toEqual(before);
    },
  );

  it("a log that does not verify is not merged either", async () => {
    await at.sql((database) =>
      append(database, RUN, {
        type: "approval_given",
        action: "merge_run",
        clause: "x",
        decider: { by: "mallory", how: "person" },
      }),
    );
    const { code, stdout } = await coordinator(["merge", RUN, "--export-branch", "mine"], at);
    expect([code, stdout]).toEqual([5, expect.stringContaining("The record of the run does not verify")]);
    expect(at.git("branch", "--list", "mine")).toBe("");
  });

  it("a branch that is missing is none: the log's commit is taken", async () => {
    at.git("update-ref", "-d", `refs/coord/${RUN}/head`);
    const { code } = await coordinator(["merge", RUN, "--export-branch", "mine"], at);
    expect([code, at.git("rev-parse", "mine")]).toEqual([0, at.head]);
  });
});
