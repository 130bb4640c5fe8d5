import { mergeRecord } from "../../mind/run/record-names.js";
import type { MergePlace } from "./merge-run.js";
import { type MergeFacts, signedStatement } from "./merge-statement.js";

/**
 * The note stands on the commit itself, and goes where the commit is pushed with `refs/notes/coord`. Gives the checksum
 * of the record of what it says.
 */
export async function attest(place: MergePlace, into: string, commit: string): Promise<string> {
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
  const { ref } = await request.records.write(mergeRecord(commit), facts);
  // The kept record is signed: a secret that was taken out of it is not in the note either.
  const kept = (await request.records.read(mergeRecord(commit), ref)) as MergeFacts;
  await quarantine.git.must("Writing the note on the merge", {
    gitDir: quarantine.userGitDir,
    args: ["notes", "--ref=refs/notes/coord", "add", "-f", "-F", "-", commit],
    input: `${JSON.stringify(signedStatement(kept, key), null, 1)}\n`,
  });
  return ref;
}
