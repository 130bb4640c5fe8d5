import { type Activity, activitiesIn, activityFolder } from "../../hands/checks/on-trees/activity.js";
import type { CommandContext } from "../command-context.js";

/**
 * The checks and setups of a run that are under way, or have just ended. They stand in no log.
 *
 * Contract: changes nothing. Takes the whole id of a run, and is empty where nothing is under way.
 */
export async function showActivity(runId: string, { project }: CommandContext): Promise<readonly Activity[]> {
  return activitiesIn(activityFolder(project.at.folder, runId));
}
