import type { EventReader, EventStore, StoreParts } from "../../hands/store/event-store.js";
import { parseAddress } from "../../hands/store/postgres/address.js";
import { openPostgresReader, openPostgresStore } from "../../hands/store/postgres/open-postgres-store.js";
import { passwordFrom } from "../../hands/store/postgres/store-password.js";

/* The store of a team. Loaded only where the setting names one. */

/** Contract: as `openPostgresReader`, with the password that the variables give. */
export function readTeamStore(store: string, environment: NodeJS.ProcessEnv): Promise<EventReader> {
  return openPostgresReader({ address: parseAddress(store), password: passwordFrom(environment) });
}

/** Contract: as `openPostgresStore`, with the password that the variables give. */
export function openTeamStore(store: string, parts: StoreParts, environment: NodeJS.ProcessEnv): Promise<EventStore> {
  return openPostgresStore({ ...parts, address: parseAddress(store), password: passwordFrom(environment) });
}
