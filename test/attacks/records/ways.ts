import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkpointKey } from "../../../src/hands/store/chain/checkpoint.js";
import { type Ground, OTHER, RUN } from "./ground.js";
import { append, exchangeKey, numberOf, rechain, resign, unsign } from "./rewrite.js";

/*
 * Ways to change what was kept of a run, and what `verify` answers to each without an anchor:
 * - `found`: always, by what lies in the project alone;
 * - `remembered`: by what this machine remembers of the run outside of the project, and not without that;
 * - `unknowable`: not at all; SECURITY.md says so;
 * - `harmless`: nothing is taken from there, so nothing is wrong.
 */
export type Answer = "found" | "remembered" | "unknowable" | "harmless";

export interface Way {
  readonly name: string;
  readonly answer: Answer;
  readonly change: (at: Ground) => unknown;
}

const A = numberOf(RUN);
const B = numberOf(OTHER);
const MALLORY = { by: "mallory", how: "person", via: "command" };
const merged = (to: string) => ({
  type: "run_merged",
  how: "fast_forward",
  into: "main",
  from: null,
  to,
  reviews: [],
  decider: MALLORY,
});
const failing = (event: string) => event.replace('"verdict":"PASS"', '"verdict":"FAIL"');
const record = ({ folder }: Ground, name: string, run = RUN) =>
  join(folder, "records", run, `${name.replaceAll(" ", "%20")}.json`);
const edit = (path: string, from: string | RegExp, to: string) => {
  const before = readFileSync(path, "utf8");
  const after = before.replace(from, to);
  if (after === before) throw new Error(`${path} was not changed`);
  writeFileSync(path, after);
};
const way = (answer: Answer, name: string, change: Way["change"]): Way => ({ answer, name, change });
const rows = (answer: Answer, name: string, sql: string) => way(answer, name, (at) => at.sql(sql));

const EVENTS: readonly Way[] = [
  rows(
    "found",
    "a word of an event changed",
    `UPDATE events SET event = replace(event, 'PASS', 'FAIL') WHERE run = ${A} AND type = 'verification_finished'`,
  ),
  rows(
    "found",
    "the time of an event changed",
    `UPDATE events SET at = '2020-01-01T00:00:00.000Z' WHERE run = ${A} AND sequence = 4`,
  ),
  rows(
    "found",
    "the type beside an event changed",
    `UPDATE events SET type = 'wait_ended' WHERE run = ${A} AND sequence = 4`,
  ),
  rows("found", "an event removed", `DELETE FROM events WHERE run = ${A} AND sequence = 6`),
  rows(
    "found",
    "two events exchanged",
    `UPDATE events SET sequence = 100000 WHERE run = ${A} AND sequence = 6; UPDATE events SET sequence = 6 WHERE run = ${A} AND sequence = 7; UPDATE events SET sequence = 7 WHERE run = ${A} AND sequence = 100000`,
  ),
  rows(
    "found",
    "an event hidden below the first number",
    `INSERT INTO events (run, sequence, at, clock_ms, type, event, previous_hash, hash) SELECT run, 0, at, clock_ms, type, event, previous_hash, hash FROM events WHERE run = ${A} AND sequence = 4`,
  ),
  way("found", "an event changed, and its own hash made to fit", (at) =>
    at.sql((database) => {
      const before = database
        .prepare(
          `SELECT sequence, hex(previous_hash) AS p FROM events WHERE run = ${A} AND type = 'verification_finished'`,
        )
        .get() as { sequence: number; p: string };
      rechain(database, RUN, (event, sequence) => (sequence === before.sequence ? failing(event) : event));
      // All but that one as it was.
      database.exec(`DELETE FROM events WHERE run = ${A} AND sequence > ${before.sequence + 1}`);
    }),
  ),
  way("found", "an event changed, and every hash made to fit", (at) =>
    at.sql((database) => void rechain(database, RUN, failing)),
  ),
  way("found", "a verdict changed, every hash made to fit, the checkpoints removed", (at) =>
    at.sql((database) => {
      rechain(database, RUN, failing);
      unsign(database, RUN);
    }),
  ),
  way("found", "another person merged it, every hash made to fit, the checkpoints removed", (at) =>
    at.sql((database) => {
      rechain(database, RUN, (event) => event.replace('"by":"ada"', '"by":"mallory"'));
      unsign(database, RUN);
    }),
  ),
  way("found", "an event left out, the others numbered and chained anew, the checkpoints removed", (at) =>
    at.sql((database) => {
      rechain(database, RUN, (event, sequence) => (sequence === 4 ? null : event));
      unsign(database, RUN);
    }),
  ),
  way("found", "a merge by somebody else added after the end", (at) =>
    at.sql((database) => append(database, RUN, merged(at.foreign))),
  ),
  way("found", "an approval added after the end", (at) =>
    at.sql((database) =>
      append(database, RUN, { type: "approval_given", action: "merge_run", clause: "x", decider: MALLORY }),
    ),
  ),
  way("found", "an outcome added after the end", (at) =>
    at.sql((database) => append(database, RUN, { type: "dispatch_paused", reason: "x" })),
  ),
  way("found", "a merge added after the end, with a checkpoint of another key", (at) =>
    at.sql((database) => {
      append(database, RUN, merged(at.foreign));
      const elsewhere = join(at.cwd, "..", "mallory");
      const linked = rechain(database, RUN, (event) => event);
      database.exec(`DELETE FROM notes WHERE run = ${A} AND key > '${checkpointKey(linked.length - 1)}'`);
      const kept = database.prepare(`SELECT key, value FROM notes WHERE run = ${A}`).all() as {
        key: string;
        value: string;
      }[];
      resign(database, RUN, elsewhere, linked);
      for (const { key, value } of kept)
        database.prepare(`UPDATE notes SET value = ? WHERE run = ${A} AND key = ?`).run(value, key);
    }),
  ),
  rows("found", "the end cut off", `DELETE FROM events WHERE run = ${A} AND sequence > 12`),
  rows(
    "remembered",
    "what was said after the end cut off with its checkpoint",
    `DELETE FROM events WHERE run = ${A} AND type = 'run_merged'; DELETE FROM notes WHERE run = ${A} AND key = (SELECT max(key) FROM notes WHERE run = ${A})`,
  ),
  rows(
    "found",
    "all but the beginning cut off with the checkpoints: the branch shows that there was more",
    `DELETE FROM events WHERE run = ${A} AND sequence > 4; DELETE FROM notes WHERE run = ${A} AND key > '${checkpointKey(4)}'`,
  ),
];

const ROWS_OF_OTHERS: readonly Way[] = [
  rows(
    "found",
    "the rows of two runs exchanged",
    `UPDATE events SET run = -1 WHERE run = ${A}; UPDATE events SET run = ${A} WHERE run = ${B}; UPDATE events SET run = ${B} WHERE run = -1`,
  ),
  rows(
    "found",
    "the names of two runs exchanged",
    `UPDATE runs SET run_id = 'x' WHERE run_id = '${RUN}'; UPDATE runs SET run_id = '${RUN}' WHERE run_id = '${OTHER}'; UPDATE runs SET run_id = '${OTHER}' WHERE run_id = 'x'`,
  ),
  rows(
    "found",
    "an event of another run in the place of one",
    `UPDATE events SET (event, hash, previous_hash) = (SELECT event, hash, previous_hash FROM events o WHERE o.run = ${B} AND o.sequence = 5) WHERE run = ${A} AND sequence = 5`,
  ),
  rows(
    "found",
    "the last event of another run added",
    `INSERT INTO events (run, sequence, at, clock_ms, type, event, previous_hash, hash) SELECT ${A}, 1000, at, clock_ms, type, event, previous_hash, hash FROM events WHERE run = ${B} ORDER BY sequence DESC LIMIT 1`,
  ),
  rows(
    "found",
    "rows of a run that the store does not know",
    `INSERT INTO events (run, sequence, at, clock_ms, type, event, previous_hash, hash) SELECT 4711, sequence, at, clock_ms, type, event, previous_hash, hash FROM events WHERE run = ${B} AND sequence < 3`,
  ),
  rows(
    "found",
    "notes of a run that the store does not know",
    `INSERT INTO notes (run, key, value) SELECT 4711, key, value FROM notes WHERE run = ${B} LIMIT 1`,
  ),
  rows(
    "found",
    "the checkpoints of another run in the place of its own",
    `DELETE FROM notes WHERE run = ${A}; INSERT INTO notes (run, key, value) SELECT ${A}, key, value FROM notes WHERE run = ${B}`,
  ),
  rows(
    "found",
    "a trigger that changes what is written next",
    "CREATE TRIGGER evil AFTER INSERT ON events BEGIN UPDATE events SET at = '2020-01-01T00:00:00.000Z' WHERE id = new.id; END",
  ),
  rows("found", "a view beside the tables", "CREATE VIEW evil AS SELECT 1"),
  rows("found", "an index that keeps rows apart removed", "DROP INDEX one_event_per_place"),
];

const CHECKPOINTS: readonly Way[] = [
  rows("found", "all checkpoints removed", `DELETE FROM notes WHERE run = ${A} AND key LIKE 'checkpoint/%'`),
  rows(
    "found",
    "the last checkpoint removed",
    `DELETE FROM notes WHERE run = ${A} AND key = (SELECT max(key) FROM notes WHERE run = ${A})`,
  ),
  rows(
    "found",
    "the first checkpoint removed",
    `DELETE FROM notes WHERE run = ${A} AND key = (SELECT min(key) FROM notes WHERE run = ${A})`,
  ),
  rows(
    "found",
    "the body of a checkpoint changed",
    `UPDATE notes SET value = replace(value, '2026', '2025') WHERE run = ${A} AND key = (SELECT max(key) FROM notes WHERE run = ${A})`,
  ),
  rows(
    "found",
    "a checkpoint under another number",
    `UPDATE notes SET key = '${checkpointKey(3)}' WHERE run = ${A} AND key = (SELECT min(key) FROM notes WHERE run = ${A})`,
  ),
  way("found", "all checkpoints signed with another key, the project's key left", (at) =>
    at.sql((database) =>
      resign(
        database,
        RUN,
        join(at.cwd, "..", "mallory"),
        rechain(database, RUN, (event) => event),
      ),
    ),
  ),
];

const KEYS: readonly Way[] = [
  way("found", "the key exchanged", ({ folder }) => exchangeKey(folder)),
  way("found", "the key exchanged, the checkpoints removed", async (at) => {
    exchangeKey(at.folder);
    await at.sql((database) => unsign(database, RUN));
  }),
  way("remembered", "the key exchanged, everything chained and signed anew", async (at) => {
    exchangeKey(at.folder);
    at.git("notes", "--ref=refs/notes/coord", "remove", at.head);
    await at.sql((database) =>
      resign(
        database,
        RUN,
        at.folder,
        rechain(database, RUN, (event) => withoutMerge(event, (text) => text.replace("Do it", "Do that"))),
      ),
    );
  }),
  way("found", "the key removed", ({ folder }) => rmSync(join(folder, "signing-key.pem"))),
  way("found", "the key readable by everybody", ({ folder }) => chmodSync(join(folder, "signing-key.pem"), 0o644)),
  way("found", "the key overwritten with something else", ({ folder }) =>
    writeFileSync(join(folder, "signing-key.pem"), "no key\n"),
  ),
  way("remembered", "somebody with the key chained and signed everything anew", (at) =>
    at.sql((database) =>
      resign(
        database,
        RUN,
        at.folder,
        rechain(database, RUN, (event) => event.replace("Do it", "Do that")),
      ),
    ),
  ),
];

/** A merge names its record, which names the log as it was: whoever writes that anew leaves the merge out. */
const withoutMerge = (event: string, change: (event: string) => string) =>
  event.includes('"type":"run_merged"') ? null : change(event);

const RECORDS: readonly Way[] = [
  ...[
    "verdict A#1",
    "attempt A#1",
    "attempt B#1",
    "integration B",
    "requirements 1",
    "brief",
    "base",
    "reviews before merge",
  ].flatMap((name) => [
    way("found", `the record "${name}" changed`, (at) => writeFileSync(record(at, name), "{}\n")),
    way("found", `the record "${name}" removed`, (at) => rmSync(record(at, name))),
  ]),
  way("found", "the record of a verdict in the place of another run's", (at) =>
    cpSync(record(at, "verdict A#1", OTHER), record(at, "verdict A#1")),
  ),
  way("found", "all records of another run", (at) =>
    cpSync(join(at.folder, "records", OTHER), join(at.folder, "records", RUN), { recursive: true }),
  ),
  way("found", "the record of the merge changed", (at) => edit(record(at, `merge ${at.head}`), '"ada"', '"mallory"')),
  way("found", "a blank added to a record", (at) => edit(record(at, "verdict B#1"), "{", "{ ")),
  way("unknowable", "a record added that the log does not name", (at) =>
    writeFileSync(record(at, "concerns A"), "[]\n"),
  ),
];

const GIT: readonly Way[] = [
  way("found", "the run's branch moved to a foreign commit", (at) =>
    at.git("update-ref", `refs/coord/${RUN}/head`, at.foreign),
  ),
  way("found", "the run's branch moved back to its base", (at) =>
    at.git("update-ref", `refs/coord/${RUN}/head`, at.base),
  ),
  way("found", "the ref of an attempt moved", (at) => at.git("update-ref", `refs/coord/${RUN}/A/1`, at.foreign)),
  way("found", "the run's branch made a name for another ref", (at) =>
    at.git("symbolic-ref", `refs/coord/${RUN}/head`, "refs/coord/salvage/foreign"),
  ),
  way("harmless", "the run's branch removed", (at) => at.git("update-ref", "-d", `refs/coord/${RUN}/head`)),
  way("found", "the statement on the merge removed", (at) =>
    at.git("notes", "--ref=refs/notes/coord", "remove", at.head),
  ),
  way("found", "the statement on the merge changed", (at) => {
    const note = at.git("notes", "--ref=refs/notes/coord", "show", at.head);
    const { payload, ...rest } = JSON.parse(note) as { payload: string };
    const said = Buffer.from(payload, "base64").toString("utf8").replace('"ada"', '"mallory"');
    const forged = JSON.stringify({ ...rest, payload: Buffer.from(said).toString("base64") });
    at.git("notes", "--ref=refs/notes/coord", "add", "-f", "-m", forged, at.head);
  }),
  way("found", "words in the place of the statement", (at) =>
    at.git("notes", "--ref=refs/notes/coord", "add", "-f", "-m", "all is well", at.head),
  ),
];

const MEMORY: readonly Way[] = [
  way("unknowable", "what this machine remembers removed", ({ memory }) => rmSync(memory, { recursive: true })),
  way("remembered", "what this machine remembers of the run overwritten", ({ memory }) => {
    for (const folder of readdirSync(memory)) writeFileSync(join(memory, folder, `${RUN}.json`), "{}\n");
  }),
  way("unknowable", "what was said after the end, its checkpoint and this machine's memory removed", async (at) => {
    rmSync(at.memory, { recursive: true });
    await at.sql(
      `DELETE FROM events WHERE run = ${A} AND type = 'run_merged'; DELETE FROM notes WHERE run = ${A} AND key = (SELECT max(key) FROM notes WHERE run = ${A})`,
    );
  }),
];

export const WAYS: readonly Way[] = [
  ...EVENTS,
  ...ROWS_OF_OTHERS,
  ...CHECKPOINTS,
  ...KEYS,
  ...RECORDS,
  ...GIT,
  ...MEMORY,
];
