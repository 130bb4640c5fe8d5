import type { RuleDecision } from "../../model/plan/decision.js";
import type { AnswerPack } from "../../model/plan/questions.js";
import { buildDraft, type Watch } from "./graph/build-graph.js";
import type { GraphDraft } from "./graph/draft.js";
import { graphGuards } from "./graph/graph-guards.js";
import { type PlanningContext, judge, type Judgement } from "./rules/judge-action.js";
import { buildQuestionPack, questionRules, type Triage, triage } from "./questions/govern.js";
import { fallBack, readAnswers, resolve, type Settled } from "./questions/integrate-answers.js";
import {
  answerGuards,
  noRuleConflicts,
  noSurplusAnswers,
  nothingStuck,
  questionGuards,
  replanRoundsLeft,
} from "./questions/question-guards.js";
import { NOTHING_RESOLVED } from "./questions/resolutions.js";
import { weighAnswers } from "./questions/weigh-answers.js";
import type { Recorder } from "./recorder.js";
import { allRulesDecidable, ruleGuards } from "./rules/rule-guards.js";
import type { Guard } from "./transition.js";

/** The inputs that finish the graph, once nothing is open any more. */
export interface Settlement {
  readonly judgement: Judgement;
  readonly settled: readonly Settled[];
  /** The draft to finish as it is, when nothing was uncertain. */
  readonly draft: GraphDraft | null;
  readonly trigger: string;
  readonly guards: readonly Guard[];
}

/** Rules, draft, questions, answers: at most three times round, until nothing is open. Null when planning stopped. */
export function settleQuestions(ground: PlanningContext, record: Recorder, watch?: Watch): Settlement | null {
  const { inputs, parsed } = ground;
  const rules = questionRules(parsed.intent, inputs.policy);
  let resolutions = NOTHING_RESOLVED;
  let settledBefore: readonly Settled[] = [];
  let asked = 0;
  let refused: ReadonlyMap<string, string> = new Map();

  for (let round = 1; ; round++) {
    const decidable = allRulesDecidable(inputs.registry.rules);
    const judgement = decidable.passed ? judge(ground, resolutions) : null;
    if (judgement !== null) record.know({ decisions: judgement.decisions, risk: judgement.risk });
    if (round === 1) {
      const guards =
        judgement === null
          ? [decidable]
          : ruleGuards(parsed, judgement.decisions, judgement.risk, inputs.registry.rules);
      if (
        !record.move({
          to: "RULES_EVALUATED",
          trigger: "Rules adjudicated",
          guards,
          outputs: record.output("rule_decisions", digest(judgement?.decisions ?? [])),
        })
      )
        return null;
    }
    if (judgement === null) return null;
    const draft = buildDraft(judgement.source, watch);
    const shape = graphGuards(draft, judgement.source, inputs.policy.limits);
    if (round > 1) shape.unshift(...ruleGuards(parsed, judgement.decisions, judgement.risk, inputs.registry.rules));
    if (
      !record.move({
        to: "GRAPH_DRAFTED",
        trigger: "Graph drafted",
        guards: shape,
        outputs: record.output("execution_graph", shapeOf(draft)),
      })
    )
      return null;

    const sorted: Triage = triage(judgement.source.uncertainties, rules, asked);
    if (sorted.ask.length === 0) {
      const settled = [...settledBefore, ...fallBack(sorted.fallBack)];
      const after =
        sorted.fallBack.length === 0 ? judgement : judge(ground, resolve(resolutions, fallBack(sorted.fallBack)));
      const guards = [
        nothingStuck(sorted, rules),
        noRuleConflicts(judgement.decisions, after.decisions),
        noSurplusAnswers(inputs.answers.length, round - 1),
      ];
      const open = judgement.source.uncertainties.length > 0 || settled.length > 0;
      return { judgement: after, settled, draft: open ? null : draft, trigger: "Nothing is left to ask", guards };
    }

    const pack = buildQuestionPack(sorted.ask, {
      intent: parsed.intent,
      rules,
      draft,
      alreadyAsked: asked,
      round,
      runId: record.runId,
      now: record.now,
      refused,
    });
    record.addQuestions(pack);
    if (
      !record.move({
        to: "QUESTIONS_EMITTED",
        trigger: "Questions generated from uncertainties",
        guards: questionGuards(pack, sorted, rules),
        outputs: record.output("question_pack", pack.questions),
      })
    )
      return null;
    if (!record.move({ to: "AWAITING_ANSWERS", trigger: "QuestionPack delivered", guards: [] })) return null;
    asked += pack.questions.length;

    const answers: AnswerPack | undefined = inputs.answers[round - 1];
    if (answers === undefined) return null;
    const read = readAnswers(answers, pack, sorted.ask);
    if (read.problems.length > 0) {
      record.reject(read.problems);
      return null;
    }
    record.nextInstant(round);
    const weighed = weighAnswers(read, sorted, judgement, (r) => judge(ground, r));
    if (weighed.conflicts.length === 0) {
      const settled = [...settledBefore, ...weighed.settled];
      const guards = [...answerGuards(read, weighed), noSurplusAnswers(inputs.answers.length, round)];
      return { judgement: weighed.judgement, settled, draft: null, trigger: "Answers received and integrated", guards };
    }
    const again = [
      ...answerGuards(read, weighed).filter((g) => !g.passed),
      replanRoundsLeft(round, inputs.policy.limits, weighed.conflicts),
    ];
    if (
      !record.move({
        to: "RULES_EVALUATED",
        trigger: "An answer conflicts with a rule",
        guards: again,
        outputs: record.output("rule_decisions", digest(weighed.judgement.decisions)),
      })
    )
      return null;
    settledBefore = [...settledBefore, ...weighed.kept];
    resolutions = resolve(resolutions, weighed.kept);
    refused = weighed.refused;
  }
}

/** Enough of the decisions to tell two sets of them apart; the graph and the audit log hold them whole. */
function digest(decisions: readonly RuleDecision[]): unknown {
  return decisions.map(({ target, decision, rule_id }) => [target, decision, rule_id]);
}

function shapeOf(draft: GraphDraft): unknown {
  return { edges: draft.wires.size, nodes: draft.nodes.map((node) => node.node_id) };
}
