import { isAbsolute, join, resolve } from "node:path";
import { homedir } from "node:os";
import { anchorObjection } from "../../model/settings/record-config.js";
import { configuredAnchors } from "./anchors.js";
import { findRun } from "../inspect/find.js";
import { type Anchored, anchorRun } from "./keep-anchors.js";
import { EXIT } from "../exit-codes.js";
import { fail, finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { recordApprovals } from "../decide/approvals.js";
import { inputFailure } from "../project/input-failure.js";
import { withRuns } from "../inspect/runs-at.js";
import { warnWithoutEffect } from "../project/describe-trust.js";

export interface AnchorArguments {
  readonly run: string;
  /** Where to; what is configured when there is none. */
  readonly to: readonly string[];
}

/**
 * Copy the checkpoints of a run to where nobody changes them unnoticed.
 *
 * Contract: an approval is in the log before anything is written. A place that cannot be written is told with its problem, and the others
 * are still written.
 */
export function anchorByHand({ run, to }: AnchorArguments, context: CommandContext): Promise<Finished> {
  const { project } = context;
  return withRuns(project, async (reader, at) => {
    const runId = await findRun(reader, run);
    const { configuration, problems, trust } = await project.settings();
    if (problems.length > 0) return inputFailure(problems);
    if (to.length === 0) warnWithoutEffect(trust, context.warn);
    for (const place of to) {
      const objection = anchorObjection(place);
      if (objection !== null)
        return fail(EXIT.invalid, "USAGE", `${place} is not a place for anchors: it ${objection}`, { fix: PLACES });
    }
    const places =
      to.length > 0 ? to.map((place) => fromHere(place, context)) : configuredAnchors(configuration.record, project);
    if (places.length === 0) return fail(EXIT.invalid, "USAGE", "No place for anchors is configured", { fix: PLACES });
    const after = (await reader.head(runId))?.sequence ?? 0;
    await recordApprovals(at, runId, { actions: ["anchor_run"], after }, context);
    const done: Anchored[] = [];
    for (const where of places) done.push(await anchorRun(reader, runId, where, project));
    if (done.every(({ sequence, problem }) => sequence === 0 && problem === null))
      return fail(EXIT.invalid, "NOT_FOUND", `${runId} has no signed checkpoint yet`, {
        fix: "One is signed every hundred events, every few seconds of a run, and when it ends.",
      });
    const named = to.length > 0 ? ` --anchor ${places.join(" ")}` : "";
    return finish(done.some(({ problem }) => problem !== null) ? EXIT.failed : EXIT.done, {
      type: "anchored",
      run_id: runId,
      places: done,
      next: `coordinator verify ${runId}${named}`,
    });
  });
}

/** Resolves a typed path from the working directory of the command. */
function fromHere(place: string, { cwd, project: { environment } }: CommandContext): string {
  if (place.startsWith("git:") || isAbsolute(place)) return place;
  return place.startsWith("~/") ? join(environment["HOME"] ?? homedir(), place.slice(2)) : resolve(cwd, place);
}

const PLACES =
  "Name a file, git: or git:refs/coord/NAME with --to, or once for all runs in coordinator.yaml: record.anchor.";
