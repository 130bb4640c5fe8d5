import { isOurs } from "../../mind/publish/marker.js";
import { type CommentFacts, commentMarker, planComment } from "../../mind/publish/plan-comment.js";
import type { CodeHost, HostComment } from "../../hands/hosts/code-host.js";
import { HostUnavailable } from "../../hands/hosts/host-errors.js";
import { withoutSecrets } from "../../foundation/files/known-secrets.js";

/**
 * The comment on an issue, as it should be now: found again by our account and its marker, edited when it says something
 * else, posted when it is not there.
 */
export async function tellPlan(host: CodeHost, ours: number, facts: CommentFacts): Promise<HostComment> {
  const body = withoutSecrets(planComment(facts));
  const find = async () =>
    (await host.listComments(facts.issue)).find((comment) => isOurs(comment, commentMarker(facts.issue), ours));
  const there = await find();
  if (there !== undefined)
    return there.body.replaceAll("\r\n", "\n").trim() === body.trim() ? there : host.updateComment(there.id, body);
  return host.createComment(facts.issue, body).catch(async (error: unknown) => {
    // Whether a request without an answer posted one: the host says.
    const found = error instanceof HostUnavailable ? await find() : undefined;
    if (found === undefined) throw error;
    return found;
  });
}
