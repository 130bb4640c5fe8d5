import { approvalCommand } from "./approval.js";
import { quoteInline } from "./host-text.js";
import { markerOf } from "./marker.js";

/* The one comment that tells a plan. It is edited when something changes, and never posted twice. */

export interface CommentFacts {
  readonly run_id: string;
  /** The planned work, in our own words. */
  readonly about: string;
  readonly marker: string;
  readonly plan_checksum: string;
  readonly tasks: readonly { readonly task_id: string; readonly title: string; readonly agent: string }[];
  readonly risk: string | null;
  readonly estimated_usd: number;
  /** Parts that were taken out of the text before it was read. */
  readonly removed: readonly string[];
  readonly state: PlanStanding;
}

export type PlanStanding =
  | { readonly is: "waiting" }
  | { readonly is: "approved"; readonly by: string }
  /** Its source was changed. `next`: what becomes of it. */
  | { readonly is: "stale" }
  | { readonly is: "done"; readonly by: string; readonly head: string; readonly evidence: string };

export const commentMarker = (issue: number) => markerOf(`issue-${issue}`, "plan");
export const followUpMarker = (pull: number, round: number) => markerOf(`pull-${pull}`, `round-${round}`);

/** Contract: pure. */
export function planComment(facts: CommentFacts): string {
  const { run_id, about, marker, plan_checksum, tasks, risk, estimated_usd, removed, state } = facts;
  const lines = [
    `### ${about}`,
    "| task | agent |",
    "| --- | --- |",
    ...tasks
      .slice(0, 50)
      .map(({ task_id, title, agent }) => `| ${quoteInline(`${task_id}: ${title}`)} | ${quoteInline(agent)} |`),
    ...(tasks.length > 50 ? ["", `${tasks.length - 50} more tasks are in the plan.`] : []),
    "",
    `Risk: ${risk ?? "unknown"}. Estimated cost: ${estimated_usd === 0 ? "unknown" : `$${estimated_usd.toFixed(2)}`}.`,
    `Run \`${run_id}\`, checksum \`${plan_checksum}\`.`,
    ...removed.map((what) => `Taken out of the text before it was read: ${what}.`),
    "",
    ...next(facts, state),
  ];
  return `${lines.join("\n")}\n\n${marker}\n`;
}

function next({ plan_checksum }: CommentFacts, state: PlanStanding): string[] {
  switch (state.is) {
    case "approved":
      return [`Approved by ${quoteInline(state.by)}.`];
    case "done":
      return [`Approved by ${quoteInline(state.by)} and carried out: head \`${state.head}\`.`, "", state.evidence];
    case "stale":
      return [
        "**What it was made of was changed after this plan was made, so it cannot be approved any more.** It must be planned again.",
      ];
    case "waiting":
      return [
        "Nothing is done before this plan is approved. To approve it, somebody whom the settings name and who may write here posts a new comment with this line:",
        "",
        "```",
        approvalCommand(plan_checksum),
        "```",
      ];
  }
}
