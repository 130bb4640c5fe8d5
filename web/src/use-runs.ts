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
  /** How many runs there are in all; older ones are read when they are asked for. */
  readonly total: number;
  readonly names: ReadonlyMap<string, string>;
}

/** A request that was planned has a run of its own, which leads back to it; its own log is no run to look for. */
export const isPlannedRequest = ({ run_id, status }: Pick<ProjectRun, "run_id" | "status">) =>
  run_id.startsWith("req_") && status === "completed";

/** So many runs of each project are read at once. */
export const RUNS_AT_ONCE = 200;

/** The newest runs of every project that is served, at most `most` of each, kept up to date. */
export function useAllRuns(most = RUNS_AT_ONCE): Resource<AllRuns> {
  const served = useResource<{ projects: ProjectLine[] }>("/projects");
  const projects = served.value?.projects ?? null;
  const [found, setFound] = useState<readonly RunsOfProject[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [turn, setTurn] = useState(0);

  useEffect(() => {
    if (projects === null) return undefined;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function readAll(open: readonly ProjectLine[]): Promise<void> {
      try {
        const all = await Promise.all(open.map(({ id }) => runsOf(id, most)));
        if (isOver) return;
        setFound((before) => keepEqual(before, all));
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
  }, [projects, most, turn]);

  const value = useMemo((): AllRuns | null => {
    if (projects === null || found === null) return null;
    const lines = found.flatMap(({ runs }) => runs);
    const runs = lines.flatMap((line) => ("problem" in line ? [] : [line]));
    return {
      projects,
      runs: runs.toSorted((a, b) => (b.started_at ?? "").localeCompare(a.started_at ?? "")),
      unreadable: lines.flatMap((line) => ("problem" in line ? [line] : [])),
      total: found.reduce((sum, { total }) => sum + total, 0),
      names: new Map(projects.map(({ id, name }) => [id, name])),
    };
  }, [projects, found]);
  const { reload: readProjects } = served;
  const reload = useCallback(() => {
    readProjects();
    setTurn((before) => before + 1);
  }, [readProjects]);
  const trouble = served.problem ?? problem;
  return { value, problem: trouble, loading: value === null && trouble === null, reload };
}

interface RunsOfProject {
  readonly total: number;
  readonly runs: readonly (RunLine & { readonly project: string })[];
}

interface PageOfRuns {
  readonly total: number;
  readonly next: string | null;
  readonly runs: readonly RunLine[];
}

async function runsOf(project: string, most: number): Promise<RunsOfProject> {
  const runs: RunLine[] = [];
  for (let after: string | null = null; ;) {
    const query = new URLSearchParams({ limit: String(RUNS_AT_ONCE), ...(after === null ? {} : { after }) });
    const page: PageOfRuns = await read(`/projects/${encodeURIComponent(project)}/runs?${query.toString()}`);
    runs.push(...page.runs);
    if (page.next === null || runs.length >= most)
      return { total: page.total, runs: runs.map((run) => ({ ...run, project })) };
    after = page.next;
  }
}
