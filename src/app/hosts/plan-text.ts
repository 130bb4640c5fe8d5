import { type CommentFacts, planComment } from "../../mind/publish/plan-comment.js";
import type { CommandContext } from "../command-context.js";
import { foldRun } from "../inspect/fold-run.js";
import { withRuns } from "../inspect/runs-at.js";

/** The comment that tells a plan, with its tasks from the log. */
export async function planText(
  facts: Omit<CommentFacts, "tasks" | "estimated_usd">,
  { project }: CommandContext,
): Promise<string> {
  const { layout } = await withRuns(project, async (reader) => (await foldRun(reader, facts.run_id)).state);
  const tasks = layout?.plan.tasks ?? [];
  const estimated_usd = tasks.reduce((sum, { estimate }) => sum + estimate.cost_usd, 0);
  return planComment({ ...facts, tasks, estimated_usd });
}
