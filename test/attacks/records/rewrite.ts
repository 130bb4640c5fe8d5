import { generateKeyPairSync } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  checkpointBody,
  checkpointKey,
  checkpointsDue,
  ALL_UNSIGNED,
} from "../../../src/hands/store/chain/checkpoint.js";
import { GENESIS_HASH, hashEvent } from "../../../src/hands/store/chain/hash-event.js";
import { loadSigningKey } from "../../../src/hands/store/chain/signing-key.js";
import { sha256 } from "../../../src/hands/store/sha256.js";
import type { Database } from "../../../src/hands/store/sqlite/driver.js";

/* What somebody can do who knows how the log is made: chain it anew, with or without a key to sign it. */

interface Row {
  readonly id: number;
  readonly run: number;
  readonly sequence: number;
  readonly at: string;
  readonly clock_ms: number;
  readonly event: string;
}

const rowsOf = (database: Database, run: string) =>
  database
    .prepare(
      `SELECT id, run, sequence, at, clock_ms, event FROM events
       WHERE run = (SELECT number FROM runs WHERE run_id = ?) ORDER BY sequence`,
    )
    .all(run) as Row[];

export const numberOf = (run: string) => `(SELECT number FROM runs WHERE run_id = '${run}')`;

/** Every event as `change` has it, and every hash made to fit. What is null goes; the others are numbered anew. */
export function rechain(
  database: Database,
  run_id: string,
  change: (event: string, sequence: number) => string | null,
) {
  let previous_hash = GENESIS_HASH;
  let sequence = 0;
  const linked = [];
  for (const row of rowsOf(database, run_id)) {
    const text = change(row.event, row.sequence);
    if (text === null) {
      database.prepare("DELETE FROM events WHERE id = ?").run(row.id);
      continue;
    }
    sequence++;
    const { at, clock_ms } = row;
    const event = JSON.parse(text) as { type: never };
    const hash = hashEvent({ run_id, sequence, at, clock_ms, event, previous_hash }, sha256);
    database
      .prepare("UPDATE events SET sequence = ?, type = ?, event = ?, previous_hash = ?, hash = ? WHERE id = ?")
      .run(sequence, event.type, text, Buffer.from(previous_hash, "hex"), Buffer.from(hash, "hex"), row.id);
    linked.push({ run_id, sequence, hash, at, clock_ms, type: event.type });
    previous_hash = hash;
  }
  return linked;
}

/** One event more at the end, chained as it should be. */
export function append(database: Database, run_id: string, event: object): void {
  const rows = rowsOf(database, run_id);
  const last = rows.at(-1) as Row;
  const { hash: before } = database
    .prepare("SELECT lower(hex(hash)) AS hash FROM events WHERE id = ?")
    .get(last.id) as { hash: string };
  const text = canonical(event);
  const entry = {
    run_id,
    sequence: last.sequence + 1,
    at: last.at,
    clock_ms: last.clock_ms,
    event,
    previous_hash: before,
  };
  const hash = hashEvent(entry, sha256);
  database
    .prepare(
      "INSERT INTO events (run, sequence, at, clock_ms, type, event, previous_hash, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .run(
      last.run,
      entry.sequence,
      last.at,
      last.clock_ms,
      (event as { type: string }).type,
      text,
      Buffer.from(before, "hex"),
      Buffer.from(hash, "hex"),
    );
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join(",")}}`;
}

/** All checkpoints of a run gone, and signed anew with the key that lies in the folder. */
export function resign(database: Database, run: string, folder: string, linked: ReturnType<typeof rechain>): void {
  unsign(database, run);
  const { sign } = loadSigningKey(folder);
  const put = database.prepare(`INSERT INTO notes (run, key, value) VALUES (${numberOf(run)}, ?, ?)`);
  for (const due of checkpointsDue(ALL_UNSIGNED, linked, sha256).checkpoints)
    put.run(checkpointKey(due.sequence), sign(checkpointBody(due)));
}

export function unsign(database: Database, run: string): void {
  database.exec(`DELETE FROM notes WHERE key LIKE 'checkpoint/%' AND run = ${numberOf(run)}`);
}

/** Another key where the project's lay. */
export function exchangeKey(folder: string): void {
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  writeFileSync(join(folder, "signing-key.pem"), pem);
  chmodSync(join(folder, "signing-key.pem"), 0o600);
}
