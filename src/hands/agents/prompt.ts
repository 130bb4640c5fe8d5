import { tailOf } from "../../foundation/secrets/tail-of.js";
import type { AttemptRequest } from "./agent.js";

/** How an agent says that it cannot go on without an answer: one line of its last message. */
const NEEDS_ANSWER = "NEEDS_ANSWER:";

/**
 * Builds the prompt of an agent: the documents it was given, in their order, the task, and how to answer. Equal requests
 * give equal texts.
 */
export function promptFor(request: AttemptRequest): string {
  const documents = request.context.map(
    ({ ref, text }) => `<document ref=${JSON.stringify(ref)}>\n${text}\n</document>`,
  );
  return [...documents, request.prompt, rules(request)].join("\n\n");
}

/** For a new session that takes the place of one that was lost. */
export function handoffPrompt(request: AttemptRequest): string {
  return (
    "An earlier session of this same task is not at hand. What it did is in the working directory: look at it first, keep " +
    `what is right, and go on from there.\n\n${promptFor(request)}`
  );
}

/** Builds the next prompt of a program without a memory: its task, its earlier words, and the new message. */
export function againPrompt(first: string, said: string, next: string): string {
  const before = tailOf(said.trim(), MOST_SAID);
  return [
    first,
    "You worked on this before in the same working directory. What you did is there. You ended with:",
    before === "" ? "(nothing)" : before,
    next,
  ].join("\n\n");
}

/** More than this of what was said before would crowd out the task. */
const MOST_SAID = 8000;

/** For a session that goes on: the agent still knows its task. */
export const GO_ON = "Go on with the task where you left off.";

/** Stands in every prompt. */
export const HOW_TO_ASK =
  "If you cannot go on without an answer from a person, change nothing more and end with one line that starts with " +
  `${NEEDS_ANSWER} followed by the question.`;

function rules({ output_schema }: AttemptRequest): string {
  const lines = [HOW_TO_ASK];
  if (output_schema !== undefined)
    lines.push(
      `End with one JSON value, in a code block marked json, that matches this JSON Schema:\n${JSON.stringify(output_schema)}`,
    );
  return lines.join("\n");
}

/** The question in an agent's last message, if it asked one. */
export function questionIn(output: string): string | null {
  const lines = output.trimEnd().split("\n");
  const at = lines.findLastIndex((line) => line.trimStart().startsWith(NEEDS_ANSWER));
  if (at === -1) return null;
  const question = lines.slice(at).join("\n").trim().slice(NEEDS_ANSWER.length).trim();
  return question === "" ? null : question;
}
