import { isOurs } from "../../mind/publish/marker.js";
import type { CodeHost, Discussion, HostComment } from "../../hands/hosts/code-host.js";
import { HostUnavailable } from "../../hands/hosts/host-errors.js";
import { withoutSecrets } from "../../foundation/files/known-secrets.js";

/**
 * A comment of ours, as it should be now: found again by our account and its marker, edited when it says something else,
 * posted when it is not there.
 */
export async function keepComment(
  host: CodeHost,
  ours: number,
  on: Discussion,
  comment: { readonly text: string; readonly marker: string },
): Promise<HostComment> {
  const body = withoutSecrets(comment.text);
  const find = async () => (await host.listComments(on)).find((one) => isOurs(one, comment.marker, ours));
  const there = await find();
  if (there !== undefined)
    return there.body.replaceAll("\r\n", "\n").trim() === body.trim() ? there : host.updateComment(on, there.id, body);
  return host.createComment(on, body).catch(async (error: unknown) => {
    // Whether a request without an answer posted one: the host says.
    const found = error instanceof HostUnavailable ? await find() : undefined;
    if (found === undefined) throw error;
    return found;
  });
}
