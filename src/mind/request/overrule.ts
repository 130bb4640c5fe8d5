import type { RequestAnswer } from "../../model/request-origin.js";

/*
 * Questions to a person when a request goes to product and no product agent is there: their answers make up the Intent
 * Spec. Where that is asked, a person may overrule the route instead.
 */

/** The questions whose answers make up an Intent Spec. The first is also asked by intake. */
const SPEC_QUESTIONS = ["acceptance", "proof", "out_of_scope"];

/** Whether an answer says what must be true of the work that was asked for, and asks for no other work. */
export function isOfSpec({ id }: { readonly id: string }): boolean {
  return SPEC_QUESTIONS.includes(id);
}

/** Whether an answer overrules the route instead of answering: `t` says that this is a technical instruction. */
export function isOverruling({ id, answer }: { readonly id: string; readonly answer: string }): boolean {
  return SPEC_QUESTIONS.includes(id) && /^t(?:echnical)?$/i.test(answer.trim());
}

/** The answer by which a person overruled the route; null when nobody did. Contract: pure. */
export function findOverrulingAnswer(answers: readonly RequestAnswer[]): RequestAnswer | null {
  return answers.findLast(isOverruling) ?? null;
}

/** Whether an answer is about how the result is judged, and says nothing about where the request goes. */
export function isOnlyForSpec({ id }: { readonly id: string }): boolean {
  return id === "proof" || id === "out_of_scope";
}
