import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { hashEvent } from "../../src/hands/store/chain/hash-event.js";
import { sha256 } from "../../src/hands/store/sha256.js";
import { type Database, loadDriver } from "../../src/hands/store/sqlite/driver.js";
import { ensureBuilt } from "../build.js";
import { root } from "../cli/program.js";
import { addOwnSettings } from "../own-settings.js";
import { type Asked, asked } from "./asked.js";

/* What is kept of a run beside its log, and who hears of it: anchors, notices, approvals, the board. */

beforeAll(ensureBuilt, 300_000);

const ASK = "Add CSV export to the reports page";
const TEST = 'import { test } from "node:test";\ntest("nothing", () => {});\n';
const SECRET = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
const CONTRACT = readFileSync(join(root, "policy/contract.yaml"), "utf8")
  .replace("  - merge_run\n", "")
  .replace("  - take_decision\n", "")
  .replace("requires_approval:\n", "requires_approval:\n  - merge_run\n  - take_decision\n");
const FILES = {
  "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
  "src/reports.mjs": "export const reports = [];\n",
  "test/reports.test.mjs": TEST,
  "governance/contracts/coordinator.yaml": CONTRACT,
  ".gitignore": ".coordinator/\n",
};

/** The person's own program: it writes down what it is told. */
const LISTENER = `import { appendFileSync, readFileSync } from "node:fs";
appendFileSync(process.argv[2], readFileSync(0, "utf8"));
if (process.argv[3] !== undefined) { console.error(process.argv[3]); process.exit(7); }`;

interface Told {
  readonly about: string;
  readonly message: string;
  readonly next: string;
}

function told({ env }: Asked): Told[] {
  const file = join(env["HOME"] ?? "", "told.jsonl");
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Told);
}

function listen({ env }: Asked, ...more: string[]): void {
  const home = env["HOME"] ?? "";
  writeFileSync(join(home, "listener.mjs"), LISTENER);
  const command = [process.execPath, join(home, "listener.mjs"), join(home, "told.jsonl"), ...more];
  addOwnSettings(home, { notify: { command }, record: { anchor: ["~/kept/anchors.jsonl", "git:refs/coord/kept"] } });
}

/** The whole story once: words, a question, an answer, the end, the merge. */
function desk(): Asked {
  const made = asked(
    FILES,
    [
      { title: ASK, attempt: 1, steps: [{ ask: `Which separator? Mine is ${SECRET}.` }] },
      { title: ASK, writes: { "src/csv.mjs": "export const csv = () => '';\n" } },
      { title: `Write tests: ${ASK}`, writes: { "test/csv.test.mjs": TEST } },
    ],
    { settings: { board: {} } },
  );
  listen(made);
  return made;
}

const names = (log: Awaited<ReturnType<Asked["log"]>>) => log.map(({ event }) => event.type);
const clean = (at: Asked) =>
  (at.json("facts", "collect", "--out", "../facts.json")["pack"] as { facts: Record<string, { value: unknown }> })
    .facts["working_tree_clean"]?.value;

describe("the record of a run", () => {
  it("tells people once, keeps its anchors, names every approval, and any change of its log is found", async () => {
    const at = desk();
    const first = at.call("run", ASK, "--type", "technical", "--yes");
    expect([first.code, first.stderr]).toEqual([3, ""]);
    const waiting = told(at);
    expect(waiting).toMatchObject([
      { about: "waiting", message: expect.stringContaining("Which separator?") as unknown },
    ]);
    expect(JSON.stringify(waiting)).not.toContain(SECRET.slice(0, 12));
    expect((await at.log()).find(({ event }) => event.type === "plan_approved")?.event).toMatchObject({
      decider: { by: "ada", how: "person", via: "yes" },
    });

    // The board follows what a person decides while nobody works; its own files are nobody's uncommitted work.
    const [, id = "", run = ""] = /coordinator answer (\S+) TEXT --run (\S+)/.exec(waiting[0]?.next ?? "") ?? [];
    const question = id.replaceAll("'", "");
    expect(at.call("answer", question, "A comma").code, "the contract wants it approved").toBe(3);
    expect(at.call("answer", question, "A comma", "--yes")).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(join(at.cwd, "PROJECT_HQ.md"), "utf8")).toContain("answered: A comma");
    expect(at.git("status", "--porcelain")).toContain("PROJECT_HQ.md");
    expect(clean(at)).toBe(true);
    writeFileSync(join(at.cwd, "sessions/mine.md"), "My own notes.\n");
    expect(clean(at), "somebody's own change").toBe(false);
    rmSync(join(at.cwd, "sessions/mine.md"));

    // Killed when the end was told and before that was in the log: nobody is told a second time.
    at.dieAt("notice.sent@run");
    expect(at.call("run", "--last").code).toBe(null);
    expect(told(at).map(({ about }) => about)).toEqual(["waiting", "ended"]);
    expect(names(await at.log()).at(-1)).toBe("run_finished");
    const again = at.call("run", "--last");
    expect([again.code, again.stderr]).toEqual([0, ""]);
    expect(told(at)).toHaveLength(2);

    const merge = (at.json("response", run)["next_steps"] as string[]).find((step) => step.includes(" merge ")) ?? "";
    const words = merge.split(" ").slice(1);
    expect(at.call(...words).code, "the contract wants it approved").toBe(3);
    expect(at.call(...words, "--yes")).toMatchObject({ code: 0, stderr: "" });
    const log = await at.log();
    const given = log.flatMap(({ event }) => (event.type === "approval_given" ? [event] : []));
    expect(given).toMatchObject([
      { action: "take_decision", clause: "requires_approval: take_decision", decider: { by: "ada", via: "yes" } },
      { action: "merge_run", clause: "requires_approval: merge_run", decider: { by: "ada", via: "yes" } },
    ]);
    expect(log.at(-1)?.event).toMatchObject({
      type: "run_merged",
      into: "main",
      to: at.git("rev-parse", "main"),
      decider: { by: "ada", via: "yes" },
    });
    expect(at.json("response", run), "what it came to stays what it was").toMatchObject({ status: "completed" });

    const proof = at.json("verify", run);
    expect(proof).toMatchObject({ passed: true, proven: { sequence: log.length, by: "anchor" } });
    await expectEveryTamperFound(at, run, log.length);
  });
});

/** The seven ways to change a log, each on the real store, each found without being told where anchors are. */
async function expectEveryTamperFound(at: Asked, run: string, last: number): Promise<void> {
  const file = join(at.cwd, ".coordinator/runs.db");
  const kept = join(at.env["HOME"] ?? "", "untouched.db");
  let turn = 0;
  const tampered = async (change: (database: Database) => void) => {
    // Changed elsewhere and put in place whole: no connection of another life is mixed up with it.
    const changed = join(at.env["HOME"] ?? "", `changed-${turn++}.db`);
    copyFileSync(kept, changed);
    const database = (await loadDriver()).open(changed);
    change(database);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    for (const more of ["", "-wal", "-shm"]) rmSync(`${file}${more}`, { force: true });
    copyFileSync(changed, file);
    const { findings } = at.json("verify", run) as { findings: { kind: string; message: string }[] };
    return findings;
  };
  const settled = (await loadDriver()).open(file);
  settled.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  settled.close();
  copyFileSync(file, kept);
  expect(await tampered(() => undefined)).toEqual([]);
  const ways: Readonly<Record<string, readonly [change: string | ((database: Database) => void), kind: string]>> = {
    edit: [`UPDATE events SET event = replace(event, 'A comma', 'A tab') WHERE type = 'question_answered'`, "changed"],
    delete: ["DELETE FROM events WHERE sequence = 5", "removed"],
    insert: [
      `UPDATE events SET sequence = -sequence WHERE sequence > 7; UPDATE events SET sequence = 1 - sequence WHERE sequence < 0;
       INSERT INTO events (run, sequence, at, clock_ms, type, event, previous_hash, hash)
         SELECT run, 8, at, clock_ms, type, event, previous_hash, hash FROM events WHERE sequence = 7`,
      "changed",
    ],
    reorder: [
      `UPDATE events SET sequence = 100000 WHERE sequence = 6; UPDATE events SET sequence = 6 WHERE sequence = 7;
       UPDATE events SET sequence = 7 WHERE sequence = 100000`,
      "changed",
    ],
    "truncate the tail": [`DELETE FROM events WHERE sequence > ${last - 3}`, "truncated"],
    "rewrite and hash anew": [(database) => rewrite(database, run), "replaced"],
    "truncate the tail and its checkpoints": [
      `DELETE FROM events WHERE sequence > ${last - 3}; DELETE FROM notes WHERE key > 'checkpoint/${String(last - 3).padStart(12, "0")}'`,
      "truncated",
    ],
  };
  for (const [way, [change, kind]] of Object.entries(ways)) {
    const findings = await tampered((database) => {
      database.exec("PRAGMA ignore_check_constraints = ON; DROP INDEX one_event_per_place");
      if (typeof change === "string") database.exec(change);
      else change(database);
    });
    expect(findings, way).toContainEqual(expect.objectContaining({ kind }));
  }
}

/** Another answer, and every hash from there on made to fit; without the key its checkpoints can only be taken away. */
function rewrite(database: Database, run_id: string): void {
  const rows = database
    .prepare("SELECT id, sequence, at, clock_ms, event, hex(previous_hash) AS previous FROM events ORDER BY sequence")
    .all() as { id: number; sequence: number; at: string; clock_ms: number; event: string; previous: string }[];
  let previous_hash = rows[0]?.previous.toLowerCase() ?? "";
  for (const { id, sequence, at, clock_ms, event: before } of rows) {
    const event = JSON.parse(before.replace("A comma", "A tab")) as unknown;
    const hash = hashEvent({ run_id, sequence, at, clock_ms, event, previous_hash }, sha256);
    database
      .prepare("UPDATE events SET event = ?, previous_hash = ?, hash = ? WHERE id = ?")
      .run(before.replace("A comma", "A tab"), Buffer.from(previous_hash, "hex"), Buffer.from(hash, "hex"), id);
    previous_hash = hash;
  }
  database.exec("DELETE FROM notes WHERE key LIKE 'checkpoint/%'");
}
