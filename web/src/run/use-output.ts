import { useEffect, useState } from "react";
import { asProblem, type Problem, read, runPath } from "../api.ts";
import type { AttemptOutput } from "../types.ts";

type Line = AttemptOutput["lines"][number] & { readonly id: number };

export interface Followed {
  readonly lines: readonly Line[];
  /** Earlier lines are not shown. */
  readonly cut: boolean;
  /** Null until the first part was read. */
  readonly live: boolean | null;
  readonly problem: Problem | null;
}

const NOTHING: Followed = { lines: [], cut: false, live: null, problem: null };
const EVERY_MS = 1000;
const AFTER_TROUBLE_MS = 5000;
/** More than this nobody reads, and a page that keeps it grows slow. */
const MOST_LINES = 500;

/** Reads the output of an attempt's agent part by part while it works. No request is sent while the page is hidden. */
export function useOutput(project: string, run: string, task: string, attempt: number): Followed {
  const [shown, setShown] = useState(NOTHING);
  useEffect(() => {
    const path = runPath(project, run, `/tasks/${encodeURIComponent(task)}/attempts/${attempt}/output`);
    const aborting = new AbortController();
    let after = "";
    let count = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = (ms: number) => {
      if (!aborting.signal.aborted) timer = setTimeout(look, ms);
    };
    const take = ({ lines, next, cut, live }: AttemptOutput) => {
      const isFirst = after === "";
      after = next;
      const numbered = lines.map((line) => ({ ...line, id: count++ }));
      setShown((before) => {
        // Lines written too fast to follow are left out, with the lines shown before them.
        const all = cut && !isFirst ? numbered : [...before.lines, ...numbered];
        const isCut = before.cut || cut || all.length > MOST_LINES;
        return { lines: all.slice(-MOST_LINES), cut: isCut, live, problem: null };
      });
      if (live) again(EVERY_MS);
    };
    function look(): void {
      if (document.hidden) return again(EVERY_MS);
      read<AttemptOutput>(after === "" ? path : `${path}?after=${after}`, aborting.signal).then(
        take,
        (error: unknown) => {
          if (aborting.signal.aborted) return;
          const problem = asProblem(error);
          setShown((before) => ({ ...before, problem }));
          again(AFTER_TROUBLE_MS);
        },
      );
    }
    setShown(NOTHING);
    look();
    return () => {
      aborting.abort();
      clearTimeout(timer);
    };
  }, [project, run, task, attempt]);
  return shown;
}
