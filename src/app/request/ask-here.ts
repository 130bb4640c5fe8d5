import { isOverruling } from "../../mind/request/overrule.js";
import type { RunEvent } from "../../model/event.js";
import type { OpenQuestion, RequestAnswer } from "../../model/request-origin.js";
import { ClarificationQuestion } from "../../model/request.js";
import { foldRun, type FoldedRun } from "../inspect/fold-run.js";
import { openEntries } from "../inspect/open-entries.js";
import { answersIn } from "./record-request.js";
import { sendSignal } from "../decide/send-signal.js";
import { newSignalId } from "../decide/signal-box.js";
import { EXIT } from "../exit-codes.js";
import { fail, finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { oneLine } from "../../foundation/text/one-line.js";
import type { UnplannedRequest } from "./unplanned-request.js";

/* Questions that are answered where they come up: at the terminal of the person who asked. */

export interface HereAsked {
  readonly id: string;
  readonly question: string;
  readonly options: readonly string[];
  /** `1 of 3`. */
  readonly place: string;
  /** Lines that are shown first. */
  readonly before: readonly string[];
}

type Typed =
  | { readonly kind: "said"; readonly text: string }
  /** Not now, but perhaps the next one. */
  | { readonly kind: "left" }
  | { readonly kind: "ended" }
  | { readonly kind: "interrupted" };

export type AskHere = (asked: HereAsked) => Promise<Typed>;

export interface Round {
  readonly answered: number;
  /** How they stopped before the last question; null when they did not. */
  readonly stopped: "ended" | "interrupted" | null;
}

/** Put questions to anyone who is there, in turn. Contract: each answer is `kept` before the next question is put. */
export async function askInTurn(
  questions: readonly OpenQuestion[],
  intro: readonly string[],
  ask: AskHere,
  kept: (id: string, text: string) => Promise<boolean>,
): Promise<Round> {
  let answered = 0;
  for (const [i, { id, question, options = [] }] of questions.entries()) {
    const before = i === 0 ? intro : [];
    const typed = await ask({ id, question, options, place: `${i + 1} of ${questions.length}`, before });
    if (typed.kind === "said" && (await kept(id, typed.text))) {
      answered++;
      // Anyone who overrules the route need not answer what the route asks.
      if (isOverruling({ id, answer: typed.text })) return { answered, stopped: null };
    }
    if (typed.kind === "ended" || typed.kind === "interrupted") return { answered, stopped: typed.kind };
  }
  return { answered, stopped: null };
}

export interface OnRecord {
  readonly record: string;
  readonly by: string;
  readonly context: CommandContext;
}

/**
 * The answers in a request's log when anyone who is there has been asked; or the lines shown when it still waits.
 *
 * Contract: nobody holds the store meanwhile, so that others may answer too: the first answer stands.
 */
export async function askOnRecord(
  questions: readonly OpenQuestion[],
  intro: readonly string[],
  ask: AskHere,
  onRecord: OnRecord,
): Promise<readonly RequestAnswer[] | Finished> {
  const round = await askInTurn(questions, intro, ask, (id, text) => keepAnswer(id, text, onRecord));
  const { run, alone, answers } = await readQuestions(onRecord);
  if (run.state.status !== "pending") return refuseEnded(run);
  if (round.stopped === null && round.answered > 0 && !mustWait(run.state.inbox, answers)) return answers;
  return listStillWaiting(run, alone, round.stopped, onRecord.context);
}

/** Puts an answer into the log of the run or request. True when it was taken. */
export async function keepAnswer(
  question_id: string,
  answer: string,
  { record, by, context }: OnRecord,
): Promise<boolean> {
  const { now } = context.parts;
  const event: RunEvent = {
    type: "question_answered",
    question_id,
    answer,
    decider: { by, how: "person", via: "terminal" },
  };
  const { run } = await readQuestions({ record, context });
  const sent_at = now();
  const signal_id = newSignalId(Date.parse(sent_at));
  const signal = { signal_id, run_id: record, event, roles: [by], after: run.sequence, sent_at };
  const sent = await sendSignal(context.project.at, signal, { waitMs: 5000, now });
  if (sent.status === "refused") context.progress(`Not taken: ${sent.reason}.`);
  if (sent.status === "left") context.progress(`Left for process ${sent.holder.pid}, which works on the runs.`);
  return sent.status === "taken";
}

export async function readQuestions({ record, context }: Pick<OnRecord, "record" | "context">) {
  const reader = await context.project.readRuns();
  if (reader === null) throw new TypeError(`${record} is on record nowhere`);
  try {
    const run = await foldRun(reader, record);
    return { run, alone: (await reader.runs()).length === 1, answers: await answersIn(reader, record) };
  } finally {
    await reader.close();
  }
}

/**
 * Whether the open questions have to be answered first. Intake judges anew with as many answers as there are, at no cost;
 * a specifier or planner is asked again only when all of its questions are answered.
 */
export function mustWait(
  open: readonly { readonly id: string }[],
  answers: readonly Pick<RequestAnswer, "id" | "answer">[],
): boolean {
  const isIntakes = ({ id }: { readonly id: string }) => ClarificationQuestion.shape.id.safeParse(id).success;
  if (open.length === 0 || answers.some(isOverruling)) return false;
  return answers.length === 0 || !open.every(isIntakes);
}

/** Describes the open questions, how to answer them, and how to resume then. */
export function listStillWaiting(
  run: FoldedRun,
  alone: boolean,
  stopped: Round["stopped"],
  { parts }: CommandContext,
): Finished {
  return finish(stopped === "interrupted" ? EXIT.interrupted : EXIT.waiting, {
    type: "inbox",
    entries: openEntries(run, alone),
    standing: [],
    problems: [],
    now: parts.now(),
    next: [`coordinator run --resume ${run.run_id}`],
  });
}

/** Lists the open questions in a request's log, as they were asked. */
export function openQuestions({ state: { inbox } }: FoldedRun): OpenQuestion[] {
  return inbox.flatMap((entry) => {
    if (entry.kind !== "question") return [];
    const { id, question, options } = entry;
    return [{ id, question, ...(options === undefined ? {} : { options }) }];
  });
}

/** Describes, before the questions, why they are asked and what was wrong with earlier answers. */
export function introTo({ questions, objections = [] }: Pick<UnplannedRequest, "questions" | "objections">): string[] {
  const what = questions.length === 1 ? "One thing has" : `${questions.length} things have`;
  return [
    "",
    ...objections.map((objection) => `That answer cannot be taken: ${oneLine(objection)}`),
    `${what} to be known before there can be a plan. Enter alone leaves a question for later, Ctrl-C all that are left; what you have answered is kept.`,
  ];
}

/** Nothing can be resumed. */
export function refuseEnded({ run_id, state }: FoldedRun): Finished {
  const why =
    state.status === "pending"
      ? `What ${run_id} was asked with was not kept, so it cannot be resumed`
      : `${run_id} is over: ${state.reason}`;
  return fail(EXIT.refused, "REQUEST_OVER", why, {
    fix: `coordinator response ${run_id} says what became of it; coordinator run "what you want" asks anew.`,
  });
}
