import { CoordinatorError } from "../../model/errors.js";
import { verifyRun } from "./chain/verify-run.js";
import { type EventReader, type EventStore, heldError, type NewEvent, type Sha256 } from "./event-store.js";

/* Copy the logs of all runs from one store to another, hash by hash. */

export interface CopiedRun {
  readonly run_id: string;
  readonly events: number;
  /** The hash of the last event, which stands for all of them. */
  readonly hash: string;
}

/** How many events are appended at once. */
const PAGE = 500;

/**
 * Copy every run of a store. `to` must neither sign nor take anything out: what it writes is what it is given.
 *
 * Contract: every log is verified before it is copied and compared after it. Events of the same log that `to` has already stay; a
 * different log under the same id is refused. Throws STORE_CORRUPT, STORE_LOCKED or what the stores throw; `from` is not
 * changed but for the claims that are held meanwhile.
 */
export async function copyRuns(from: EventStore, to: EventStore, sha256: Sha256): Promise<CopiedRun[]> {
  const runs = await from.runs();
  const claimed: { readonly store: EventStore; readonly runId: string }[] = [];
  const hold = async (store: EventStore, runId: string) => {
    const claim = await store.claim(runId);
    if (claim.status === "held") throw heldError(claim.holder);
    claimed.push({ store, runId });
  };
  try {
    // All of them first: nothing is copied while somebody works on any.
    for (const { run_id } of runs) await hold(from, run_id);
    const copied: CopiedRun[] = [];
    for (const { run_id } of runs) {
      await refuseDamaged(from, run_id, sha256);
      await hold(to, run_id);
      copied.push(await copyRun(from, to, run_id));
      await refuseDifferent(from, to, run_id, sha256);
    }
    return copied;
  } finally {
    for (const { store, runId } of claimed) await store.release(runId).catch(() => undefined);
  }
}

async function refuseDamaged(store: EventReader, runId: string, sha256: Sha256): Promise<void> {
  const { intact, findings } = await verifyRun(store, runId, { sha256 });
  const [first] = findings;
  if (!intact && first !== undefined)
    throw new CoordinatorError("STORE_CORRUPT", `The log of ${runId} does not verify: ${first.message}`, {
      fix: `coordinator verify ${runId} says more. Nothing was moved; put back a copy of the store first.`,
    });
}

async function copyRun(from: EventReader, to: EventStore, runId: string): Promise<CopiedRun> {
  const head = await to.open(runId);
  let sequence = await sharedBeginning(from, runId, head.sequence, head.hash);
  let hash = head.hash;
  let page: NewEvent[] = [];
  let last = "";
  const write = async () => {
    if (page.length === 0) return;
    const result = await to.append(runId, sequence, page);
    const written = result.status === "appended" ? result.events.at(-1)?.hash : undefined;
    if (written !== last) throw otherLog(runId);
    sequence += page.length;
    hash = last;
    page = [];
  };
  for await (const logged of from.read(runId, { from: sequence + 1 })) {
    page.push({ event: logged.event, at: logged.at, clock_ms: logged.clock_ms });
    last = logged.hash;
    if (page.length >= PAGE) await write();
  }
  await write();
  for (const { key, value } of await from.list(runId, "")) await to.put(runId, key, value);
  return { run_id: runId, events: sequence, hash };
}

/** How much of the log is there already. Contract: throws where it is another log. */
async function sharedBeginning(from: EventReader, runId: string, sequence: number, hash: string): Promise<number> {
  if (sequence === 0) return 0;
  for await (const logged of from.read(runId, { from: sequence, to: sequence }))
    if (logged.hash === hash) return sequence;
  throw otherLog(runId);
}

/** The written copy is read again and compared: every hash, and every text beside the log. */
async function refuseDifferent(from: EventReader, to: EventReader, runId: string, sha256: Sha256): Promise<void> {
  const { intact } = await verifyRun(to, runId, { sha256 });
  const [one, other] = [await from.head(runId), await to.head(runId)];
  const [notes, copied] = [await from.list(runId, ""), await to.list(runId, "")];
  const isSame = one?.sequence === other?.sequence && one?.hash === other?.hash;
  if (!intact || !isSame || JSON.stringify(notes) !== JSON.stringify(copied)) throw otherLog(runId);
}

function otherLog(runId: string): CoordinatorError {
  return new CoordinatorError("STORE_CORRUPT", `The store has another log of ${runId} than the one to be copied`, {
    fix: "Name another schema in the address, or find out which of the two logs is the one that counts.",
  });
}
