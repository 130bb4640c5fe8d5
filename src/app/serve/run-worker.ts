import { useCases } from "../coordinator.js";
import { EXIT } from "../exit-codes.js";
import type { CommandContext } from "../command-context.js";
import type { Finished } from "../report.js";
import type { Approval, RequestContext } from "../request/plan-and-run.js";
import type { RunArguments } from "../run/run-arguments.js";
import { jsonWatcher } from "../json/watch.js";
import { toJson } from "../json/to-json.js";
import { CoordinatorError } from "../../model/errors.js";
import type { UserRequest } from "../../model/request.js";
import type { InputType } from "../../model/routing.js";
import type { Decider } from "../../model/run.js";
import { isRequestRecord } from "../../hands/store/list-runs.js";
import { logOfRequest, readStanding, whenFree } from "./run-standing.js";
import { forgetServedRun, keepServedRun, servedRuns } from "./served-runs.js";
import { forgetSubmitted, keepSubmitted, readSubmittedBefore, type SubmittedRecord } from "./submitted-requests.js";
import type { WorkTrouble } from "./work-trouble.js";
import { guardServed, reopenServed, type ServedProject } from "./served-project.js";
import { NO_REQUEST_OPTIONS } from "../request/request-options.js";

/*
 * Carries out runs and requests inside of the process of a server, as many at once as there are. Everything that must
 * survive the process stands in the project: the log of each run, the requests that were accepted and have no log yet,
 * and the names of the runs that were being worked on.
 */

/** How work is resumed, as `coordinator run --resume` takes it. */
type ResumeOptions = Pick<RunArguments, "agent" | "unsafeNoSandbox">;

interface SubmitOptions {
  readonly by: string | undefined;
  readonly via?: Decider["via"];
  readonly type?: InputType | undefined;
  readonly agent?: string | undefined;
  /** The decision record it is asked by; the words of the request say so and are not read. */
  readonly adr?: string | undefined;
}

/** The state of a request that was taken. */
interface SubmittedRequest {
  readonly request_id: string;
  readonly project: string;
  readonly submitted_at: string;
  readonly text: string;
  readonly state: "working" | "ended";
  /** The run it became, or the log of a request that is not a run yet. */
  readonly run_id: string | null;
  /** The work in progress for it, a line each. */
  readonly progress: readonly string[];
  readonly exit_code: number | null;
  /** As `coordinator run --request --json` prints it last. */
  readonly report: unknown;
}

export interface RunWorker {
  /** Contract: durable when it resolves; the work goes on afterwards. A request that is known already is not submitted twice. */
  submit(project: ServedProject, request: UserRequest, options: SubmitOptions): Promise<SubmittedRequest>;
  readonly submitted: (requestId: string) => SubmittedRequest | null;
  /** Work on a run or a request, unless that is being done. Contract: returns at once. */
  resume(project: ServedProject, runId: string, options?: ResumeOptions): void;
  /** Work on a run if there is something to do that waits on nobody. Resolves to whether there is. */
  wake(project: ServedProject, runId: string): Promise<boolean>;
  /** Resume what an earlier server of this project left. */
  recover(project: ServedProject): Promise<void>;
  readonly isWorkedOn: (project: ServedProject, runId: string) => boolean;
  /** Why a run could not be worked on the last time; null when it could. */
  readonly trouble: (project: ServedProject, runId: string) => WorkTrouble | null;
  /** How many runs and requests are being worked on. */
  readonly busy: () => number;
  /** Stop all work cleanly. Contract: every run can be resumed, and the next server does. */
  stop(): Promise<void>;
}

interface Job {
  readonly project: ServedProject;
  /** The run it is about; more than one when a request became a run. */
  readonly runs: Set<string>;
  again: boolean;
  done: Promise<void>;
}

type Mutable<T> = { -readonly [name in keyof T]: T[name] };

const NOBODY: Approval = { given: false, ask: null, answer: null };
const MOST_LINES = 200;
const MOST_REQUESTS = 1000;

/** Told of what did not go as it should and stopped nothing. */
export type TellWork = (message: string, about: { readonly project: string; readonly run_id: string | null }) => void;

export function createRunWorker(tell: TellWork = () => undefined): RunWorker {
  const jobs = new Set<Job>();
  const requests = new Map<string, Mutable<SubmittedRequest>>();
  const troubles = new Map<string, WorkTrouble>();
  const stopping = new AbortController();
  const keyOf = (project: ServedProject, runId: string) => `${project.id}/${runId}`;
  const jobOf = (project: ServedProject, runId: string) =>
    [...jobs].find((job) => job.project.id === project.id && job.runs.has(runId));

  function start(project: ServedProject, runs: readonly string[], work: (job: Job) => Promise<void>): void {
    const job: Job = { project, runs: new Set(runs), again: false, done: Promise.resolve() };
    jobs.add(job);
    for (const run of runs) keepServedRun(project.context.project.at, run);
    job.done = work(job)
      .catch((error: unknown) => {
        const trouble = troubleOf(error);
        for (const run of job.runs) {
          troubles.set(keyOf(project, run), trouble);
          tell(`${trouble.message} [${trouble.code}]`, { project: project.id, run_id: run });
        }
      })
      .finally(() => {
        jobs.delete(job);
        if (!stopping.signal.aborted) for (const run of job.runs) forgetServedRun(project.context.project.at, run);
      });
  }

  function contextFor(project: ServedProject, job: Job, progress: (line: string) => void): RequestContext {
    const warn = (message: string) => {
      progress(message);
      tell(message, { project: project.id, run_id: [...job.runs].at(-1) ?? null });
    };
    const context: CommandContext = { ...project.context, progress, warn };
    return {
      context,
      interrupted: stopping.signal,
      watcher: {
        ...jsonWatcher(async () => undefined),
        start: async (runId) => {
          job.runs.add(runId);
          keepServedRun(project.context.project.at, runId);
        },
      },
    };
  }

  function resume(project: ServedProject, runId: string, options: ResumeOptions = {}): void {
    const known = jobOf(project, runId);
    if (known !== undefined) {
      known.again = true;
      return;
    }
    if (stopping.signal.aborted) return;
    troubles.delete(keyOf(project, runId));
    const shown = requestKeptIn(project, runId);
    start(project, [runId], async (job) => {
      if (shown !== undefined) shown.state = "working";
      await workOn(job).finally(() => {
        if (shown !== undefined) shown.state = "ended";
      });
    });
    async function workOn(job: Job): Promise<void> {
      for (let seen = -1; ;) {
        job.again = false;
        const now = reopenServed(project);
        await guardServed(now, "run");
        const context = contextFor(now, job, (line) => shown !== undefined && addProgress(shown, line));
        const ended = await whenFree(() => useCases.resumeWork({ resume: runId, ...options }, NOBODY, context));
        if (stopping.signal.aborted) return;
        noteFailure(project, runId, ended);
        if (shown !== undefined) noteEnd(shown, ended);
        // A decision may have come while it ended; without news there is nothing more to do.
        const { sequence, goesOn } = await readStanding(project, runId);
        if (!job.again && (!goesOn || sequence === seen)) return;
        seen = sequence;
      }
    }
  }

  /** The request whose log this is, while it is not a run; undefined when it was not submitted to this process. */
  function requestKeptIn(project: ServedProject, record: string): Mutable<SubmittedRequest> | undefined {
    if (!isRequestRecord(record)) return undefined;
    return [...requests.values()].find(({ project: of, run_id }) => of === project.id && run_id === record);
  }

  function noteFailure(project: ServedProject, runId: string, { report }: Finished): void {
    if (report.type !== "error") return;
    const { code, message, fix } = report;
    troubles.set(keyOf(project, runId), { code, message, fix: fix ?? null });
  }

  async function begin(project: ServedProject, record: SubmittedRecord, shown: Mutable<SubmittedRequest>, job: Job) {
    const now = reopenServed(project);
    await guardServed(now, "run");
    const progress = (line: string) => addProgress(shown, line);
    const { by, via, type, agent, adr, request } = record;
    const place = contextFor(now, job, progress);
    const { start: started } = place.watcher;
    const watcher = {
      ...place.watcher,
      start: async (runId: string, before: number) => {
        shown.run_id = runId;
        await started(runId, before);
      },
    };
    const asking = {
      ...NO_REQUEST_OPTIONS,
      by,
      via,
      type,
      again: adr === undefined ? "coordinator run --request - < request.json" : `coordinator run --adr ${adr}`,
    };
    const ended =
      adr === undefined
        ? await useCases.runRequest(
            { ok: true, form: "document", value: request, file: "the request", locate: () => ({ line: 1, column: 1 }) },
            asking,
            { agent },
            NOBODY,
            { ...place, watcher, creating: { given: false, ask: null } },
          )
        : await useCases.runAdr({ file: adr, approve: false }, { ...asking, words: "" }, { agent }, NOBODY, {
            ...place,
            watcher,
          });
    if (stopping.signal.aborted && ended.exitCode === EXIT.interrupted) return;
    noteEnd(shown, ended);
    forgetSubmitted(project.context.project.at, request.request_id);
  }

  function take(project: ServedProject, record: SubmittedRecord): SubmittedRequest {
    const { request } = record;
    const shown = showAtFirst(project, record);
    requests.set(request.request_id, shown);
    const [oldest] = requests.keys();
    if (requests.size > MOST_REQUESTS && oldest !== undefined) requests.delete(oldest);
    start(project, [], async (job) => {
      try {
        await begin(project, record, shown, job);
      } catch (error) {
        const { code, message, fix } = troubleOf(error);
        shown.exit_code = EXIT.failed;
        shown.report = { type: "error", code, message, fix, problems: [] };
        forgetSubmitted(project.context.project.at, request.request_id);
      } finally {
        shown.state = "ended";
      }
    });
    return shown;
  }

  return {
    async submit(project, request, { by, via, type, agent, adr }) {
      const known = requests.get(request.request_id);
      if (known !== undefined) return known;
      await guardServed(project, "run");
      const record: SubmittedRecord = {
        schema_version: "1.0.0",
        request,
        by,
        via,
        type,
        agent,
        adr,
        submitted_at: project.context.parts.now(),
      };
      // Asked again after a restart, with the same id: it has a log by now.
      const begun = await logOfRequest(project, { ...record, submitted_at: "1970-01-01T00:00:00Z" });
      if (begun !== null) return { ...showAtFirst(project, record), state: "ended", run_id: begun };
      keepSubmitted(project.context.project.at, record);
      return take(project, record);
    },
    submitted: (requestId) => requests.get(requestId) ?? null,
    resume,
    async wake(project, runId) {
      const known = jobOf(project, runId);
      if (known !== undefined) {
        known.again = true;
        return true;
      }
      const { goesOn } = await readStanding(project, runId);
      if (goesOn) resume(project, runId);
      return goesOn;
    },
    async recover(project) {
      for (const runId of servedRuns(project.context.project.at)) {
        const { goesOn } = await readStanding(project, runId);
        if (goesOn) resume(project, runId);
        else forgetServedRun(project.context.project.at, runId);
      }
      for (const record of readSubmittedBefore(project.context.project.at)) {
        const begun = await logOfRequest(project, record);
        if (begun === null) take(project, record);
        else {
          forgetSubmitted(project.context.project.at, record.request.request_id);
          if ((await readStanding(project, begun)).goesOn) resume(project, begun);
        }
      }
    },
    isWorkedOn: (project, runId) => jobOf(project, runId) !== undefined,
    trouble: (project, runId) => troubles.get(keyOf(project, runId)) ?? null,
    busy: () => jobs.size,
    async stop() {
      stopping.abort();
      await Promise.all([...jobs].map(({ done }) => done));
    },
  };
}

function showAtFirst(project: ServedProject, { request, submitted_at }: SubmittedRecord): Mutable<SubmittedRequest> {
  return {
    request_id: request.request_id,
    project: project.id,
    submitted_at,
    text: request.user_request,
    state: "working",
    run_id: null,
    progress: [],
    exit_code: null,
    report: null,
  };
}

function addProgress(shown: Mutable<SubmittedRequest>, line: string): void {
  shown.progress = [...shown.progress, line].slice(-MOST_LINES);
}

/** A request that has become a run is that run from then on. */
function noteEnd(shown: Mutable<SubmittedRequest>, ended: Finished): void {
  shown.exit_code = ended.exitCode;
  shown.report = toJson(ended.report);
  shown.run_id = runIn(ended) ?? shown.run_id;
}

/** The run or the log of a request that a use case ended with. */
function runIn({ report, answer }: Finished): string | null {
  if (report.type === "response") return report.run_id;
  return (report.type === "plan" ? report.runId : undefined) ?? answer?.run_id ?? null;
}

function troubleOf(error: unknown): WorkTrouble {
  if (error instanceof CoordinatorError) return { code: error.code, message: error.message, fix: error.fix ?? null };
  return { code: "INTERNAL", message: error instanceof Error ? error.message : String(error), fix: null };
}
