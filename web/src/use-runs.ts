import { useCallback, useEffect, useMemo, useState } from "react";
import { asProblem, type Problem, read } from "./api.ts";
import { keepEqual } from "./keep-equal.ts";
import { listen } from "./live.ts";
import type { ProjectLine, RunLine } from "./types.ts";
import { type Resource, useResource } from "./use-resource.ts";

type Unreadable = Extract<RunLine, { readonly problem: string }>;
export type ProjectRun = Exclude<RunLine, Unreadable> & { readonly project: string };

interface AllRuns {
  readonly projects: readonly ProjectLine[];
  readonly runs: readonly ProjectRun[];
  /** Runs whose log cannot be read, with the reason. */
  readonly unreadable: readonly Unreadable[];
  readonly names: ReadonlyMap<string, string>;
}

/** The runs of every project that is served, newest first, kept up to date. */
export function useAllRuns(): Resource<AllRuns> {
  const found = useResource<{ projects: ProjectLine[] }>("/projects");
  const projects = found.value?.projects ?? null;
  const [lines, setLines] = useState<readonly (RunLine & { readonly project: string })[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [turn, setTurn] = useState(0);

  useEffect(() => {
    if (projects === null) return undefined;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function readAll(open: readonly ProjectLine[]): Promise<void> {
      try {
        const all = await Promise.all(open.map(({ id }) => runsOf(id)));
        if (isOver) return;
        setLines((before) => keepEqual(before, all.flat()));
        setProblem(null);
      } catch (error) {
        if (!isOver) setProblem(asProblem(error));
      }
    }
    const open = projects.filter((project) => project.problem === null);
    void readAll(open);
    const stop = listen(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void readAll(open);
      }, 400);
    });
    return () => {
      isOver = true;
      stop();
      clearTimeout(timer);
    };
  }, [projects, turn]);

  const value = useMemo((): AllRuns | null => {
    if (projects === null || lines === null) return null;
    const runs = lines.flatMap((line) => ("problem" in line ? [] : [line]));
    return {
      projects,
      runs: runs.toSorted((a, b) => (b.started_at ?? "").localeCompare(a.started_at ?? "")),
      unreadable: lines.flatMap((line) => ("problem" in line ? [line] : [])),
      names: new Map(projects.map(({ id, name }) => [id, name])),
    };
  }, [projects, lines]);
  const { reload: readProjects } = found;
  const reload = useCallback(() => {
    readProjects();
    setTurn((before) => before + 1);
  }, [readProjects]);
  const trouble = found.problem ?? problem;
  return { value, problem: trouble, loading: value === null && trouble === null, reload };
}

async function runsOf(project: string): Promise<(RunLine & { readonly project: string })[]> {
  const { runs } = await read<{ runs: readonly RunLine[] }>(`/projects/${encodeURIComponent(project)}/runs?limit=200`);
  return runs.map((run) => ({ ...run, project }));
}
