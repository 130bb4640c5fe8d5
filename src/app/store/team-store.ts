import type { EventReader, EventStore, StoreParts } from "../../hands/store/event-store.js";
import { parseAddress } from "../../hands/store/postgres/address.js";
import { openPostgresReader, openPostgresStore } from "../../hands/store/postgres/open-postgres-store.js";
import { readOwnPassword } from "../../hands/store/postgres/store-password.js";

/* The store of a team. Loaded only where the setting names one. */

/** Contract: as `openPostgresReader`, with the password of this process. */
export function readTeamStore(store: string): Promise<EventReader> {
  return openPostgresReader({ address: parseAddress(store), password: readOwnPassword() });
}

/** Contract: as `openPostgresStore`, with the password of this process. */
export function openTeamStore(store: string, parts: StoreParts): Promise<EventStore> {
  return openPostgresStore({ ...parts, address: parseAddress(store), password: readOwnPassword() });
}
