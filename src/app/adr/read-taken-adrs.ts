import { readRuns } from "../project/open-runs.js";
import { findRoot, stateFolder } from "../project/state-folder.js";
import { type TakenAdr, takenAdrs } from "../inspect/taken-adrs.js";

/** The decision records that runs of this project were begun with; none when there are no runs. */
export async function readTakenAdrs(cwd: string): Promise<readonly TakenAdr[]> {
  const reader = await readRuns(stateFolder(findRoot(cwd)));
  if (reader === null) return [];
  try {
    return await takenAdrs(reader);
  } finally {
    await reader.close();
  }
}
