import { createHash } from "node:crypto";
import { z } from "zod";
import type { LevelContext } from "../../model/plan/level.js";
import type { PlanRef, RunPolicy, RunTask } from "../../model/run.js";
import { objections } from "./accept-resolution.js";
import { blobAt, type Git, findLostLines, type Merged, must, readBlob } from "./merge.js";
import { type PromptConflict, ResolverAnswer, resolvePrompt } from "./resolve-prompt.js";
import { attemptKey } from "../../mind/run/ledger.js";
import { resolutionRecord } from "../../mind/run/record-names.js";
import type { AttemptResult } from "../attempts/attempt-order.js";
import type { Sessions } from "./coordination-session.js";
import type { RunRecords } from "../attempts/run-records.js";

/*
 * A conflict that git cannot merge, given to an agent. Its resolution is accepted only when no line that either side
 * added is gone without a recorded reason, no marker is left and nothing else was changed; then it is verified like
 * every merge. Otherwise both sides stay as they are, and a person decides. No side is ever taken for the other.
 * It is made beside the queue, against a commit of the branch that is in the log; others are integrated meanwhile.
 */

/** A merge that git could not finish: the tree with its markers, and the sides of each file. */
export type Conflict = Extract<Merged, { status: "conflict" }>;

/** The change that does not merge. */
export interface Disputed {
  readonly task_id: string;
  readonly attempt: number;
  readonly commit: string;
  readonly signal: AbortSignal;
}

export interface ResolverParts {
  readonly plan: PlanRef;
  readonly git: Git;
  readonly records: RunRecords;
  readonly sessions: Sessions;
  readonly mode: RunPolicy["coordinator_mode"];
  readonly checks: readonly string[];
  readonly levelOf: (task: RunTask) => number;
  /** Descriptions of the branch's side: how other tasks left their work. */
  readonly levelsOf: (taskIds: readonly string[]) => Promise<LevelContext[]>;
}

export const ResolutionRecord = z.strictObject({
  task_id: z.string(),
  attempt: z.int(),
  onto: z.string(),
  paths: z.array(z.string()),
  /** The tasks on the branch that changed the same files. */
  others: z.array(z.string()),
  taken: z.boolean(),
  /** Why it was not taken; empty when it was. */
  objections: z.array(z.string()),
  answer: ResolverAnswer.nullable(),
  session_id: z.string().nullable(),
  tree: z.string().nullable(),
  /** Where what the agent made of it stands, taken or not. */
  ref: z.string().nullable(),
});
export type ResolutionRecord = z.infer<typeof ResolutionRecord>;

export interface KeptResolution {
  readonly record: ResolutionRecord;
  /** How the log names the record. */
  readonly ref: string;
}

export type ConflictResolver = ReturnType<typeof conflictResolver>;

/** Contract: idempotent; what was accepted, or why not, stands in the record when it resolves. Throws when aborted. */
export function conflictResolver(parts: ResolverParts) {
  return async (disputed: Disputed, onto: string, conflict: Conflict): Promise<KeptResolution> => {
    const { task_id, attempt } = disputed;
    const outcome = await resolve(parts, disputed, onto, conflict);
    const record: ResolutionRecord = {
      task_id,
      attempt,
      onto,
      paths: conflict.conflicts.map(({ path }) => path),
      ...outcome,
    };
    const { ref } = await parts.records.write(resolutionRecord(attemptKey(task_id, attempt)), record);
    return { record, ref };
  };
}

/** Reads the resolution of the last conflict of an attempt; null when it had none, no agent was asked, or it is not that of `ref`. */
export async function resolutionOf(records: RunRecords, key: string, ref?: string): Promise<ResolutionRecord | null> {
  const read = ResolutionRecord.safeParse(await records.read(resolutionRecord(key), ref));
  return read.success ? read.data : null;
}

type Outcome = Omit<ResolutionRecord, "task_id" | "attempt" | "onto" | "paths">;

const NOBODY = { taken: false, answer: null, session_id: null, tree: null, ref: null, others: [] } as const;

async function resolve(parts: ResolverParts, disputed: Disputed, onto: string, conflict: Conflict): Promise<Outcome> {
  if (parts.mode === "off") return { ...NOBODY, others: [], objections: ["no agent is asked in this mode"] };
  const task = parts.plan.tasks.find(({ task_id }) => task_id === disputed.task_id) as RunTask;
  const sides = await Promise.all(conflict.conflicts.map((each) => sidesOf(parts, disputed, onto, each)));
  const unfit = sides.find(({ reason }) => reason !== null);
  if (unfit !== undefined) return { ...NOBODY, others: [], objections: [`${unfit.path} ${unfit.reason}`] };
  const others = [...new Set(sides.flatMap((side) => side.others.map(({ task_id }) => task_id)))];
  const { prompt, context } = resolvePrompt({
    level_number: parts.levelOf(task),
    task,
    levels: await parts.levelsOf(others),
    conflicts: sides,
    checks: parts.checks,
  });
  const marked = await markedCommit(parts.git, disputed, onto, conflict.tree);
  const ended = await parts.sessions.open({
    purpose: "conflict resolution",
    task,
    attempt: disputed.attempt,
    about: marked.name,
    base: marked.commit,
    write: conflict.conflicts.map(({ path }) => path),
    paths: conflict.conflicts.map(({ path }) => path),
    prompt,
    context,
    answer: ResolverAnswer,
    signal: disputed.signal,
  });
  if (ended.status === "failed") return { ...NOBODY, others, objections: [ended.message] };
  const { by_keys } = conflict;
  const made = { onto, theirs: disputed.commit, by_keys, sides, result: ended.result };
  return { others, ...(await judgeResolution(parts.git, made)) };
}

/** A pattern would let the agent write more than the file it stands for. */
const PATTERN = /[*?{}]/;

async function sidesOf(
  { git, plan }: ResolverParts,
  { commit }: Disputed,
  onto: string,
  { path, base, ours, theirs, special }: Conflict["conflicts"][number],
): Promise<PromptConflict & { readonly reason: string | null }> {
  const text = async (object: string | null) => (object === null || special === true ? null : readBlob(git, object));
  const texts = await Promise.all([base, ours, theirs].map(text));
  const unreadable = [base, ours, theirs].some((object, i) => object !== null && texts[i] === null);
  const [b = null, o = null, t = null] = texts;
  const reason = PATTERN.test(path)
    ? "has a name that stands for others too"
    : unreadable
      ? "is not text that could be merged, or too large"
      : null;
  const others = await listChangingTasks(git, { onto, theirs: commit, path });
  return { path, base: b, ours: o, theirs: t, reason, others: plan.tasks.filter((task) => others.has(task.task_id)) };
}

/** The tasks whose changes of a file are on the branch and not on the other side. Every change names its task. */
async function listChangingTasks(
  git: Git,
  { onto, theirs, path }: { onto: string; theirs: string; path: string },
): Promise<Set<string>> {
  const format = "--format=%(trailers:key=Coordinator-Task,valueonly=true)";
  const listed = await must(git, ["--literal-pathspecs", "log", format, `${theirs}..${onto}`, "--", path]);
  return new Set(
    listed
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  );
}

/** Commits git's merge, with its markers, to start from; under a name that follows from both sides. */
async function markedCommit(
  git: Git,
  { commit }: Disputed,
  onto: string,
  tree: string,
): Promise<{ commit: string; name: string }> {
  const branch = (await must(git, ["rev-parse", `${onto}^{tree}`])).trim();
  // Not the commit of the branch: what is staged again after a crash has the same tree under another id.
  const name = createHash("sha256").update(`${branch} ${commit}`).digest("hex").slice(0, 12);
  const made = await must(git, ["commit-tree", tree, "-p", commit, "-F", "-"], {
    input: "A merge with its conflicts\n",
  });
  return { commit: made.trim(), name };
}

interface Judged {
  readonly onto: string;
  readonly theirs: string;
  readonly by_keys: readonly string[];
  readonly sides: readonly PromptConflict[];
  readonly result: AttemptResult;
}

async function judgeResolution(
  git: Git,
  { onto, theirs, by_keys, sides, result }: Judged,
): Promise<Omit<Outcome, "others">> {
  const answer = ResolverAnswer.parse(result.structured);
  const { session_id, ref, commit, gate } = result;
  const about = { answer, session_id, ref };
  if (commit === null) return { ...about, taken: false, tree: null, objections: ["the conflict was left as it was"] };
  const tree = (await must(git, ["rev-parse", `${commit}^{tree}`])).trim();
  const files = await Promise.all(
    sides.map(async (side) => ({
      path: side.path,
      base: side.base ?? "",
      ours: side.ours ?? "",
      theirs: side.theirs ?? "",
      resolved: await blobAt(git, tree, side.path),
    })),
  );
  const except = new Set(sides.map(({ path }) => path));
  const lost = await findLostLines(git, { ours: onto, theirs, tree, by_keys, except });
  const found = [
    ...(gate !== null && gate.verdict !== "pass"
      ? gate.findings
          .filter(({ lifted }) => lifted === undefined)
          .map(({ rule_id, path, reason }) => `${rule_id}: ${path}: ${reason}`)
      : []),
    ...objections({ files, changed: result.changes.map(({ path }) => path), left_out: answer.left_out }),
    ...lost.map(({ path, line }) => `${path} lost a line: ${line.trim().slice(0, 120)}`),
  ];
  return { ...about, tree, taken: found.length === 0, objections: found };
}
