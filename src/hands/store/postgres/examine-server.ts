import { type ConnectionOptions, openConnections } from "./connection.js";
import { examineSchema, readMigrations } from "./migrate.js";
import { clockDifference, MOST_CLOCK_DIFFERENCE_MS } from "./open-postgres-store.js";

/** The properties of a server, for a person who sets it up. */
interface ServerExamined {
  /** The store as messages name it. */
  readonly store: string;
  readonly version: string;
  /** How far this machine's clock is before that of the server. */
  readonly clockMs: number;
  /** How long a question takes, there and back. */
  readonly roundMs: number;
  readonly state: "blank" | "there";
  /** Faults, each with what to do. */
  readonly weaknesses: readonly Weakness[];
}

interface Weakness {
  readonly says: string;
  readonly fix: string;
  /** Nothing can be written for as long as it is so. */
  readonly stops?: true;
}

interface Row {
  readonly version: string;
  readonly fsync: string;
  readonly may_make: boolean;
  readonly may_write: boolean;
  readonly free: number;
}

/** Below so many free connections a second coordinator could be refused one. */
const FEW_CONNECTIONS = 8;
const CLOCK_MS = 2_000;

/** Contract: changes nothing; throws as opening the store does. */
export async function examineServer(options: ConnectionOptions): Promise<ServerExamined> {
  const connections = await openConnections({ ...options, isReader: true, patienceMs: 0 });
  try {
    const { schema } = options.address;
    const state = await examineSchema(connections, schema, readMigrations());
    const [row] = await connections.ask<Row>(
      `SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync,
         coalesce(has_schema_privilege(to_regnamespace($1)::oid, 'CREATE'),
           has_database_privilege(current_database(), 'CREATE')) AS may_make,
         coalesce(has_table_privilege(to_regclass(format('%I.events', $1::text)), 'INSERT'), true) AS may_write,
         current_setting('max_connections')::int - (SELECT count(*) FROM pg_stat_activity)::int AS free`,
      [schema],
    );
    const begun = performance.now();
    const clockMs = await clockDifference(connections);
    const roundMs = Math.round(performance.now() - begun);
    const { store } = connections;
    const weaknesses = weaknessesOf(row, clockMs, state, schema);
    return { store, version: row?.version ?? "", clockMs, roundMs, state, weaknesses };
  } finally {
    await connections.close();
  }
}

function weaknessesOf(row: Row | undefined, clockMs: number, state: ServerExamined["state"], schema: string) {
  const found: Weakness[] = [];
  if (row === undefined) return found;
  if (!row.may_write || (state === "blank" && !row.may_make))
    found.push({
      says: "this user may not write there",
      fix: `As its administrator: CREATE SCHEMA ${schema} AUTHORIZATION the user, or GRANT what is missing.`,
      stops: true,
    });
  if (row.fsync !== "on")
    found.push({
      says: "the server does not sync its disk (fsync = off): an event that was acknowledged can be lost with the power",
      fix: "Set fsync = on in postgresql.conf.",
    });
  if (Math.abs(clockMs) > CLOCK_MS)
    found.push({
      says: `the clocks differ by ${Math.round(clockMs / 1000)} s; from 60 s on nothing is written`,
      fix: "Set both by the same time server: timedatectl set-ntp true.",
      ...(Math.abs(clockMs) > MOST_CLOCK_DIFFERENCE_MS ? { stops: true } : {}),
    });
  if (row.free < FEW_CONNECTIONS)
    found.push({
      says: `only ${row.free} connections are free`,
      fix: "Raise max_connections; every process that writes uses up to four.",
    });
  return found;
}
