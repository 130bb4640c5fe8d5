import { activitiesIn } from "../../hands/checks/on-trees/activity.js";
import type { CommandContext } from "../command-context.js";
import { activityLine, ActivityTeller } from "../inspect/activity-line.js";

const EVERY_MS = 1000;

/** Do something that takes long, and tell what is being done for it: the checks and setups that write to this folder. */
export async function whileWorking<T>(
  folder: string,
  { working, note, parts }: Pick<CommandContext, "working" | "note" | "parts">,
  work: () => Promise<T>,
): Promise<T> {
  const teller = new ActivityTeller();
  const look = () => {
    const now = parts.now();
    const activities = activitiesIn(folder);
    const [under] = activities.filter(({ ended }) => ended === null);
    working(under === undefined ? null : activityLine(under, now));
    for (const line of teller.take(activities, now)) note(line);
  };
  const timer = setInterval(look, EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    look();
    working(null);
  }
}
