import { EXIT } from "../exit-codes.js";
import type { Finished } from "../report.js";
import type { RequestContext } from "../request/plan-and-run.js";
import { type AskHere, askInTurn, keepAnswer, openQuestions, readQuestions } from "../request/ask-here.js";
import { carryOutPlan } from "./run.js";
import type { RunArguments } from "./run-arguments.js";
import { currentUser } from "../decide/current-user.js";

/**
 * Carry out a plan where somebody is there: what agents ask is put to them when nothing else is left to do, and the run
 * goes on with what they say. `ask`: null when nobody is there, and everything waits in the inbox.
 *
 * Contract: as `carryOutPlan`; asks only between two stretches of work, and an answer is in the log before the run goes
 * on. Ends, resumable, when `around.interrupted` does.
 */
export async function carryOutHere(args: RunArguments, ask: AskHere | null, around: RequestContext): Promise<Finished> {
  const { context, watcher, interrupted } = around;
  const carryOut = (wanted: RunArguments) => carryOutPlan(wanted, context, watcher, interrupted);
  let ended = await carryOut(args);
  if (ask === null) return ended;
  while (ended.exitCode === EXIT.waiting && !interrupted.aborted) {
    const record = runOf(ended);
    if (record === null) return ended;
    const questions = openQuestions((await readQuestions({ context, record })).run);
    if (questions.length === 0) return ended;
    const intro = ["", "It goes on when you have answered. Enter alone leaves a question for later."];
    const place = { record, by: currentUser(undefined, context.project), context };
    const { answered, stopped } = await askInTurn(questions, intro, ask, (id, text) => keepAnswer(id, text, place));
    if (answered === 0 || stopped !== null) return ended;
    ended = await carryOut(resumeArguments(args, record));
  }
  return ended;
}

function runOf({ report }: Finished): string | null {
  if (report.type === "response") return report.run_id;
  return report.type === "watched" ? report.overview.run_id : null;
}

/** The run, which has begun. */
function resumeArguments({ agent, unsafeNoSandbox = false }: RunArguments, resume: string): RunArguments {
  return { resume, agent, unsafeNoSandbox };
}
