import { useCallback, useEffect, useRef, useState } from "react";
import { keepEqual } from "./keep-equal.ts";
import { asProblem, type Problem, read } from "./api.ts";
import { listen, type LiveEvent } from "./live.ts";

export interface Resource<T> {
  /** The newest that was read; kept while it is read again, and when that fails. */
  readonly value: T | null;
  readonly problem: Problem | null;
  readonly loading: boolean;
  readonly reload: () => void;
}

/** How long to wait for more events before something is read again. */
const SETTLE_MS = 250;

/**
 * Reads a path of the API and keeps it up to date: `isAffected` says which events of the stream make it out of date.
 * `null` reads nothing.
 */
export function useResource<T>(path: string | null, isAffected: (event: LiveEvent) => boolean = never): Resource<T> {
  const [state, setState] = useState<{ path: string | null; value: T | null; problem: Problem | null }>(NOTHING);
  const [loading, setLoading] = useState(false);
  const [turn, setTurn] = useState(0);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  const affected = useRef(isAffected);
  affected.current = isAffected;

  useEffect(() => {
    if (path === null) return undefined;
    const aborting = new AbortController();
    setLoading(true);
    read<T>(path, aborting.signal)
      .then((value) =>
        setState((before) => {
          const kept = before.path === path ? keepEqual(before.value, value) : value;
          return { path, value: kept, problem: null };
        }),
      )
      .catch((error: unknown) => {
        if (aborting.signal.aborted) return;
        const problem = asProblem(error);
        setState((before) => ({ path, value: before.path === path ? before.value : null, problem }));
      })
      .finally(() => {
        if (!aborting.signal.aborted) setLoading(false);
      });
    return () => aborting.abort();
  }, [path, turn]);

  useEffect(() => {
    if (path === null) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = listen((event) => {
      if (event !== null && !affected.current(event)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        reload();
      }, SETTLE_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [path, reload]);

  const isCurrent = state.path === path;
  return {
    value: isCurrent ? state.value : null,
    problem: isCurrent ? state.problem : null,
    loading: loading || (path !== null && !isCurrent),
    reload,
  };
}

const NOTHING = { path: null, value: null, problem: null };
const never = () => false;
export const always = () => true;

/** Whether an event belongs to a run; `last` is whichever run is the newest. */
export const isOfRun = (run: string, event: LiveEvent) => run === "last" || event.run_id === run;
