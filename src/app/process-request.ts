import { resolve } from "node:path";
import { CoordinatorError, ERROR_CODES } from "../model/errors.js";
import { CoordinatorResponse, UserRequest } from "../model/request.js";
import type { InputType } from "../model/routing.js";
import { useCases } from "./coordinator.js";
import { EXIT } from "./exit-codes.js";
import { fail, type Finished } from "./report.js";
import { quietContext } from "./quiet-context.js";
import { NO_REQUEST_OPTIONS } from "./request/request-options.js";

/*
 * The main entry point for programs: a request in, the response to it out. It calls the use case that `coordinator run
 * --request` calls, in the process of the caller. One process may work on as many projects at once as it likes: where a
 * request works and with which variables is part of its context, and nothing of the process is changed.
 */

export interface ProcessOptions {
  /** The project, when `context.project_path` of the request does not say; the working directory when absent. */
  readonly cwd?: string;
  /** The caller has approved the plan beforehand. Otherwise the run waits for approval, and the response says so. */
  readonly approved?: boolean;
  /** Whether the folder that `context.project_path` names may be made for a new project; `approved` says so, too. */
  readonly create?: boolean;
  /** The type of the request, set by the caller: it decides the route, and no rule classifies it. */
  readonly type?: InputType;
  /** Who plays every builder. */
  readonly agent?: string;
  /** The variables to work with; a copy of those of the process when absent. Neither is changed. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Each line of what happens meanwhile: events of the run and how far it is. The run stops when it throws. */
  readonly watch?: (line: unknown) => void;
  /** Stops the work on this request cleanly; the run can be resumed. Other requests of the process go on. */
  readonly signal?: AbortSignal;
}

/**
 * Contract: every request that can be read ends in a response: rejected, unclear, waiting, failed or completed. Throws
 * CoordinatorError where nothing could be decided about it, as for a broken configuration, and the reason of the signal.
 * Prints nothing, asks nobody, and handles no signals of the process.
 */
export async function processRequest(request: UserRequest, options: ProcessOptions = {}): Promise<CoordinatorResponse> {
  const asked = UserRequest.parse(request);
  options.signal?.throwIfAborted();
  // A copy as JSON has it: anyone who watches cannot change what the run works with.
  const say = async (line: unknown) => options.watch?.(JSON.parse(JSON.stringify(line)));
  const { toJson } = await import("./json/to-json.js");
  const { report } = await runHere(asked, options, say).catch(async (error: unknown) => {
    if (error instanceof CoordinatorError) await say(toJson(failureOf(error).report));
    throw error;
  });
  await say(toJson(report));
  if (report.type === "response") return CoordinatorResponse.parse(report.response);
  options.signal?.throwIfAborted();
  if (report.type !== "error") throw new CoordinatorError("USAGE", "There is no response");
  const { code, message, fix } = report;
  const known = ERROR_CODES.find((each) => each === code) ?? "USAGE";
  throw new CoordinatorError(known, message, fix === undefined ? {} : { fix });
}

function failureOf({ code, message, fix }: CoordinatorError): Finished {
  return fail(EXIT.failed, code, message, { fix });
}

async function runHere(
  request: UserRequest,
  options: ProcessOptions,
  say: (line: object) => Promise<void>,
): Promise<Finished> {
  const [{ jsonWatcher }, { enterProject }] = await Promise.all([
    import("./json/watch.js"),
    import("./project/enter-project.js"),
  ]);
  const here = await quietContext({
    cwd: resolve(options.cwd ?? process.cwd()),
    environment: { ...(options.environment ?? process.env) },
    approved: options.approved === true,
  });
  const approved = options.approved === true;
  // A request that names its project is guarded there, when it is entered.
  const context = request.context?.project_path === undefined ? await enterProject(here.cwd, "cwd", "run", here) : here;
  return useCases.runRequest(
    { ok: true, form: "document", value: request, file: "the request", locate: () => ({ line: 1, column: 1 }) },
    {
      ...NO_REQUEST_OPTIONS,
      type: options.type,
      again: "coordinator run --request - < request.json",
    },
    { agent: options.agent },
    { given: approved, ask: null, answer: null },
    {
      context,
      watcher: jsonWatcher(say),
      interrupted: options.signal ?? new AbortController().signal,
      creating: { given: options.create === true || approved, ask: null },
    },
  );
}
