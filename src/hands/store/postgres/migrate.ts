import { fileURLToPath } from "node:url";
import { CoordinatorError } from "../../../model/errors.js";
import { type Migration, readMigrationsIn } from "../numbered-migrations.js";
import type { Connections } from "./connection.js";

/*
 * The schema's shape, in numbered files. A table says of each migration whether it was breaking: so an older program knows
 * whether it still understands a newer schema.
 */

/** Any number; the same for every program that migrates a store. */
const MIGRATION_LOCK = 7_290_301;
const OLDEST_SERVER = 130_000;

export function readMigrations(): Migration[] {
  return readMigrationsIn(fileURLToPath(new URL("./migrations/", import.meta.url)));
}

interface SchemaState {
  /** The number of the last migration; null where there is no table of them. */
  readonly last: number | null;
  /** How many tables of whatever kind the schema has. */
  readonly tables: number;
  readonly exists: boolean;
}

async function schemaState({ ask }: Connections, schema: string): Promise<SchemaState> {
  const [found] = await ask<{ exists: boolean; tables: number; ours: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1) AS exists,
       (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = $1 AND c.relkind IN ('r', 'v', 'm', 'p', 'f'))::int AS tables,
       to_regclass(format('%I.migrations', $1::text)) IS NOT NULL
         AND to_regclass(format('%I.positions', $1::text)) IS NOT NULL AS ours`,
    [schema],
  );
  const { exists = false, tables = 0, ours = false } = found ?? {};
  if (!ours) return { exists, tables, last: null };
  const [row] = await ask<{ last: number }>("SELECT coalesce(max(number), 0)::int AS last FROM migrations");
  return { exists, tables, last: row?.last ?? 0 };
}

/** Contract: pure; throws STORE_SERVER_OLD. `version` is as the server numbers itself: 150018 is 15.18. */
export function refuseOldServer(store: string, version: number): void {
  if (version >= OLDEST_SERVER) return;
  throw new CoordinatorError(
    "STORE_SERVER_OLD",
    `The store ${store} is on Postgres ${Math.floor(version / 10_000)}, and ${OLDEST_SERVER / 10_000} is the oldest that will do`,
    { fix: "Upgrade the server, or name another one in the setting store." },
  );
}

/**
 * Refuse a server that is too old, a schema of some other program, and one that is too new. Contract: changes nothing;
 * says whether the store is there.
 */
export async function examineSchema(
  connections: Connections,
  schema: string,
  migrations: readonly Migration[],
): Promise<"blank" | "there"> {
  const { ask, store } = connections;
  const [server] = await ask<{ version: number }>("SELECT current_setting('server_version_num')::int AS version");
  refuseOldServer(store, server?.version ?? 0);
  const { last, tables } = await schemaState(connections, schema);
  if (last === null && tables > 0)
    throw new CoordinatorError("STORE_CORRUPT", `The store ${store} has tables of some other program`, {
      fix: "Name another schema in the address: ?schema=NAME.",
    });
  if (last === null) return "blank";
  const known = migrations.length;
  if (last <= known) return "there";
  const [breaking] = await ask<{ name: string }>(
    "SELECT name FROM migrations WHERE number > $1 AND breaking ORDER BY number LIMIT 1",
    [known],
  );
  if (breaking === undefined) return "there";
  throw new CoordinatorError(
    "STORE_TOO_NEW",
    `The store ${store} was changed by a newer version of this program (${breaking.name}; this one knows ${known})`,
    { fix: "Use the version that changed it, or a newer one." },
  );
}

/** Bring the schema up to date. Contract: all of it in one transaction; several processes may do it at once. */
export async function migrate(
  { patiently, lend }: Connections,
  schema: string,
  migrations: readonly Migration[],
): Promise<void> {
  await patiently(() =>
    lend(async (client) => {
      await client.query("BEGIN");
      await client.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
      // Asked for first: who may not make a schema may well use one that was made for them.
      const { rowCount } = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
      if (rowCount === 0) await client.query(`CREATE SCHEMA "${schema}"`);
      const { rows } = await client.query("SELECT to_regclass(format('%I.migrations', $1::text)) IS NULL AS none", [
        schema,
      ]);
      if ((rows[0] as { none: boolean }).none)
        await client.query(
          "CREATE TABLE migrations (number int PRIMARY KEY, name text NOT NULL, breaking boolean NOT NULL)",
        );
      const done = await client.query("SELECT coalesce(max(number), 0)::int AS last FROM migrations");
      const { last } = done.rows[0] as { last: number };
      for (const { number, name, breaking, sql } of migrations) {
        if (number <= last) continue;
        await client.query(sql);
        await client.query("INSERT INTO migrations (number, name, breaking) VALUES ($1, $2, $3)", [
          number,
          name,
          breaking,
        ]);
      }
      await client.query("COMMIT");
    }),
  );
}
