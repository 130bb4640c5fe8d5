import { parseAddress } from "../../hands/store/postgres/address.js";
import { openConnections } from "../../hands/store/postgres/connection.js";
import { passwordFrom } from "../../hands/store/postgres/store-password.js";
import { requireEngineSchema } from "../../hands/workers/engine-schema.js";
import { examineRemote } from "../../hands/workers/examine-remote.js";
import { ENGINE_PROTOCOL } from "../../hands/workers/work-order.js";
import type { WorkerRow } from "../../hands/workers/worker-rows.js";
import { CoordinatorError } from "../../model/errors.js";
import type { Project } from "../project/project.js";
import type { Examination } from "../setup-reports.js";
import { readWorkers } from "../workers/list-workers.js";

/** The git remote and the workers of a project whose work is done by workers. Contract: nothing is written. */
export async function examineWorkers(store: string, remote: string, project: Project): Promise<Examination[]> {
  return [
    await tryTo("remote", async () => {
      await examineRemote(remote, project.environment);
      return {
        status: "good",
        detail: `${remote} can be read, and takes refs/coord/* as far as a trial without writing shows`,
        fix: null,
      };
    }),
    await tryTo("engine", async () => {
      await allowEngine(store, project);
      return { status: "good", detail: "dbos; this user has or can make the schema for its tables", fix: null };
    }),
    await tryTo("workers", async () => judgeWorkers((await readWorkers(store, project)).workers)),
  ];
}

async function allowEngine(store: string, { environment }: Project): Promise<void> {
  const address = parseAddress(store);
  const connections = await openConnections({
    address,
    password: passwordFrom(environment),
    isReader: true,
    patienceMs: 0,
  });
  try {
    await requireEngineSchema(connections, address);
  } finally {
    await connections.close();
  }
}

async function tryTo(name: string, examine: () => Promise<Omit<Examination, "name">>): Promise<Examination> {
  try {
    return { name, ...(await examine()) };
  } catch (error) {
    if (!(error instanceof CoordinatorError)) throw error;
    return { name, status: "bad", detail: error.message, fix: error.fix ?? "" };
  }
}

/** Contract: pure. A run may be started without any worker: it waits for one, and says so. */
function judgeWorkers(workers: readonly WorkerRow[]): Omit<Examination, "name"> {
  const [other] = workers.filter(({ protocol }) => protocol !== ENGINE_PROTOCOL);
  if (other !== undefined)
    return {
      status: "bad",
      detail: `${other.id} speaks version ${other.protocol} of the engine's protocol, and this program version ${ENGINE_PROTOCOL}: neither does the work of the other`,
      fix: "Use the same version of this program for coordinators and workers.",
    };
  const ready = workers.filter(({ draining }) => !draining);
  if (ready.length === 0)
    return {
      status: "weak",
      detail: "no worker is there: what is started waits for one",
      fix: "On a machine that shall work: coordinator worker --postgres ADDRESS --git REMOTE.",
    };
  const room = ready.reduce((sum, { capacity }) => sum + capacity, 0);
  const said = ready.flatMap(({ id, problem }) => (problem === null ? [] : [`${id}: ${problem}`]));
  const detail = [`${ready.length} there, for ${room} pieces of work at once`, ...said].join("; ");
  if (said.length === 0) return { status: "good", detail, fix: null };
  return { status: "weak", detail, fix: "coordinator workers shows what each has, does and lacks; mend it there." };
}
