import { CoordinatorError } from "../../model/errors.js";
import { nameOfStore, parseAddress } from "../../hands/store/postgres/address.js";
import type { CommandContext } from "../command-context.js";
import { readStoreSetting, SQLITE } from "../store/store-setting.js";
import { readWorkers } from "./list-workers.js";
import type { WorkersListed } from "./worker-reports.js";

/** The workers of one store, or the reason why it did not say. */
export interface StoreWorkers extends Pick<WorkersListed, "store" | "workers" | "waiting"> {
  readonly projects: readonly string[];
  readonly problem: { readonly code: string; readonly message: string; readonly fix: string | null } | null;
}

export interface NamedProject {
  readonly id: string;
  readonly context: CommandContext;
}

/**
 * Lists the workers of the stores that these projects use; a project whose runs are in SQLite has none. Contract: nothing is
 * written, each store is asked once, and a store that does not answer is listed with its problem.
 */
export async function workersOfProjects(projects: readonly NamedProject[]): Promise<StoreWorkers[]> {
  const byStore = new Map<string, NamedProject[]>();
  for (const project of projects) {
    const setting = readStoreSetting(project.context.project.at);
    if (setting !== SQLITE) byStore.set(setting, [...(byStore.get(setting) ?? []), project]);
  }
  return Promise.all([...byStore].map(([setting, users]) => workersOfStore(setting, users)));
}

async function workersOfStore(setting: string, users: readonly NamedProject[]): Promise<StoreWorkers> {
  const projects = users.map(({ id }) => id);
  const [{ context }] = users as readonly [NamedProject];
  try {
    const { store, workers, waiting } = await readWorkers(setting, context.project);
    return { store, projects, workers, waiting, problem: null };
  } catch (error) {
    if (!(error instanceof CoordinatorError)) throw error;
    const { code, message, fix } = error;
    const store = nameOfStore(parseAddress(setting));
    return { store, projects, workers: [], waiting: [], problem: { code, message, fix: fix ?? null } };
  }
}
