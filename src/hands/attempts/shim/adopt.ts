import { existsSync } from "node:fs";
import { crashPoint } from "../../../foundation/processes/crash-points.js";
import type { EngineClock } from "../../engine/effect-runner.js";
import { follow, type Followed } from "./follow.js";
import {
  instanceFolder,
  makeInstance,
  type NewShimOrder,
  readClaim,
  voidInstance,
  writeOrder,
} from "./instance-folder.js";
import type { NotePlace } from "./notes.js";
import { shimFailure } from "./shim-failure.js";
import type { SpawnedShim, SpawnShim } from "./spawn-shim.js";
import { stopInstance } from "./stop.js";

export interface AdoptOptions {
  readonly order: NewShimOrder;
  readonly spawnShim: SpawnShim;
  /** After so many instances that died the effect counts as crashed. */
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly clock: EngineClock;
  readonly onNote?: (note: unknown, place: NotePlace) => void;
  /** The last note that was kept: only what comes after it is told. */
  readonly notesFrom?: NotePlace;
  readonly claimWithinMs?: number;
}

/** How an effect that was asked for ended. `crashed` counts the instances that died on the way. */
export type EffectEnd =
  | { readonly status: "done"; readonly value: unknown; readonly adopted: boolean; readonly crashed: number }
  | { readonly status: "timed_out"; readonly crashed: number }
  | { readonly status: "crashed"; readonly crashed: number; readonly message: string }
  | { readonly status: "stopped"; readonly crashed: number };

const CLAIM_WITHIN_MS = 30_000;
/** Shims that never claimed anything, one after the other, before the fault is sought in the program. */
const SILENT_LIMIT = 3;

/**
 * Have an effect done: adopt what was begun, void what never will be, begin it otherwise.
 *
 * Contract: to be called by one process at a time for one effect, which the lock of the store sees to. Of all its
 * instances at most one acts at any time, and none begins before the one before it, with everything it started, has
 * ended. A value is given again however often it is asked for. When the signal is aborted it is stopped and nothing of
 * it runs. Rejects when it cannot tell how the effect stands.
 */
export async function adoptOrVoid(base: string, options: AdoptOptions): Promise<EffectEnd> {
  let crashed = 0;
  let silent = 0;
  let message = "";
  for (let n = 1; crashed < options.limit; n++) {
    const folder = instanceFolder(base, n);
    const { followed, isOurs } = await instance(base, n, options).catch((cause: unknown) => {
      throw shimFailure(folder, "The folder of an effect cannot be written or read", cause);
    });
    switch (followed.end) {
      case "aborted":
        return { status: "stopped", crashed };
      case "void":
        if (isOurs && ++silent >= SILENT_LIMIT) throw shimFailure(folder, "The program for effects does not start");
        continue;
      case "died":
        crashed++;
        message = `its process died; ${folder}/shim.log has what it said`;
        continue;
      case "result":
    }
    const { result } = followed;
    crashPoint("instance.result_read");
    if (result.kind === "value") return { status: "done", value: result.value, adopted: !isOurs, crashed };
    if (result.kind === "timed_out") return { status: "timed_out", crashed };
    if (result.kind === "stopped" && options.signal.aborted) return { status: "stopped", crashed };
    if (result.kind === "threw") {
      crashed++;
      message = result.message;
    }
  }
  return { status: "crashed", crashed, message };
}

/** One instance: made, or found, and followed to its end. */
async function instance(
  base: string,
  n: number,
  options: AdoptOptions,
): Promise<{ followed: Followed; isOurs: boolean }> {
  const { signal, notesFrom } = options;
  const folder = instanceFolder(base, n);
  if (signal.aborted && !existsSync(folder)) return { followed: { end: "aborted" }, isOurs: false };
  const isOurs = makeInstance(base, n);
  // Nobody acted in one that was left without a claim, and now nobody will.
  if (!isOurs && readClaim(folder) === null && voidInstance(folder)) return { followed: { end: "void" }, isOurs };
  const shim = isOurs ? begin(folder, options) : undefined;
  const followed = await follow(folder, {
    clock: options.clock,
    signal,
    notesFrom: notesFrom?.instance === n ? notesFrom.position : 0,
    onNote: (note, position) => {
      if (notesFrom === undefined || n >= notesFrom.instance) options.onNote?.(note, { instance: n, position });
    },
    claimWithinMs: options.claimWithinMs ?? CLAIM_WITHIN_MS,
    ...(shim !== undefined && { shim }),
  });
  if (followed.end === "aborted") await stopInstance(folder);
  return { followed, isOurs };
}

function begin(folder: string, { order, spawnShim }: AdoptOptions): SpawnedShim {
  crashPoint("instance.folder_made");
  writeOrder(folder, order);
  crashPoint("instance.order_written");
  const shim = spawnShim(folder);
  crashPoint("instance.shim_spawned");
  return shim;
}
