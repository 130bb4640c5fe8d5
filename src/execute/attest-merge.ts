import type { MergePlace } from "./merge-run.js";
import { type MergeFacts, signedStatement } from "./merge-statement.js";

/** The note stands on the commit itself, and goes where the commit is pushed with `refs/notes/coord`. */
export async function attest(place: MergePlace, into: string, commit: string): Promise<void> {
  const { request, quarantine, head, base, reviews } = place;
  const { state, runId, key, by, at, log } = request;
  const plan = state.layout?.plan;
  const facts: MergeFacts = {
    run_id: runId,
    commit,
    base: base?.commit ?? "",
    head,
    into,
    plan_id: plan?.plan_id ?? "",
    plan_checksum: plan?.plan_checksum ?? "",
    log: { sequence: log.sequence, hash: log.hash },
    sandbox: state.sandbox?.grade ?? null,
    tasks: (plan?.tasks ?? []).map(({ task_id }, i) => {
      const { agent, attempts, state: now } = state.tasks.get(i);
      const verdict = request.verdicts.get(task_id) ?? null;
      return { task_id, status: now.status, agent, attempt: attempts, verdict };
    }),
    requirements: place.requirements,
    reviews,
    by,
    at,
  };
  await request.records.write(`merge ${commit}`, facts);
  await quarantine.git.must("Writing the note on the merge", {
    gitDir: quarantine.userGitDir,
    args: ["notes", "--ref=refs/notes/coord", "add", "-f", "-F", "-", commit],
    input: `${JSON.stringify(signedStatement(facts, key), null, 1)}\n`,
  });
}
