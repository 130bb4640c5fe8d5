import { randomUUID } from "node:crypto";
import { CoordinatorError } from "../../../model/errors.js";
import type { EventReader, EventStore, StoreParts } from "../event-store.js";
import type { Migration } from "../numbered-migrations.js";
import { findLostIndexes } from "./audit-store.js";
import { type ConnectionOptions, type Connections, openConnections } from "./connection.js";
import { channelOf, followAppends } from "./follow.js";
import { examineSchema, migrate, readMigrations } from "./migrate.js";
import { closedError, createReader } from "./postgres-reader.js";
import { createWriter } from "./postgres-writer.js";
import { createRecords } from "./records.js";
import { createSignals } from "./signals.js";
import { guardWrites } from "../guarded-writes.js";

/*
 * The store of a team: a schema in a Postgres database that processes of many machines write to. A run has one of them: a
 * lease beside its log names the process that carries it out, and every append looks at it.
 */

export interface OpenOptions extends StoreParts, ConnectionOptions {
  /** For tests: the migrations this program knows. */
  readonly migrations?: readonly Migration[];
}

/** A first answer is not waited for as long as a later one: the address may be wrong. */
const FIRST_PATIENCE_MS = 3_000;
export const MOST_CLOCK_DIFFERENCE_MS = 60_000;

/**
 * Open the store to write; its tables are made when there are none.
 *
 * Contract: throws STORE_UNREACHABLE, STORE_REFUSED, STORE_ADDRESS, STORE_SERVER_OLD, STORE_CLOCK, STORE_TOO_NEW, STORE_CORRUPT
 * or STORE_FAILED; leaves nothing open then.
 */
export async function openPostgresStore(options: OpenOptions): Promise<EventStore> {
  const { migrations = readMigrations() } = options;
  const { schema } = options.address;
  await withFirst(options, async (connections) => {
    await examineSchema(connections, schema, migrations);
    await refuseWrongClock(connections);
    await migrate(connections, schema, migrations);
    if (options.migrations === undefined) await refuseLostIndexes(connections);
  });
  return storeOf(await openConnections(options), options);
}

/** Open the store to read. Contract: throws like `openPostgresStore`, or NOT_FOUND where no store was made yet. */
export async function openPostgresReader(
  options: ConnectionOptions & Pick<OpenOptions, "migrations">,
): Promise<EventReader> {
  const asReader = { ...options, isReader: true };
  const { migrations = readMigrations() } = options;
  await withFirst(asReader, async (connections) => {
    if ((await examineSchema(connections, options.address.schema, migrations)) === "blank")
      throw new CoordinatorError("NOT_FOUND", `There is no store at ${connections.store}`, {
        fix: "Start a run first.",
      });
  });
  const connections = await openConnections(asReader);
  let closing: Promise<void> | null = null;
  const reader = createReader(connections, () => {
    if (closing !== null) throw closedError(connections.store);
  });
  return {
    ...reader,
    follow: (wake) => followAppends(asReader, wake),
    close: () => (closing ??= connections.close()),
  };
}

async function withFirst(options: ConnectionOptions, act: (connections: Connections) => Promise<void>): Promise<void> {
  const { patienceMs = FIRST_PATIENCE_MS } = options;
  const connections = await openConnections({ ...options, patienceMs: Math.min(patienceMs, FIRST_PATIENCE_MS) });
  try {
    await act(connections);
  } finally {
    await connections.close();
  }
}

/** How far this machine's clock is before that of the server, in milliseconds; half of the time it took to ask is allowed for. */
export async function clockDifference({ ask }: Connections): Promise<number> {
  const before = Date.now();
  const [row] = await ask<{ now: number }>("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now");
  const after = Date.now();
  return Math.round((before + after) / 2 - (row?.now ?? 0));
}

/** Leases go by the server's clock alone; the times in the log are those of this machine, and would contradict others. */
async function refuseWrongClock(connections: Connections): Promise<void> {
  const difference = await clockDifference(connections);
  if (Math.abs(difference) <= MOST_CLOCK_DIFFERENCE_MS) return;
  const [seconds, side] = [Math.round(Math.abs(difference) / 1000), difference > 0 ? "ahead of" : "behind"];
  throw new CoordinatorError(
    "STORE_CLOCK",
    `The clock of this machine is ${seconds} seconds ${side} that of the store ${connections.store}`,
    { fix: "Set both clocks by the same time server (timedatectl set-ntp true). Nothing was written." },
  );
}

async function refuseLostIndexes(connections: Connections): Promise<void> {
  const [lost] = await findLostIndexes(connections);
  if (lost !== undefined)
    throw new CoordinatorError("STORE_CORRUPT", `${connections.store} was changed by somebody else: ${lost}`, {
      fix: "Restore the schema from a backup, or name another schema in the address to begin a new store.",
    });
}

function storeOf(connections: Connections, options: OpenOptions): EventStore {
  let closing: Promise<void> | null = null;
  const refuseWhenClosed = () => {
    if (closing !== null) throw closedError(connections.store);
  };
  const reader = createReader(connections, refuseWhenClosed);
  const holder = randomUUID();
  const writer = createWriter(connections, channelOf(options.address.schema), holder, options);

  async function close(): Promise<void> {
    await writer.end();
    await connections.close();
  }

  return {
    ...reader,
    records: createRecords(connections, refuseWhenClosed, { holder, hasClaimed: (runId) => writer.hasClaimed(runId) }),
    ...(options.redact === undefined ? {} : { redact: options.redact }),
    follow: (wake) => followAppends(options, wake),
    signals: createSignals(connections, options, refuseWhenClosed),
    ...guardWrites(writer, refuseWhenClosed),
    async append(runId, expected, events) {
      refuseWhenClosed();
      return writer.append(runId, expected, events);
    },
    close: () => (closing ??= close()),
  };
}
