import { z } from "zod";
import { readStructured } from "../agents/structured-output.js";
import type { Amounts, Usage } from "../../model/run.js";
import type { Inquiry, Proposed, Proposer } from "../../mind/propose/proposer.js";
import { estimateTokens } from "./create-model.js";
import type { Completed, Model } from "./model.js";
import { timeLimit } from "./time-limit.js";

/** Less than this is not an answer that could be used. */
const LEAST_ANSWER_TOKENS = 256;

/** A model as somebody who may propose: one call an instance, paid for before it is made. */
export function modelProposer(model: Model, now: () => number = () => performance.now()): Proposer {
  return {
    name: model.name,
    propose: async (inquiry, { budget }, signal) => {
      const schema = z.toJSONSchema(inquiry.answer, { io: "input" }) as Record<string, unknown>;
      const prompt = promptOf(inquiry, schema);
      const maxTokens = capTokens(model, estimateTokens(inquiry.system + prompt + JSON.stringify(schema)), budget);
      if (maxTokens < LEAST_ANSWER_TOKENS) return tooDear(budget, prompt);
      const started = now();
      const within = timeLimit(budget.minutes * 60_000, signal);
      const asked = model.complete({ system: inquiry.system, prompt, schema, maxTokens }, within.signal);
      const completed = await asked.finally(within.end);
      const usage = usageOf(completed, (now() - started) / 60_000);
      // Stopped by its time and not by a person.
      if (completed.status === "failed" && completed.failure.kind === "cancelled" && !signal.aborted)
        return failedProposal(
          { kind: "resource", what: "minutes", message: `It took the ${budget.minutes} minutes set aside for it.` },
          "",
          usage,
        );
      return readAnswer(inquiry, completed, usage, budget);
    },
  };
}

function promptOf({ documents, prompt }: Inquiry, schema: Readonly<Record<string, unknown>>): string {
  return [
    ...documents.map(({ ref, text }) => `<document ref=${JSON.stringify(ref)}>\n${text}\n</document>`),
    prompt,
    `Answer with one JSON value and nothing else. It must match this JSON Schema:\n${JSON.stringify(schema)}`,
  ].join("\n\n");
}

/** How long the answer may be so that the call stays within what is set aside. */
function capTokens(model: Model, input: number, budget: Amounts): number {
  const perToken = model.costOf({ in: 0, out: 1 });
  const money = budget.cost_usd - model.costOf({ in: input, out: 0 });
  const byCost = perToken === 0 ? (money < 0 ? 0 : Infinity) : money / perToken;
  return Math.floor(Math.min(model.maxOutputTokens, budget.tokens - input, byCost));
}

function tooDear(budget: Amounts, prompt: string): Proposed {
  const message = `The request takes more than the ${budget.tokens} tokens and $${budget.cost_usd} reserved for it: the question alone has about ${estimateTokens(prompt)} tokens.`;
  return failedProposal({ kind: "resource", what: "tokens", message }, "", null);
}

function readAnswer(inquiry: Inquiry, completed: Completed, usage: Usage | null, budget: Amounts): Proposed {
  if (completed.status === "failed") return failedProposal(completed.failure, "", usage, completed.gone);
  const { text, json, stopped, tokens, cost_usd } = completed;
  const total = tokens.in + tokens.out;
  if (total > budget.tokens || cost_usd > budget.cost_usd) {
    const what = total > budget.tokens ? "tokens" : "cost_usd";
    const message = `The model used ${total} tokens and $${cost_usd} of the ${budget.tokens} and $${budget.cost_usd} set aside.`;
    return failedProposal({ kind: "resource", what, message }, text, usage);
  }
  if (stopped === "refusal")
    return failedProposal({ kind: "quality", message: `The model refused. ${text}`.trim().slice(0, 500) }, text, usage);
  const failMalformed = (message: string) =>
    failedProposal({ kind: "structural", error: "malformed_output", message }, text, usage);
  if (stopped === "max_tokens") return failMalformed("The answer was cut off at its limit of tokens.");
  const form = z.union([inquiry.answer, z.object({ answer: inquiry.answer })]);
  const given =
    json === undefined ? readStructured(text, form) : readStructured(JSON.stringify({ answer: json }), form);
  if (!given.ok) return failMalformed(`The answer does not match its schema: ${given.message}.`);
  const bare = inquiry.answer.safeParse(given.value);
  const value = bare.success ? bare.data : (given.value as { answer: unknown }).answer;
  return { status: "answered", value, output: text, usage };
}

function failedProposal(
  failure: Extract<Proposed, { status: "failed" }>["failure"],
  output: string,
  usage: Usage | null,
  gone = false,
): Proposed {
  return { status: "failed", failure, gone, output, usage };
}

function usageOf(completed: Completed, minutes: number): Usage | null {
  const { tokens, cost_usd, calls } = completed;
  if (tokens === null) return null;
  const amounts = { tokens: tokens.in + tokens.out, cost_usd, minutes, files: 0, commits: 0, api_calls: calls };
  const known = completed.status === "completed" && completed.cost_is === "priced" && tokens.source === "reported";
  return { amounts, source: known ? "reported" : "estimated" };
}
