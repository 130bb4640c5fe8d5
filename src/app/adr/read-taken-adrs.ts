import type { Project } from "../project/project.js";
import { type TakenAdr, takenAdrs } from "../inspect/taken-adrs.js";

/** The decision records that runs of this project were begun with; none when there are no runs. */
export async function readTakenAdrs(project: Project): Promise<readonly TakenAdr[]> {
  const reader = await project.readRuns();
  if (reader === null) return [];
  try {
    return await takenAdrs(reader);
  } finally {
    await reader.close();
  }
}
