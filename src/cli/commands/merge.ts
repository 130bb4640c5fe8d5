import { join } from "node:path";
import { loadConfiguration } from "../../configuration/load-configuration.js";
import { mergeRun } from "../../execute/merge-run.js";
import { openRecords } from "../../execute/run-records.js";
import { CoordinatorError } from "../../model/errors.js";
import { foldRun } from "../../runs/fold-run.js";
import { findRun } from "../../runs/find.js";
import { loadSigningKey } from "../../store/chain/signing-key.js";
import { EXIT } from "../exit-codes.js";
import { failed, finished, type Finished } from "../report.js";
import type { Surroundings } from "../surroundings.js";
import { inputFailure } from "./project.js";
import { type Reader, withRuns } from "./runs-at.js";
import { whoDecides } from "./who.js";

export interface MergeArguments {
  readonly run: string;
  readonly into: string | undefined;
  readonly noFastForward: boolean;
  readonly partial: boolean;
  readonly exportBranch: string | undefined;
  readonly by: string | undefined;
  readonly as: readonly string[];
  readonly unsafeNoSandbox: boolean;
}

/** Take the work of a run onto a branch, by a person's order. */
export function mergeIntoBranch(
  args: MergeArguments,
  { parts, progress }: Surroundings,
  environment: NodeJS.ProcessEnv,
): Promise<Finished> {
  return withRuns(async (reader, at) => {
    const runId = await findRun(reader, args.run);
    const loaded = await loadConfiguration(at.root, environment);
    if (loaded.problems.length > 0) return inputFailure(loaded.problems);
    const { state } = await foldRun(reader, runId);
    if (state.layout === null) return failed(EXIT.invalid, "USAGE", `${runId} has no plan that was carried out`);
    const log = await reader.head(runId);
    if (log === null) throw new CoordinatorError("STORE_CORRUPT", `The log of ${runId} has no end`);
    const by = whoDecides(args.by);
    progress(`Merging ${runId} …`);
    const outcome = await mergeRun({
      runId,
      state,
      log,
      root: at.root,
      stateFolder: at.folder,
      records: openRecords(join(at.folder, "records", runId)),
      configuration: loaded.configuration,
      key: loadSigningKey(at.folder),
      environment,
      by,
      at: parts.now(),
      roles: args.as,
      verdicts: await verdictsOf(reader, runId),
      into: args.into ?? null,
      noFastForward: args.noFastForward,
      partial: args.partial,
      exportBranch: args.exportBranch ?? null,
      unsafeNoSandbox: args.unsafeNoSandbox,
    });
    const code =
      outcome.status === "merged" ? EXIT.done : outcome.why === "verification" ? EXIT.unverified : EXIT.refused;
    return finished(code, { type: "merge", run_id: runId, by, outcome });
  });
}

/** The last verdict on each task, with the checksum of its proof. */
async function verdictsOf(reader: Reader, runId: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { event } of reader.read(runId))
    if (event.type === "verification_finished") found.set(event.task_id, `${event.verdict} ${event.evidence}`.trim());
  return found;
}
