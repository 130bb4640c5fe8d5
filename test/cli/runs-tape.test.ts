import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { fileAnchor } from "../../src/hands/store/chain/anchor-file.js";
import { gitAnchor } from "../../src/hands/store/chain/anchor-git.js";
import { checkpointKey } from "../../src/hands/store/chain/checkpoint.js";
import { loadDriver } from "../../src/hands/store/sqlite/driver.js";
import { amounts, planRef, runTask } from "../../src/testing/run-fixtures.js";
import { addOwnSettings } from "../own-settings.js";
import { coordinator, coordinatorJson, root, workFolder } from "./program.js";
import { AUTO, inTheMiddle, Log, project, storeIn } from "./run-logs.js";

const RUN = "run_on_tape";

/** A run of some two hundred events, so that a checkpoint stands in its middle and one at its end. */
function long(): Log {
  const tasks = Array.from({ length: 40 }, (_, i) => runTask(`T${i}`, { dependencies: i === 0 ? [] : [`T${i - 1}`] }));
  const log = new Log().open(planRef(tasks, { budget: amounts(1e6) }), AUTO);
  for (let i = 0; i < 40; i++) log.finish(`T${i}`);
  return log;
}

let cwd = "";
beforeAll(async () => {
  cwd = await project({ [RUN]: long(), run_open: inTheMiddle() }, "kept");
});

/** The same project, its log changed by somebody who is not this program. */
async function tampered(sql: string): Promise<string> {
  const copy = workFolder();
  mkdirSync(join(copy, ".coordinator"));
  for (const name of readdirSync(join(cwd, ".coordinator")).filter((file) => !file.endsWith("-shm")))
    if (name !== "signals") copyFileSync(join(cwd, ".coordinator", name), join(copy, ".coordinator", name));
  const database = (await loadDriver()).open(join(copy, ".coordinator", "runs.db"));
  database.exec(sql);
  database.close();
  return copy;
}

describe("replay", () => {
  it("folds the log again, to the byte, up to the event that is asked for", async () => {
    const args = ["replay", RUN, "--at", "9", "--events"];
    const [first, second] = await Promise.all([coordinator(args, { cwd }), coordinator(args, { cwd })]);
    expect(first).toEqual(second);
    expect(first.stdout).toContain("9  7000 ms  T0: accepted, done");
    expect(first.stdout).toContain("\n       T0: review → completed\n       T1: waiting for 1 → ready\n");
    expect(first.stdout).toContain(`${RUN} at event 9 of `);
    const { json } = await coordinatorJson(["replay", RUN], { cwd });
    expect(json).toMatchObject({ type: "replay", state: { status: "completed", completed: 40, running: 0 } });
    expect((json["state"] as { tasks: unknown[] }).tasks[0]).toEqual({
      task_id: "T0",
      agent: "agent_a",
      attempts: 1,
      retries: 0,
      status: "completed",
    });
  });
});

describe("verify a run", () => {
  it("says what it proves and what it cannot", async () => {
    const { code, stdout } = await coordinator(["verify", RUN], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\+ holds {3}chain {8}\d+ events, each chained to the one before it\n/);
    expect(stdout).toContain("\n- absent  anchors      none was given\n");
    expect(stdout).toMatch(/\+ holds {3}fold {9}163 events reported, \d+ more follow from them by rule\n/);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      "Without an anchor, cutting the log and its checkpoints off together would not show",
    );
    expect(stdout).toMatch(/\nVerified: run_on_tape has (\d+) events; vouched for up to event \1 by a checkpoint\n$/);
  });

  it.each([
    [
      "a word changed",
      `UPDATE events SET event = replace(event, '"agent_a"', '"agent_b"') WHERE sequence = 5`,
      "changed",
      5,
    ],
    ["an event removed", "DELETE FROM events WHERE sequence = 50", "removed", 50],
    ["the end cut off", "DELETE FROM events WHERE sequence > 150", "truncated", 151],
    ["a checkpoint removed", "DELETE FROM notes WHERE key LIKE '%100'", "unsigned", 1],
  ])("finds %s and names the event", async (_, sql, kind, sequence) => {
    const { code, json } = await coordinatorJson(["verify", RUN], { cwd: await tampered(sql) });
    expect([code, json["passed"]]).toEqual([5, false]);
    expect(json["findings"]).toContainEqual(expect.objectContaining({ kind, sequence }));
  });

  it("a log that cannot be folded hides no other run, and is told to be verified", async () => {
    const broken = await tampered(`UPDATE events SET event = '{"type":"unheard_of"}' WHERE sequence = 8 AND run = 1`);
    const list = await coordinator(["status"], { cwd: broken });
    expect([list.code, list.stdout.split("\n").length]).toEqual([0, 8]);
    expect(list.stdout).toMatch(/x unreadable {4}run_on_tape *\n {4}Event 8 of run_on_tape/);
    const { code, json } = await coordinatorJson(["status", RUN], { cwd: broken });
    expect([code, json["code"]]).toEqual([5, "STORE_CORRUPT"]);
    expect(json["fix"]).toContain(`coordinator verify ${RUN}`);
    const verified = await coordinatorJson(["verify", RUN], { cwd: broken });
    expect(verified.code).toBe(5);
    expect(verified.json["findings"]).toContainEqual(expect.objectContaining({ kind: "impossible", sequence: 8 }));
  });

  it("holds it against anchors in a file and in git", async () => {
    const store = await storeIn(cwd);
    const note = (await store.get(RUN, checkpointKey(100))) ?? "";
    await store.close();
    const elsewhere = workFolder();
    const file = join(elsewhere, "anchors.jsonl");
    await fileAnchor(file).write(RUN, note);
    const { json } = await coordinatorJson(["verify", RUN, "--anchor", file], { cwd });
    expect(json).toMatchObject({
      passed: true,
      checks: expect.arrayContaining([expect.objectContaining({ name: "anchors", passed: true })]),
    });
    const unsigned = await tampered("DELETE FROM events WHERE sequence > 99; DELETE FROM notes");
    expect((await coordinator(["verify", RUN], { cwd: unsigned })).code, "a checkpoint was due").toBe(5);
    const cut = await tampered("DELETE FROM events WHERE sequence > 4; DELETE FROM notes");
    expect((await coordinator(["verify", RUN], { cwd: cut })).code).toBe(0);
    await new Promise((resolve) => spawn("git", ["init", "-q", cut]).on("close", resolve));
    await gitAnchor(cut, process.env).write(RUN, note);
    for (const anchor of [file, "git:", `git:refs/coord/anchors/${RUN}`]) {
      const found = await coordinator(["verify", RUN, "--anchor", anchor], { cwd: cut });
      expect([found.code, found.stdout.includes("The log ends at event 4, but an anchor knows 100")]).toEqual([
        5,
        true,
      ]);
    }
    expect((await coordinator(["verify", RUN, "--anchor", "nowhere"], { cwd })).code).toBe(2);
    const unknown = await coordinator(["verify", "run_open", "--anchor", file], { cwd });
    const said = unknown.stdout.replaceAll(/\s+/g, " ");
    expect([unknown.code, said.includes(`${file} holds no anchor of this run.`)]).toEqual([0, true]);
  });
});

describe("anchor", () => {
  it("keeps the checkpoints of a run where it is told to, or where it is configured, which verify then knows", async () => {
    const elsewhere = workFolder();
    const file = join(elsewhere, "kept", "anchors.jsonl");
    const { code, json } = await coordinatorJson(["anchor", RUN, "--to", file], { cwd });
    expect([code, json]).toMatchObject([
      0,
      { type: "anchored", run_id: RUN, places: [{ where: file, written: 3, problem: null }] },
    ]);
    const again = await coordinator(["anchor", RUN, "--to", file], { cwd });
    expect(again.stdout).toContain(`+ anchored  ${file}  up to event `);
    expect(again.stdout).toContain(", as before\n");

    const here = await tampered("SELECT 1");
    const env = { HOME: elsewhere };
    writeFileSync(join(here, "coordinator.yaml"), JSON.stringify({ record: { anchor: file } }));
    // A file outside of the project is a person's to name.
    const waiting = await coordinator(["anchor", RUN], { cwd: here, env });
    expect([waiting.code, waiting.stderr.includes(`writes the checkpoints of runs to the file ~/kept`)]).toEqual([
      2,
      true,
    ]);
    addOwnSettings(elsewhere, { record: { anchor: file } });
    expect((await coordinator(["anchor", RUN], { cwd: here, env })).code).toBe(0);
    expect((await coordinatorJson(["verify", RUN], { cwd: here, env })).json).toMatchObject({
      passed: true,
      proven: { by: "anchor" },
      checks: expect.arrayContaining([expect.objectContaining({ name: "anchors", passed: true })]),
    });
    const cut = await tampered("DELETE FROM events WHERE sequence > 99; DELETE FROM notes");
    expect((await coordinator(["verify", RUN], { cwd: cut, env })).code).toBe(5);
    const refused = await coordinator(["anchor", RUN], { cwd: cut, env });
    expect([refused.code, refused.stdout.includes("and the log is signed up to 0")]).toEqual([1, true]);
  });

  it.each([
    ["a branch of yours", ["anchor", RUN, "--to", "git:refs/heads/main"], "USAGE", "below refs/coord/"],
    ["nowhere", ["anchor", RUN], "USAGE", "No place for anchors is configured"],
  ])("refuses %s", async (_, args, code, why) => {
    const { code: exit, json } = await coordinatorJson(args, { cwd });
    expect([exit, json["code"], String(json["message"]).includes(why)]).toEqual([2, code, true]);
  });
});

describe("a tape", () => {
  const key = (text: string) => (JSON.parse(text.split("\n")[0] ?? "") as { public_key: string }).public_key;

  it.each(["jsonl", "json"])("as %s is verified by a stranger, and any change is found", async (format) => {
    const stranger = workFolder();
    const out = join(stranger, "tape");
    const written = await coordinator(["export", RUN, "--format", format, "--out", out], { cwd });
    expect([written.code, written.stdout.split("\n")[1]]).toEqual([0, `Next: coordinator verify ${out}`]);
    expect((await coordinator(["export", RUN, "--format", format], { cwd })).stdout).toBe(readFileSync(out, "utf8"));
    const good = readFileSync(out, "utf8");
    const accepted = await coordinator(["verify", "tape"], { cwd: stranger });
    expect(accepted.code).toBe(0);
    expect(accepted.stdout).toContain("The key came with the tape.");
    writeFileSync(out, good.replace("ref-T3", "ref-T4"));
    const changed = await coordinatorJson(["verify", "tape"], { cwd: stranger });
    expect([changed.code, (changed.json["findings"] as { kind: string }[])[0]?.kind]).toEqual([5, "changed"]);
  });

  it("with its end cut off, without its header, or signed by another key, is not accepted", async () => {
    const stranger = workFolder();
    const { stdout: good } = await coordinator(["export", RUN], { cwd });
    const other = await project({ run_x: new Log().open(planRef([runTask("A")])) });
    const { stdout: theirs } = await coordinator(["export", "run_x"], { cwd: other });
    writeFileSync(join(stranger, "key.pem"), key(good));
    writeFileSync(join(stranger, "other.pem"), key(theirs));
    const verify = async (text: string, ...more: string[]) => {
      writeFileSync(join(stranger, "tape"), text);
      return coordinatorJson(["verify", "tape", ...more], { cwd: stranger });
    };
    const trusted = await verify(good, "--key", "key.pem");
    expect(trusted.code).toBe(0);
    expect(JSON.stringify(trusted.json["unproven"])).not.toContain("came with the tape");
    expect((await verify(good, "--key", "other.pem")).code).toBe(5);
    expect((await verify(good, "--key", "other.pem", "--key", "key.pem")).code).toBe(0);
    // Alone beside the tape it proves nothing: what counts is named, or lies beside the person's own settings.
    expect((await verify(good, "--key", "none.pem")).json).toMatchObject({ code: "FILE_NOT_FOUND" });
    const cut = good.split("\n").filter((line) => !/"sequence":1[5-9]\d,/.test(line));
    expect((await verify(cut.join("\n"))).code).toBe(5);
    expect(await verify(good.split("\n").slice(1).join("\n"))).toMatchObject({
      code: 2,
      json: { code: "DOCUMENT_INVALID" },
    });
  });
});

describe("watch on a terminal", () => {
  it("draws over itself, leaves the last picture, and ends with the right code", async () => {
    const command = `${process.execPath} ${join(root, "dist/cli/main.js")} watch run_open --idle 0`;
    const child = spawn("script", ["-qec", command, "/dev/null"], {
      cwd,
      env: { PATH: process.env["PATH"], TERM: "xterm", TZ: "UTC" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let seen = "";
    child.stdout.on("data", (text: Buffer) => (seen += text.toString()));
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(3);
    expect(seen).toContain("\u001b[2K");
    expect(seen).toContain("Which separator? A semicolon?");
    expect(seen).toContain("Next: coordinator answer");
  });

  it("starts with the event that is asked for", async () => {
    const { code, stdout } = await coordinator(["watch", "run_open", "--from", "8", "--idle", "0"], { cwd });
    expect(code).toBe(3);
    expect(stdout.split("\n").slice(0, 4)).toEqual([
      "Watching run_open",
      "7 events came before; coordinator replay run_open --events shows them",
      "    8  04:05:11  C asks q_C#1: Which separator? A semicolon?",
      "Tasks 0 done, 1 running, 3 waiting · Needs you 2 · <$0.01 of $10 (partly estimated)",
    ]);
  });
});
