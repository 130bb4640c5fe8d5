import { newRecordId, openRequest, settleRequest } from "./record-request.js";
import { openRuns } from "../project/open-runs.js";
import type { Project } from "../project/project.js";
import { finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { saveRequest, type PreparedRequest } from "./saved-request.js";
import { respondHere } from "../inspect/response.js";
import type { UnplannedRequest } from "./unplanned-request.js";

/* Every request ends in a response, whether it became a run or not. */

/**
 * Put a request that becomes no run, or none yet, on record: in the log it has, or in one of its own.
 *
 * Contract: nothing else is made.
 */
export async function recordUnplanned(
  ended: Finished,
  undone: UnplannedRequest,
  asked: {
    readonly whole: PreparedRequest;
    readonly record: string | null;
    /** When it came in, and when the first decision about it stood. */
    readonly receivedAt: string;
    readonly decidedAt: string | undefined;
  },
  { parts, project, cwd }: CommandContext,
): Promise<Finished> {
  const { at } = project;
  const { configuration } = await project.settings();
  const store = await openRuns(at);
  try {
    const now = parts.now();
    const record = asked.record ?? newRecordId(now);
    if (asked.record === null) {
      // Before it is in the log: a request that waits for answers can be resumed.
      if (undone.questions.length > 0) await saveRequest(at, record, asked.whole, cwd);
      await openRequest(store, record, { ...undone, policy: configuration.run, now: asked.receivedAt });
    }
    await settleRequest(store, record, undone, asked.decidedAt ?? now);
    const { response } = await respondHere(store, project, record);
    if (response === null) return ended;
    return { ...waitingOn(ended, undone, record, response), answer: { run_id: record, response } };
  } finally {
    await store.close();
  }
}

/** Builds the report of a waiting request, with the commands to answer and to resume. */
function waitingOn(
  ended: Finished,
  { questions }: UnplannedRequest,
  record: string,
  response: NonNullable<Finished["answer"]>["response"],
): Finished {
  const { report } = ended;
  const [first] = questions;
  const next =
    first === undefined
      ? []
      : [`coordinator answer ${first.id} TEXT --run ${record}`, `coordinator run --resume ${record}`];
  if (report.type === "intake") return { ...ended, report: { ...report, response, recorded: record, next } };
  if (first === undefined) return ended;
  if (report.type === "error") return { ...ended, report: { ...report, fix: next.join(", then ") } };
  if (report.type === "route") return { ...ended, report: { ...report, next } };
  if (report.type === "plan") return { ...ended, report: { ...report, next } };
  return ended;
}

/** Turns the outcome of a command about a request into the response; unchanged where nothing was decided about the request. */
export async function asResponse(ended: Finished, project: Project): Promise<Finished> {
  const { report, exitCode, answer } = ended;
  if (answer !== undefined) return finish(exitCode, { type: "response", ...answer, told: null, words: [] });
  if (report.type === "intake")
    return finish(exitCode, { type: "response", run_id: null, response: report.response, told: null, words: [] });
  if (report.type !== "plan" || report.runId === undefined) return ended;
  const { runId } = report;
  const reader = await project.readRuns();
  if (reader === null) return ended;
  try {
    const { response } = await respondHere(reader, project, runId);
    return response === null
      ? ended
      : finish(exitCode, { type: "response", run_id: runId, response, told: null, words: [] });
  } finally {
    await reader.close();
  }
}
