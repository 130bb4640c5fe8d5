import type { HostPlace } from "../../hands/hosts/addresses.js";
import { CoordinatorError } from "../../model/errors.js";
import type { CommandContext } from "../command-context.js";
import type { SyncedSend } from "../host-reports.js";
import { listOutboxes, type Order, readOutbox, writeOutbox } from "./outbox.js";
import { publishRun } from "./publish.js";

const USUAL: Order = { perTask: false, ready: false, partial: false };

/**
 * Send what a person ordered and the host did not take then. Contract: as `publishRun`; what is refused by now is said and
 * stops nothing else.
 */
export async function sendWaiting(
  isHere: (one: HostPlace) => boolean,
  context: CommandContext,
): Promise<readonly SyncedSend[]> {
  const { at } = context.project;
  const waiting = listOutboxes(at).filter((one) => isHere(one) && !one.is_done && one.waits !== null);
  const sent: SyncedSend[] = [];
  for (const { run_id, order = USUAL } of waiting) {
    try {
      const { report } = await publishRun(
        { into: undefined, branch: undefined, ...order, run: run_id, dryRun: false },
        context,
      );
      const waits = report.type === "published" ? report.waits : { reason: "it could not be published" };
      sent.push({ run_id, status: waits === null ? "published" : "waiting", reason: waits?.reason ?? null });
    } catch (error) {
      if (!(error instanceof CoordinatorError)) throw error;
      const reason = `${error.message}. ${error.fix ?? ""}`.trim();
      const outbox = readOutbox(at, run_id);
      // The inbox says why from now on.
      if (outbox !== null) writeOutbox(at, { ...outbox, waits: { reason, until: null } });
      sent.push({ run_id, status: "refused", reason });
    }
  }
  return sent;
}
