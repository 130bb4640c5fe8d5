import type { RequestAnswer } from "../../model/request-origin.js";
import { answerEvents } from "../run/start-run.js";
import type { Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { adrRequest } from "../adr/adr-request.js";
import { recordUnplanned } from "./answer-request.js";
import { type AskHere, askInTurn, introTo, mustWait, readQuestions, listStillWaiting } from "./ask-here.js";
import type { RequestOptions } from "./request-options.js";
import { planFromWords } from "./plan-words.js";
import { inputFailure } from "../project/input-failure.js";
import { prepareRequest } from "./run-words.js";
import { warnWithoutEffect } from "../project/describe-trust.js";
import { type UnplannedRequest, findUnplannedRequest } from "./unplanned-request.js";

/**
 * Make a plan of words or of a decision record, and do nothing with it.
 *
 * Contract: no run and no record of a request begins; files are written below `asking.out` alone. An obstacle is the outcome, with every question that is open.
 */
export async function planOnly(
  asking: RequestOptions,
  adr: string | undefined,
  ask: AskHere | null,
  context: CommandContext,
): Promise<Finished> {
  const loaded = await context.project.settings();
  if (loaded.problems.length > 0) return inputFailure(loaded.problems);
  warnWithoutEffect(loaded.trust, context.warn);
  if (adr === undefined) return planAndAsk(asking, ask, context);
  const asked = await adrRequest({ file: adr, approve: false }, asking, context);
  return asked.ok ? planAndAsk({ ...asked.asking, out: asking.out }, ask, context) : asked.finished;
}

/** Anyone who is there answers what has to be known, until there is a plan or they leave it for later. */
async function planAndAsk(wanted: RequestOptions, ask: AskHere | null, context: CommandContext): Promise<Finished> {
  // Nobody waits for the specifier or the planner but the person who may end it all with Ctrl-C.
  const around = { context, signal: new AbortController().signal, unsafeNoSandbox: false };
  // Every round has one and the same request.
  const receivedAt = context.parts.now();
  const asking = { ...wanted, now: wanted.now ?? receivedAt, receivedAt };
  const whole = ask === null ? null : await prepareRequest(asking, {}, context);
  if (whole !== null && "exitCode" in whole) return whole;
  const answers: RequestAnswer[] = [];
  for (;;) {
    // A plan that somebody answered questions for is written: what they typed stands in it.
    const out = asking.out ?? (answers.length === 0 ? undefined : whole?.asking.out);
    const made = await planFromWords({ ...asking, out, answers }, around);
    const undone = findUnplannedRequest(made);
    if (ask === null || whole === null || undone === undefined || undone.questions.length === 0) return made.finished;
    const before = answers.length;
    const round = await askInTurn(undone.questions, introTo(undone), ask, async (id, answer) => {
      const question = undone.questions.find((one) => one.id === id)?.question ?? "";
      const decider = { by: whole.asking.by, how: "person", via: "terminal" } as const;
      answers.push({ id, question, answer, decider, at: context.parts.now() });
      return true;
    });
    const said = new Set(answers.slice(before).map(({ id }) => id));
    const open = undone.questions.filter(({ id }) => !said.has(id));
    if (round.stopped === null && said.size > 0 && !mustWait(open, answers.slice(before))) continue;
    // Typed answers are kept, and the other questions wait until they are answered later.
    const left: UnplannedRequest = {
      ...undone,
      decided: [...answers.flatMap(answerEvents), ...undone.decided],
      questions: open,
    };
    const kept = await recordUnplanned(
      made.finished,
      left,
      { whole, record: null, receivedAt: asking.receivedAt, decidedAt: undefined },
      context,
    );
    if (kept.answer === undefined) return made.finished;
    const { run, alone } = await readQuestions({ context, record: kept.answer.run_id });
    return listStillWaiting(run, alone, round.stopped, context);
  }
}
