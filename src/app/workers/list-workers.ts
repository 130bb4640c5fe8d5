import { openConnections } from "../../hands/store/postgres/connection.js";
import { nameOfStore, parseAddress } from "../../hands/store/postgres/address.js";
import { examineSchema, readMigrations } from "../../hands/store/postgres/migrate.js";
import { passwordFrom } from "../../hands/store/postgres/store-password.js";
import { waitingOffers } from "../../hands/workers/offers.js";
import { liveWorkers } from "../../hands/workers/worker-rows.js";
import { ENGINE_PROTOCOL, listLacking } from "../../hands/workers/work-order.js";
import { CoordinatorError } from "../../model/errors.js";
import type { CommandContext } from "../command-context.js";
import { EXIT } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import type { Project } from "../project/project.js";
import { readStoreSetting, SQLITE } from "../store/store-setting.js";
import type { WorkersListed } from "./worker-reports.js";

/**
 * The workers of a store: what each has, does and lacks, and what waits for one. `postgres`: its address; that of the clone when
 * absent. Contract: nothing is written.
 */
export async function listWorkers(postgres: string | undefined, { project }: CommandContext): Promise<Finished> {
  const setting = postgres ?? readStoreSetting(project.at);
  return finish(EXIT.done, await readWorkers(setting, project));
}

/** Contract: as `listWorkers`, for the store of this setting. */
export async function readWorkers(setting: string, project: Project): Promise<WorkersListed> {
  if (setting === SQLITE)
    throw new CoordinatorError("ENGINE_SETTING", "The runs of this project are in SQLite, which has no workers", {
      fix: "Name a store: --postgres postgres://USER@HOST:PORT/DATABASE?schema=NAME; or move the runs: coordinator migrate --help.",
    });
  const address = parseAddress(setting);
  const connections = await openConnections({
    address,
    password: passwordFrom(project.environment),
    isReader: true,
    patienceMs: 3000,
  });
  try {
    const store = nameOfStore(address);
    const there = (await examineSchema(connections, address.schema, readMigrations())) === "there";
    const [table] = await connections.ask<{ there: boolean }>("SELECT to_regclass('workers') IS NOT NULL AS there");
    if (!there || table?.there !== true) return { type: "workers", store, workers: [], waiting: [] };
    const workers = await liveWorkers(connections);
    const waiting = (await waitingOffers(connections)).map((offer) => ({
      ...offer,
      lacks: Object.fromEntries(
        workers.map(({ id, abilities, protocol, draining }) => [
          id,
          [
            ...(protocol === ENGINE_PROTOCOL ? [] : ["the version of this program"]),
            ...(draining ? ["the time: it ends"] : []),
            ...listLacking(offer.needs, abilities),
          ],
        ]),
      ),
    }));
    return { type: "workers", store, workers, waiting };
  } finally {
    await connections.close();
  }
}
