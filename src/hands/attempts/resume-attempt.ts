import { lstatSync } from "node:fs";
import { cp } from "../../foundation/files/write-files.js";
import { layWork } from "../workspace/lay-work.js";
import type { Quarantine } from "../workspace/quarantine.js";
import type { AttemptOrder } from "./attempt-order.js";

/* An attempt that goes on where an earlier one stopped, because a person widened its scope: with its files and its session. */

/** With what an earlier attempt did, where it goes on with one; the agent is told when that does not fit any more. */
export async function withEarlierWork(
  order: AttemptOrder,
  quarantine: Quarantine,
  workspace: string,
): Promise<{ readonly order: AttemptOrder; readonly laid: ReadonlySet<string> }> {
  const commit = order.goes_on?.commit ?? null;
  if (commit === null) return { order, laid: new Set() };
  const laid = await layWork(quarantine, workspace, { onto: order.base, commit });
  if (laid !== null) return { order, laid };
  const moved =
    "The branch has moved on meanwhile, and what you did before does not fit any more. It is not in the working directory: " +
    "do it again where it is still needed.";
  return { order: { ...order, prompt: `${order.prompt}\n\n${moved}` }, laid: new Set() };
}

/** Sessions are kept in the home: anyone who goes on with one gets a copy of it, without links and sockets. */
export async function copyHome({ goes_on }: AttemptOrder, home: string): Promise<void> {
  const kept = goes_on?.home ?? null;
  if (kept === null) return;
  const filter = (path: string) => {
    const found = lstatSync(path);
    return found.isDirectory() || found.isFile();
  };
  // Without it the agent begins a session of its own and is told what was done.
  await cp(kept, home, filter).catch(() => undefined);
}
