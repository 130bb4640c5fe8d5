import { HOW_TO_ASK } from "../../agents/prompt.js";
import type { FailingCheck } from "../../../mind/run/decide/iterate.js";
import { askForPromise } from "../../../mind/scope/promise.js";
import { tailOf } from "../../../foundation/secrets/tail-of.js";

/* The next prompt of a session in which something is missing after a turn. */

export interface Missing {
  /** The iteration that begins with this, and how many there may be. */
  readonly iteration: number;
  readonly limit: number;
  readonly promise: string;
  readonly promise_missing: boolean;
  /** Failures that the agent may be told of. */
  readonly failing: readonly FailingCheck[];
  /** Checks whose failures are not told: they depend on files that the agent does not see. */
  readonly unseen?: readonly string[];
}

const MOST_SHOWN = 10;
const MOST_MESSAGE = 1500;

/** Contract: pure; the same missing things give the same text. */
export function iterationPrompt(missing: Missing): string {
  const { iteration, limit, promise, promise_missing, failing, unseen = [] } = missing;
  return [
    `## Iteration ${iteration} of ${limit}`,
    "The task is not done yet.",
    failing.length === 0 ? "" : describeFailing(failing),
    unseen.length === 0 ? "" : describeUnseen(unseen),
    promise_missing ? `Your last message did not end with the completion promise ${promise}.` : "",
    "Do what is missing. The same rules hold as before: work only on this task, change only what you may change.",
    askForPromise(promise),
    HOW_TO_ASK,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function describeFailing(failing: readonly FailingCheck[]): string {
  const more = failing.length > MOST_SHOWN ? [`- and ${failing.length - MOST_SHOWN} more`] : [];
  return [
    "The checks were run on your changes in a clean copy of the repository. This fails, and did not fail before your changes:",
    ...failing.slice(0, MOST_SHOWN).map(({ check, name, message }) => `- ${check}: ${name}${indentLines(message)}`),
    ...more,
  ].join("\n");
}

function describeUnseen(checks: readonly string[]): string {
  return [
    "These checks fail since your changes, where the repository is whole. What they say is not shown to you, because it",
    `depends on files that are not in your workspace: ${checks.join(", ")}. Undo what you changed in behaviour that others rely on.`,
  ].join(" ");
}

function indentLines(message: string): string {
  const text = tailOf(message.trim(), MOST_MESSAGE);
  return text === "" ? "" : `\n${text.replaceAll(/^/gm, "    ")}`;
}
