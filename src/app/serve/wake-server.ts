import { CoordinatorError } from "../../model/errors.js";
import type { CommandContext } from "../command-context.js";
import { askServer } from "./ask-server.js";
import { projectId } from "./project-id.js";
import { serverOf } from "./server-file.js";

/**
 * Tell the server of a project that something was decided, so that it goes on with the run. Nothing is told where no
 * server works on it, and inside of a server.
 *
 * Contract: what was decided stands in the log already; a server that does not answer changes nothing about that.
 */
export async function wakeServer(
  runId: string,
  { server, project: { root, environment }, warn }: CommandContext,
): Promise<void> {
  const running = server === undefined ? null : serverOf(root, environment);
  if (running === null) return;
  try {
    await askServer(running, "POST", `/projects/${projectId(root)}/runs/${runId}/wake`, {});
  } catch (error) {
    if (!(error instanceof CoordinatorError)) throw error;
    warn(`The server was not told: ${error.message}`);
  }
}
