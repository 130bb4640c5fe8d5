import type { Attempted, Judged } from "./project.js";

/** One thing that a builder may hand in, and what must become of it. */
export interface Case extends Attempted {
  readonly name: string;
  readonly expected: Judged["verdict"];
  /** What has to be said of it: a reason, an objection or a guardrail. */
  readonly says?: RegExp;
}

/** Everything that was said against it, in one text. */
export function said({ reasons, objections, guardrails, notes }: Judged): string {
  const against = objections.map(({ kind, id, message }) => `${kind} ${id}: ${message}`);
  return [...reasons, ...against, ...guardrails, ...notes].join("\n");
}
