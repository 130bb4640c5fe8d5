import { isDeepStrictEqual } from "node:util";
import { CoordinatorError } from "../../model/errors.js";
import type { EventOf, RunEvent } from "../../model/event.js";
import { mergeRecord } from "../../mind/run/record-names.js";
import type { ProjectBase } from "../project/project.js";
import { openQuarantine, type Quarantine } from "../../hands/workspace/quarantine.js";
import { findMovedRefs, readCommitsInLog, readLogHead, describeMovedRef } from "../../hands/git/log-head.js";
import { type Envelope, openStatement } from "../merge/merge-statement.js";
import type { RunRecords } from "../../hands/attempts/run-records.js";

/* Verifies what a run left in git against its log: the refs of its commits, and the statements on what was merged. */

export interface CommitsRequest {
  readonly runId: string;
  readonly project: ProjectBase;
  readonly records: RunRecords;
  /** The key that statements are signed with; null where there is none. */
  readonly publicKeyPems: readonly string[];
  /** Contract: can be read more than once, each time from the beginning. */
  readonly events: () => AsyncIterable<{ readonly event: RunEvent; readonly sequence: number }>;
}

interface Finding<Kind extends string> {
  readonly kind: Kind;
  readonly sequence: number;
  readonly message: string;
}

export interface VerifiedCommits {
  /** Null: there was nothing to compare, or nowhere to look. */
  readonly commits: { readonly passed: boolean | null; readonly detail: string };
  readonly moved: readonly Finding<"commit">[];
  /** Null when nothing of the run was merged. */
  readonly statements: { readonly passed: boolean | null; readonly detail: string } | null;
  readonly forged: readonly Finding<"statement">[];
  readonly unproven: readonly string[];
}

/** Contract: total for a repository that is gone or not one; nothing in it is changed. */
export async function verifyCommits(request: CommitsRequest): Promise<VerifiedCommits> {
  const { runId, events } = request;
  const { root, environment } = request.project;
  const commits = await readCommitsInLog(runId, events());
  const merges = await mergesIn(events());
  const nowhere = (detail: string): VerifiedCommits => ({
    commits: { passed: null, detail },
    moved: [],
    statements: null,
    forged: [],
    unproven: merges.size + commits.landed.length === 0 ? [] : [`The commits of the run are not compared: ${detail}.`],
  });
  let quarantine: Quarantine;
  try {
    quarantine = await openQuarantine({ repository: root, environment });
  } catch (error) {
    if (error instanceof CoordinatorError) return nowhere("there is no git repository to look into");
    throw error;
  }
  const head = await readLogHead(commits, quarantine);
  const moved = (await findMovedRefs(runId, commits, head, quarantine)).map((ref) => ({
    kind: "commit" as const,
    sequence: 0,
    message: describeMovedRef(ref).reason,
  }));
  const forged = await forgedStatements(request, quarantine, merges);
  return {
    commits: describeHead(head, moved),
    moved,
    statements:
      merges.size === 0
        ? null
        : forged[0] === undefined
          ? { passed: true, detail: `${merges.size} on merged commits, each as it was signed` }
          : { passed: false, detail: forged[0].message },
    forged,
    unproven: head.status === "unknown" ? [`Where the run's branch ends is not known: ${head.problem}.`] : [],
  };
}

function describeHead(
  head: Awaited<ReturnType<typeof readLogHead>>,
  [moved]: readonly Finding<"commit">[],
): VerifiedCommits["commits"] {
  if (moved !== undefined) return { passed: false, detail: moved.message };
  if (head.status === "unknown") return { passed: null, detail: head.problem };
  return head.status === "none"
    ? { passed: null, detail: "none was integrated" }
    : { passed: true, detail: `no ref of the run contradicts the log, which ends at ${head.commit}` };
}

type Merge = EventOf<"run_merged"> & { readonly sequence: number };

/** The last merge of each commit: a later statement on the same commit takes the place of an earlier one. */
async function mergesIn(events: ReturnType<CommitsRequest["events"]>): Promise<ReadonlyMap<string, Merge>> {
  const merges = new Map<string, Merge>();
  for await (const { event, sequence } of events)
    if (event.type === "run_merged") merges.set(event.to, { ...event, sequence });
  return merges;
}

async function forgedStatements(
  { runId, records, publicKeyPems }: CommitsRequest,
  { git, userGitDir }: Quarantine,
  merges: ReadonlyMap<string, Merge>,
): Promise<Finding<"statement">[]> {
  const found: Finding<"statement">[] = [];
  for (const [commit, { sequence, record }] of merges) {
    // A merge of an earlier version has no record that the log names.
    if (record === undefined) continue;
    const args = ["notes", "--ref=refs/notes/coord", "show", commit];
    const { code, stdout } = await git.call({ gitDir: userGitDir, args });
    const problem =
      code === 0
        ? statementProblem(stdout.toString("utf8"), publicKeyPems, await records.read(mergeRecord(commit), record))
        : "is missing";
    if (problem === null) continue;
    const message = `The statement of ${runId} on ${commit} (refs/notes/coord) ${problem}`;
    found.push({ kind: "statement", sequence, message });
  }
  return found;
}

/** Finds the fault of a statement by the record it was made from; null when there is none. */
function statementProblem(text: string, publicKeyPems: readonly string[], record: unknown): string | null {
  let statement: unknown;
  try {
    const envelope = JSON.parse(text) as Envelope;
    statement = publicKeyPems.map((pem) => openStatement(envelope, pem)).find((opened) => opened !== null) ?? null;
  } catch {
    return "cannot be read";
  }
  if (statement === null) return "is not signed with the key of the run";
  const { subject, predicate } = statement as {
    readonly subject?: readonly { readonly digest?: { readonly gitCommit?: string } }[];
    readonly predicate?: object;
  };
  const said = { commit: subject?.[0]?.digest?.gitCommit, ...predicate };
  // A record that is missing or changed is a finding of its own.
  return record === null || isDeepStrictEqual(said, record) ? null : "is not the one the log names";
}
