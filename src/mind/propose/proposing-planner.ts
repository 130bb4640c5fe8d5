import { z } from "zod";
import type { Diagnostic } from "../../model/diagnostic.js";
import { text } from "../../model/primitives.js";
import { Proposal } from "../../model/proposal.js";
import type { Amounts } from "../../model/run.js";
import { inquire, type InquiryOptions, describeFailure } from "./inquire.js";
import type { Proposer } from "./proposer.js";
import { judgeProposal } from "./judge-proposal.js";
import type { Planned, Planner } from "./planner.js";
import { PLANNER_SYSTEM, plannerPrompt } from "./planner-prompt.js";

/*
 * The planner that asks: an agent that may read the repository, or a model. It never sees what the rules make of its
 * proposal; whatever is wrong with one is for a person, and never for another try.
 */

export interface ProposingPlannerParts extends InquiryOptions {
  readonly name: string;
  /** In the order in which they are asked. */
  readonly proposers: readonly Proposer[];
  /** The budget of planning itself, apart from that of the plan. */
  readonly budget: Amounts;
}

const Questions = z.strictObject({ questions: z.array(text(10, 500)).min(1).max(20) });
const Answer = z.union([Proposal, Questions]);

export function proposingPlanner({ name, proposers, budget, ...options }: ProposingPlannerParts): Planner {
  return {
    name,
    plan: async (input, signal) => {
      const asked = await inquire(
        proposers,
        {
          purpose: "plan",
          about: input.message.payload.request_id,
          system: PLANNER_SYSTEM,
          prompt: plannerPrompt(input),
          documents: [],
          sees: "repository",
          withheld: input.withheld,
          answer: Answer,
          budget,
        },
        options,
        signal,
      );
      const { usage } = asked;
      if (asked.status === "asks") return { status: "questions", questions: [asked.question], usage };
      if (asked.status === "failed")
        return { status: "failed", problems: [proposalFailure(describeFailure(asked.failure))], usage };
      const answer = Answer.parse(asked.value);
      if ("questions" in answer) return { status: "questions", questions: answer.questions, usage };
      const problems = judgeProposal(answer, input.registry);
      // INVARIANT: a proposal that a rule refuses is handed to nobody who could carry it out.
      if (problems.length > 0) return { status: "failed", problems, usage };
      return { status: "success", proposal: answer, usage };
    },
  };
}

function proposalFailure(message: string): Diagnostic {
  return {
    code: "PROPOSAL_FAILED",
    path: "",
    message: `no proposal came about: ${message}`,
    fix: "Ask again, configure another planner, or let the template plan: proposing: { otherwise: template }.",
  };
}

/**
 * A planner that another one stands in for when no proposal comes about. Contract: not when a proposal was refused, which
 * is for a person to see, and not when it was cancelled.
 */
export function withFallback(first: Planner, otherwise: Planner): Planner {
  return {
    name: `${first.name}, otherwise ${otherwise.name}`,
    plan: async (input, signal) => {
      const planned = await first.plan(input, signal);
      const isMissing = planned.status === "failed" && planned.problems.every(({ code }) => code === "PROPOSAL_FAILED");
      if (!isMissing || signal.aborted) return planned;
      const second = await otherwise.plan(input, signal);
      const usage = second.usage ?? planned.usage;
      if (second.status !== "success" && second.status !== "partial") return { ...second, usage };
      return { ...second, usage, proposal: withFallbackNote(second.proposal, planned.problems) };
    },
  };
}

/** The note for a person who reads the plan, that it is not the one that was asked for first. */
function withFallbackNote(proposal: Proposal, problems: Extract<Planned, { status: "failed" }>["problems"]): Proposal {
  const why = problems.map(({ message }) => message).join("; ");
  const note = `Planned by template, because ${why}`.slice(0, 500);
  return { ...proposal, recommendations: [note, ...proposal.recommendations].slice(0, 50) };
}
