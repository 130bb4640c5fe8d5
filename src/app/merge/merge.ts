import { join } from "node:path";
import { activityFolder } from "../../hands/checks/on-trees/activity.js";
import { readCommitsInLog } from "../../hands/git/log-head.js";
import { mergeRun } from "./merge-run.js";
import { formsOf, rolesHeld } from "../decide/roles.js";
import { openRecords, sharedRecords } from "../../hands/attempts/run-records.js";
import { CoordinatorError } from "../../model/errors.js";
import type { EventOf } from "../../model/event.js";
import type { Decider } from "../../model/run.js";
import { foldRun } from "../inspect/fold-run.js";
import { sendSignal } from "../decide/send-signal.js";
import { newSignalId } from "../decide/signal-box.js";
import type { StateFolder } from "../project/state-folder.js";
import { findRun } from "../inspect/find.js";
import { loadSigningKey } from "../../hands/store/chain/signing-key.js";
import { EXIT } from "../exit-codes.js";
import { fail, finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { recordApprovals } from "../decide/approvals.js";
import { afterEffect } from "../prove/record.js";
import { inputFailure } from "../project/input-failure.js";
import { refuseRoles } from "../decide/refuse-roles.js";
import { type Reader, withRuns } from "../inspect/runs-at.js";
import { verifyHere } from "../prove/verify-here.js";
import { whileWorking } from "../run/while-working.js";
import { currentPerson } from "../decide/current-user.js";

export interface MergeArguments {
  readonly run: string;
  readonly into: string | undefined;
  readonly noFastForward: boolean;
  readonly partial: boolean;
  readonly exportBranch: string | undefined;
  readonly by: string | undefined;
  readonly as: readonly string[];
  readonly unsafeNoSandbox: boolean;
  /** How they said so; by the command when absent. */
  readonly via?: Decider["via"];
}

/**
 * Take the work of a run onto a branch, by a person's order.
 *
 * Contract: the log is verified, and an approval is in it, before anything changes. The branch moves forward whole or not at all, and nothing
 * else in the repository changes; what keeps it from that is the outcome.
 */
export function mergeIntoBranch(args: MergeArguments, context: CommandContext): Promise<Finished> {
  const { parts, project, progress } = context;
  return withRuns(project, async (reader, at) => {
    const runId = await findRun(reader, args.run);
    const loaded = await project.settings();
    if (loaded.problems.length > 0) return inputFailure(loaded.problems);
    const { state } = await foldRun(reader, runId);
    if (state.layout === null) return fail(EXIT.invalid, "USAGE", `${runId} has no plan that was carried out`);
    const log = await reader.head(runId);
    if (log === null) throw new CoordinatorError("STORE_CORRUPT", `The log of ${runId} has no end`);
    const person = currentPerson(args.by, context.project);
    const refused = refuseRoles(person, args.as, loaded.configuration);
    if (refused !== null) return refused;
    const by = person.name;
    progress(`Merging ${runId} …`);
    const [broken] = (await verifyHere(reader, project, runId)).findings.filter(({ kind }) => kind !== "plan");
    await recordApprovals(at, runId, { actions: ["merge_run"], after: log.sequence, by }, context);
    const merge = {
      runId,
      state,
      log,
      commits: await readCommitsInLog(runId, reader.read(runId)),
      broken: broken?.message ?? null,
      project,
      records: openRecords(join(at.folder, "records", runId), sharedRecords(reader, runId)),
      configuration: loaded.configuration,
      key: loadSigningKey(at.folder),
      by,
      at: parts.now(),
      roles: [...new Set([...args.as.flatMap(formsOf), ...rolesHeld(person, loaded.configuration)])],
      verdicts: await verdictsOf(reader, runId),
      into: args.into ?? null,
      noFastForward: args.noFastForward,
      partial: args.partial,
      exportBranch: args.exportBranch ?? null,
      unsafeNoSandbox: args.unsafeNoSandbox,
      told: progress,
    };
    const outcome = await whileWorking(activityFolder(at.folder, runId), context, () => mergeRun(merge));
    if (outcome.status === "merged" && outcome.how !== "already") {
      const { how, into, from, to, reviews, record } = outcome;
      const via = args.via ?? (context.approved ? "yes" : "command");
      const event: Merged = {
        type: "run_merged",
        how,
        into,
        from,
        to,
        reviews: [...reviews],
        decider: { by, how: "person", via },
        ...(record === null ? {} : { record }),
      };
      await logMerge(at, runId, { event, after: log.sequence }, context);
    }
    const code =
      outcome.status === "merged" ? EXIT.done : outcome.why === "verification" ? EXIT.unverified : EXIT.refused;
    return finish(code, { type: "merge", run_id: runId, by, outcome });
  });
}

type Merged = EventOf<"run_merged">;

/** The branch has moved, even if its report fails: an error of writing is shown. */
async function logMerge(
  at: StateFolder,
  runId: string,
  { event, after }: { readonly event: Merged; readonly after: number },
  context: CommandContext,
): Promise<void> {
  const { parts, warn } = context;
  const now = parts.now();
  const roles = [event.decider.by];
  const signal = { signal_id: newSignalId(Date.parse(now)), run_id: runId, event, roles, after, sent_at: now };
  try {
    const sent = await sendSignal(at, signal, { waitMs: 5000, now: parts.now });
    if (sent.status === "refused") warn(`The log of ${runId} does not say that it was merged: ${sent.reason}`);
    if (sent.status === "taken") await afterEffect(at, runId, context);
  } catch (error) {
    warn(`The log of ${runId} does not say that it was merged: ${(error as Error).message}`);
  }
}

/** The last verdict on each task, with the checksum of its proof. */
async function verdictsOf(reader: Reader, runId: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { event } of reader.read(runId))
    if (event.type === "verification_finished") found.set(event.task_id, `${event.verdict} ${event.evidence}`.trim());
  return found;
}
