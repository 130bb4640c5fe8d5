import { useEffect, useMemo, useState } from "react";
import { read } from "./api.ts";
import { listen } from "./live.ts";
import type { ProjectLine, RunLine } from "./types.ts";
import { useResource } from "./use-resource.ts";

export type ProjectRun = RunLine & { readonly project: string };

interface UnreadableRun {
  readonly run_id: string;
  readonly problem: string;
}

interface AllRuns {
  readonly projects: readonly ProjectLine[];
  readonly runs: readonly ProjectRun[];
  /** Runs whose log cannot be read, with the reason. */
  readonly unreadable: readonly UnreadableRun[];
  readonly names: ReadonlyMap<string, string>;
  readonly loading: boolean;
}

/** The runs of every project that is served, newest first, kept up to date. */
export function useAllRuns(): AllRuns {
  const { value, loading } = useResource<{ projects: ProjectLine[] }>("/projects");
  const projects = useMemo(() => value?.projects ?? [], [value]);
  const [runs, setRuns] = useState<readonly ProjectRun[]>([]);
  const [unreadable, setUnreadable] = useState<readonly UnreadableRun[]>([]);

  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function readAll(): Promise<void> {
      const open = projects.filter(({ problem }) => problem === null);
      const all = await Promise.all(
        open.map(async ({ id }) => {
          const found = await read<{ runs: (RunLine | UnreadableRun)[] }>(
            `/projects/${encodeURIComponent(id)}/runs`,
          ).catch(() => null);
          return (found?.runs ?? []).map((run) => ({ ...run, project: id }));
        }),
      );
      if (isOver) return;
      const found = all.flat();
      setUnreadable(found.filter((run) => "problem" in run));
      const readable = found.flatMap((run) => ("problem" in run ? [] : [run]));
      setRuns(readable.sort((a, b) => (b.started_at ?? "").localeCompare(a.started_at ?? "")));
    }
    void readAll();
    const stop = listen(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void readAll();
      }, 400);
    });
    return () => {
      isOver = true;
      stop();
      clearTimeout(timer);
    };
  }, [projects]);

  const names = useMemo(() => new Map(projects.map(({ id, name }) => [id, name])), [projects]);
  return { projects, runs, unreadable, names, loading };
}
