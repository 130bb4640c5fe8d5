import { useCallback, useState } from "react";
import { asProblem, type Problem } from "./api.ts";

export interface Action<A extends readonly unknown[], T> {
  /** Contract: never throws; what went wrong is in `problem`. */
  readonly start: (...args: A) => void;
  readonly pending: boolean;
  readonly problem: Problem | null;
  /** The answer of the last time it succeeded. */
  readonly done: T | null;
}

/** Something a person starts that the server is asked for: whether it is under way, what it came to, what went wrong. */
export function useAction<A extends readonly unknown[], T>(act: (...args: A) => Promise<T>): Action<A, T> {
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [done, setDone] = useState<T | null>(null);
  const start = useCallback(
    (...args: A) => {
      setPending(true);
      setProblem(null);
      act(...args)
        .then(setDone, (error: unknown) => setProblem(asProblem(error)))
        .finally(() => setPending(false));
    },
    [act],
  );
  return { start, pending, problem, done };
}
