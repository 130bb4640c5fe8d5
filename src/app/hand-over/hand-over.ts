import { z } from "zod";
import { withoutSecrets } from "../../foundation/files/known-secrets.js";
import { CoordinatorError } from "../../model/errors.js";
import type { UserRequest } from "../../model/request.js";
import type { CommandContext } from "../command-context.js";
import { findRun } from "../inspect/find.js";
import { foldRun } from "../inspect/fold-run.js";
import { type Reader, withRuns } from "../inspect/runs-at.js";
import { holderOf } from "../project/open-runs.js";
import type { StateFolder } from "../project/state-folder.js";
import { isRequestRecord, newestFirst } from "../../hands/store/list-runs.js";
import { askServer } from "../serve/ask-server.js";
import { writeOwnJson } from "../serve/own-json.js";
import { projectId } from "../serve/project-id.js";
import { type ServerRecord, serverOf } from "../serve/server-file.js";
import { backgroundFile, readBackground, startInBackground } from "./background.js";

/*
 * Requests and runs that a front hands over and does not wait for. A server of the same person that serves the project
 * does the work; where there is none, a process of its own does. Either outlives the front, and neither approves anything.
 */

export interface SubmitArguments {
  /** Sent twice with the same id, a request is taken once. */
  readonly request: UserRequest;
  readonly agent?: string | undefined;
}

/** The state of a request that was handed over. */
export interface HandedRequest {
  readonly request_id: string;
  readonly state: "working" | "ended";
  /** The run it became, or the log of a request that is not a run yet; null when there is neither. */
  readonly run_id: string | null;
  /** Why it became neither. */
  readonly problem: { readonly code: string; readonly message: string; readonly fix: string | null } | null;
}

/** Contract: returns when somebody works on the request. Throws CoordinatorError where nobody can. */
export async function submitRequest(
  { request, agent }: SubmitArguments,
  context: CommandContext,
): Promise<HandedRequest> {
  const { request_id } = request;
  const at = context.project.at;
  const known = await findHanded(request_id, at, context);
  if (known !== null) return known;
  const server = serverOf(at.root, context.project.environment);
  if (server !== null && (await reaches(server))) {
    const { user_request: text, context: about } = request;
    const { preferences, data_sensitivity } = about ?? {};
    const body = { request_id, text, agent, preferences, data_sensitivity };
    await askServer(server, "POST", `/projects/${projectId(at.root)}/requests`, body);
  } else {
    const file = backgroundFile(at, request_id, "request.json");
    writeOwnJson(file, withoutSecrets(request));
    const options = agent === undefined ? [] : ["--agent", agent];
    startInBackground(at, request_id, ["run", "--request", file, ...options], context.project.environment);
  }
  return { request_id, state: "working", run_id: null, problem: null };
}

/** Contract: throws NOT_FOUND for a request that was never handed over here. */
export async function showRequest(requestId: string, context: CommandContext): Promise<HandedRequest> {
  const found = await findHanded(requestId, context.project.at, context);
  if (found !== null) return found;
  throw new CoordinatorError("NOT_FOUND", `No request ${requestId} was handed over here`, {
    fix: "`coordinator status` lists the runs.",
  });
}

async function findHanded(requestId: string, at: StateFolder, context: CommandContext): Promise<HandedRequest | null> {
  const run_id = await withRuns(
    context.project,
    (reader) => logOf(requestId, reader),
    () => null,
  );
  const server = serverOf(at.root, context.project.environment);
  const served = server === null ? null : await readServed(server, requestId, at);
  if (served !== null) return { ...served, run_id: run_id ?? served.run_id };
  const work = readBackground(at, requestId);
  if (work === null) return run_id === null ? null : { request_id: requestId, state: "ended", run_id, problem: null };
  if (work.alive) return { request_id: requestId, state: "working", run_id, problem: null };
  return { request_id: requestId, state: "ended", run_id, problem: run_id === null ? problemIn(work.last) : null };
}

const ServedRequest = z.object({
  state: z.enum(["working", "ended"]),
  run_id: z.string().nullable(),
  report: z.unknown(),
});

async function readServed(server: ServerRecord, request_id: string, at: StateFolder): Promise<HandedRequest | null> {
  const path = `/projects/${projectId(at.root)}/requests/${request_id}`;
  const found = ServedRequest.safeParse(await askServer(server, "GET", path).catch(unlessBroken));
  if (!found.success) return null;
  const { state, run_id, report } = found.data;
  return { request_id, state, run_id, problem: state === "ended" && run_id === null ? problemIn(report) : null };
}

/** A server that does not know the request, or does not answer, says nothing about it. */
function unlessBroken(error: unknown): null {
  if (error instanceof CoordinatorError) return null;
  throw error;
}

const Problem = z.object({ code: z.string(), message: z.string(), fix: z.string().nullish() });

/** Why a request has no log, in the words of the process that worked on it. */
function problemIn(last: unknown): HandedRequest["problem"] {
  const read = Problem.safeParse(last);
  if (read.success) return { code: read.data.code, message: read.data.message, fix: read.data.fix ?? null };
  return {
    code: "WORK_ENDED",
    message: "The process that worked on the request ended and left no result",
    fix: "Submit the request again. `coordinator doctor` says whether everything works here.",
  };
}

/** The run of a request; the log of the request itself where it is not a run yet; null where it has neither. */
async function logOf(requestId: string, reader: Reader): Promise<string | null> {
  let record: string | null = null;
  for (const { run_id } of await newestFirst(reader))
    for await (const { event } of reader.read(run_id, { to: 1 })) {
      if (event.type !== "request_received" || event.request_id !== requestId) continue;
      if (!isRequestRecord(run_id)) return run_id;
      record ??= run_id;
    }
  return record;
}

async function reaches(server: ServerRecord): Promise<boolean> {
  return (await askServer(server, "GET", "/projects").catch(unlessBroken)) !== null;
}

/** The answer to the order to work on a run. */
export interface HandedRun {
  readonly run_id: string;
  /** `waiting`: only people can move it. `over`: nothing is left to do. `working`: somebody works on it. */
  readonly state: "started" | "working" | "waiting" | "over";
  /** Who works on it: the address of the server, or this program in the background. */
  readonly by: string | null;
}

/**
 * Have a run worked on, by a server or in the background. A run whose plan waits for approval is left alone.
 *
 * Contract: returns at once. Throws NOT_FOUND for a run that is not there.
 */
export async function resumeRun(wanted: string, context: CommandContext, agent?: string): Promise<HandedRun> {
  const at = context.project.at;
  const { run_id, status, waits, held } = await withRuns(context.project, async (reader) => {
    const found = await findRun(reader, wanted);
    const { state } = await foldRun(reader, found);
    return {
      run_id: found,
      status: state.status,
      waits: state.inbox.some(({ kind }) => kind === "plan_approval"),
      held: await holderOf(reader, found),
    };
  });
  if (status === "completed" || status === "failed") return { run_id, state: "over", by: null };
  if (held !== null) return { run_id, state: "working", by: `process ${held.pid}` };
  if (waits) return { run_id, state: "waiting", by: null };
  const server = serverOf(at.root, context.project.environment);
  if (server !== null && (await reaches(server))) {
    const body = agent === undefined ? {} : { agent };
    await askServer(server, "POST", `/projects/${projectId(at.root)}/runs/${run_id}/resume`, body);
    return { run_id, state: "started", by: server.url };
  }
  const options = agent === undefined ? [] : ["--agent", agent];
  startInBackground(at, run_id, ["run", "--resume", run_id, ...options], context.project.environment);
  return { run_id, state: "started", by: "a process in the background" };
}

/** The work on a run in the background. */
export interface RunInBackground {
  /** It may not have begun with the run yet. */
  readonly alive: boolean;
  /** Why it ended; null when it goes on, ended well, or there was none. */
  readonly trouble: HandedRequest["problem"];
}

export function runInBackground(runId: string, { project }: CommandContext): RunInBackground {
  const work = readBackground(project.at, runId);
  if (work === null || work.alive) return { alive: work !== null, trouble: null };
  const read = Problem.safeParse(work.last);
  const trouble = read.success
    ? { code: read.data.code, message: read.data.message, fix: read.data.fix ?? null }
    : null;
  return { alive: false, trouble };
}

/** Where a browser finds a page of the project's server; null where none serves it. */
export function pageOf(path: string, { project }: CommandContext): string | null {
  const { root } = project;
  const server = serverOf(root, project.environment);
  return server === null ? null : `${server.url}${path.replace("{project}", projectId(root))}`;
}
