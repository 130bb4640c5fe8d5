import { criteriaOfType } from "../../gate/criteria-of-type.js";
import type { EventOf, RunEvent } from "../../../model/event.js";
import type { RunState } from "../state.js";

/*
 * The criteria that the type of the project adds to a run's last gate. One is met when its check proved a result of this
 * run, when a person has confirmed it with what they saw, or when a person has waived it with a reason. The run asks about
 * the others once its tasks are done, and does not end well before each is answered.
 */

const PREFIX = "criterion:";

export interface DecidedCriterion {
  readonly criterion: string;
  readonly how: "check" | "confirmed" | "waived" | "failed" | "open";
  /** By which check, or who said what. */
  readonly by: string;
}

/** Contract: pure. In the order of the plan. */
export function decidedCriteria({ layout, criteria }: RunState): DecidedCriterion[] {
  return (layout?.plan.criteria ?? []).map(({ criterion, check }): DecidedCriterion => {
    const said = Object.hasOwn(criteria.answers, criterion) ? criteria.answers[criterion] : undefined;
    if (said !== undefined) return { criterion, how: said.how, by: `${said.by}: ${said.words}` };
    if (check !== null && criteria.proven.includes(check)) return { criterion, how: "check", by: check };
    return { criterion, how: "open", by: check === null ? "no check shows it" : `the check ${check} proved nothing` };
  });
}

/** The criteria among these gates that a run has to show on its own, by name. */
export function criteriaToShow(gates: readonly string[]): string[] {
  return criteriaOfType(gates, {}, []).map(({ criterion }) => criterion.replaceAll("_", " "));
}

/** `accessibility, waived by ada: an internal tool`. */
export function describeCriterion({ criterion, how, by }: DecidedCriterion): string {
  switch (how) {
    case "check":
      return `${criterion}, shown by the check ${by}`;
    case "open":
      return `${criterion}: ${by}`;
    default:
      return `${criterion}, ${how} by ${by}`;
  }
}

/** The questions that are not asked yet about criteria that nothing shows. */
export function criteriaQuestions(state: RunState): RunEvent[] {
  return decidedCriteria(state)
    .filter(({ how, criterion }) => how === "open" && !state.inbox.some(({ id }) => id === PREFIX + criterion))
    .map(({ criterion, by }) => ({
      type: "question_asked",
      question_id: PREFIX + criterion,
      task_id: null,
      question:
        `This type of project has to show ${criterion.replaceAll("_", " ")}, and ${by}. ${describeEvidence(state, criterion)}` +
        `Look at the work and at what its ` +
        `agents say of it, then answer "confirmed: WHAT YOU SAW", "waived: WHY NOT" or "failed: WHAT IS WRONG".`,
    }));
}

/** The words of agents that show it, for the person who is asked; nothing of it counts by itself. */
function describeEvidence({ criteria: { evidence } }: RunState, criterion: string): string {
  const found = evidence.filter((one) => one.criterion === criterion).slice(-MOST_QUOTED);
  return found.map(({ task_id, words }) => `The agent of ${task_id} says: "${words}". `).join("");
}

const MOST_QUOTED = 5;
const MOST_WORDS = 400;

/** The line in which an agent says what shows a criterion: `Evidence for device check: …`. */
export const evidenceLine = (criterion: string): string => `Evidence for ${criterion.replaceAll("_", " ")}:`;

/** The state's criteria with what the agent of an attempt said last of them. Only where the plan has any. */
export function evidenceToo({ criteria, layout }: RunState, event: EventOf<"attempt_finished">): RunState["criteria"] {
  const { said = "", outcome, task_id } = event;
  if (layout?.plan.criteria === undefined || outcome.kind !== "completed") return criteria;
  const lines = said.split("\n").map((line) => line.replace(/^[\s*_>-]+/, ""));
  const found = layout.plan.criteria.flatMap(({ criterion }) => {
    const start = evidenceLine(criterion).toLowerCase();
    const line = lines.findLast((each) => each.toLowerCase().startsWith(start));
    const words =
      line
        ?.slice(start.length)
        .replace(/^[\s*_]+/, "")
        .trim()
        .slice(0, MOST_WORDS) ?? "";
    return words === "" ? [] : [{ criterion, task_id, words }];
  });
  const before = criteria.evidence.filter((one) => one.task_id !== task_id);
  if (found.length === 0 && before.length === criteria.evidence.length) return criteria;
  return { ...criteria, evidence: [...before, ...found] };
}

interface CriterionAnswer {
  readonly how: "confirmed" | "waived" | "failed";
  readonly words: string;
}

function readAnswer(answer: string): CriterionAnswer | null {
  const [, how, words] = /^\s*(confirmed|waived|failed)\s*[:,-]\s*(\S[\s\S]{2,})$/i.exec(answer) ?? [];
  return how === undefined || words === undefined
    ? null
    : { how: how.toLowerCase() as CriterionAnswer["how"], words: words.trim() };
}

/** Why an answer is none to a question about a criterion; null when it is, or when it is about something else. */
export function criterionRefusal({ question_id, answer }: EventOf<"question_answered">): string | null {
  if (!question_id.startsWith(PREFIX) || readAnswer(answer) !== null) return null;
  return 'begin with "confirmed:", "waived:" or "failed:" and say what you saw or why';
}

/** The state's criteria after an answer; the same when it is about something else. */
export function applyCriterionAnswer(
  { criteria }: RunState,
  { question_id, answer, decider }: EventOf<"question_answered">,
): RunState["criteria"] {
  const said = question_id.startsWith(PREFIX) ? readAnswer(answer) : null;
  if (said === null) return criteria;
  const criterion = question_id.slice(PREFIX.length);
  return { ...criteria, answers: { ...criteria.answers, [criterion]: { ...said, by: decider.by } } };
}

/** The checks that prove results of this run, with those of one more verdict. Only where a criterion goes by them. */
export function addProvenCriteria(
  { criteria, layout }: RunState,
  event: EventOf<"verification_finished">,
): RunState["criteria"] {
  if (layout?.plan.criteria === undefined || event.verdict !== "PASS") return criteria;
  const found = (event.proof?.proven_by ?? [])
    .map(({ check }) => check)
    .filter((name) => !criteria.proven.includes(name));
  return found.length === 0 ? criteria : { ...criteria, proven: [...criteria.proven, ...found] };
}
