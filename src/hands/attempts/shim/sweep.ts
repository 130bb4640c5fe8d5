import { basename, join } from "node:path";
import { renameSync, rmSync } from "../../../foundation/files/write-files-sync.js";
import {
  effectFolder,
  effectFolders,
  instanceFolder,
  instancesOf,
  isActive,
  readClaim,
  voidInstance,
} from "./instance-folder.js";
import { shimFailure } from "./shim-failure.js";

export interface Swept {
  readonly removed: readonly string[];
  readonly kept: readonly { readonly folder: string; readonly why: string }[];
}

const ASIDE = ".swept-";

/**
 * Remove the folders of effects whose outcome is in the log; of a run that is over, those of all its effects. They are the only place where an outcome stands before that.
 *
 * Contract: a folder stays whose effect is not among the recorded ones, or of which something may still act. One that is
 * removed gets another name first: half of it is never taken for an effect.
 */
export function sweep(runFolder: string, recordedEffectIds: Iterable<string> | "all"): Swept {
  const recorded =
    recordedEffectIds === "all"
      ? new Set(effectFolders(runFolder))
      : new Set(Array.from(recordedEffectIds, (id) => basename(effectFolder(runFolder, id))));
  const removed: string[] = [];
  const kept: { folder: string; why: string }[] = [];
  try {
    for (const name of effectFolders(runFolder)) {
      const folder = join(runFolder, name);
      const why = name.startsWith(ASIDE) ? null : whyToKeep(folder, recorded.has(name));
      if (why !== null) kept.push({ folder, why });
      else {
        remove(runFolder, name);
        removed.push(folder);
      }
    }
  } catch (cause) {
    throw shimFailure(runFolder, "Folders of effects cannot be removed", cause);
  }
  return { removed, kept };
}

function whyToKeep(base: string, isRecorded: boolean): string | null {
  if (!isRecorded) return "no outcome of this effect is recorded";
  const mayAct = instancesOf(base)
    .map((n) => instanceFolder(base, n))
    .some((folder) => isActive(folder) || (readClaim(folder) === null && !voidInstance(folder)));
  return mayAct ? "something still runs for this effect" : null;
}

function remove(runFolder: string, name: string): void {
  const aside = join(runFolder, name.startsWith(ASIDE) ? name : `${ASIDE}${name}`);
  if (!name.startsWith(ASIDE)) renameSync(join(runFolder, name), aside);
  rmSync(aside, { recursive: true, force: true });
}
