/**
 * The answer of a condition that can say neither true nor false.
 *
 * Contract: a value, never thrown. `path` is the dotted path of the fact in question (`[]` stands for an
 * element of a list or map), or "" when no single fact is to blame. A fact whose container is missing is
 * itself the one that is not known.
 */
export class Held {
  readonly reason: "unknown_fact" | "error";
  readonly path: string;
  readonly message: string;

  constructor(reason: "unknown_fact" | "error", path: string, message: string) {
    this.reason = reason;
    this.path = path;
    this.message = message;
  }
}

export type Outcome = boolean | Held;

export const unknownFact = (path: string): Held => new Held("unknown_fact", path, `the fact ${path} is not known`);
export const failure = (path: string, message: string): Held => new Held("error", path, message);
