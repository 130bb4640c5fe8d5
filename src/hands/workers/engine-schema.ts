import { CoordinatorError } from "../../model/errors.js";
import type { PostgresAddress } from "../store/postgres/address.js";
import type { Connections } from "../store/postgres/connection.js";

/* The schema that DBOS has its tables in, beside that of the store and in the same database. */

/** Contract: another name for every store of the database. */
export function engineSchema({ schema }: PostgresAddress): string {
  return `${schema.slice(0, 55)}_engine`;
}

/** Contract: throws STORE_REFUSED where this user can have no tables there; makes nothing. */
export async function requireEngineSchema({ ask, store }: Connections, address: PostgresAddress): Promise<void> {
  const schema = engineSchema(address);
  const [found] = await ask<{ there: boolean; may_make: boolean; may_use: boolean | null }>(
    `SELECT to_regnamespace($1) IS NOT NULL AS there, has_database_privilege(current_database(), 'CREATE') AS may_make,
       has_schema_privilege(to_regnamespace($1)::oid, 'CREATE') AND has_schema_privilege(to_regnamespace($1)::oid, 'USAGE') AS may_use`,
    [JSON.stringify(schema)],
  );
  if (found?.there === true ? found.may_use : found?.may_make) return;
  const what = found?.there === true ? `make tables in the schema ${schema}` : `make the schema ${schema}`;
  throw new CoordinatorError(
    "STORE_REFUSED",
    `The store ${store} refused what the engine needs: this user may not ${what}`,
    {
      fix: `As its administrator: CREATE SCHEMA ${schema} AUTHORIZATION ${address.user}, or GRANT CREATE ON DATABASE ${address.database} TO ${address.user}.`,
    },
  );
}
