/**
 * Why a condition does not load.
 *
 * Contract: `line` and `column` count from 1 within the source text of the condition; a column counts
 * UTF-16 units, as editors do.
 */
export type ConditionProblem = {
  readonly kind: "syntax" | "type" | "forbidden" | "cost";
  readonly message: string;
  readonly line: number;
  readonly column: number;
};

export function problemAt(
  source: string,
  offset: number,
  kind: ConditionProblem["kind"],
  message: string,
): ConditionProblem {
  const before = source.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { kind, message, line: before.split("\n").length, column: offset - lineStart + 1 };
}

/** Thrown only while a condition is compiled, and caught there; evaluation never throws. */
export class Refusal extends Error {
  readonly kind: ConditionProblem["kind"];
  readonly offset: number;

  constructor(kind: ConditionProblem["kind"], offset: number, message: string) {
    super(message);
    this.kind = kind;
    this.offset = offset;
  }
}
