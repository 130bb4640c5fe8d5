import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { CoordinatorError, ERROR_CODES } from "../model/errors.js";
import { CoordinatorResponse, UserRequest } from "../model/request.js";
import type { InputType } from "../model/routing.js";

/*
 * The main entry point for programs: a request in, the response to it out. It starts `coordinator run --request -`, so
 * that what is asked here and on the command line goes one way; a run has a process of its own, and as many projects as
 * there are may be asked at the same time.
 */

export interface ProcessOptions {
  /** The project, when `context.project_path` of the request does not say; the working directory when absent. */
  readonly cwd?: string;
  /** Whoever calls has approved the plan beforehand. Otherwise the run waits for approval, and the response says so. */
  readonly approved?: boolean;
  /** Whether the folder that `context.project_path` names may be made for a new project; `approved` says so, too. */
  readonly create?: boolean;
  /** What the request is, said by whoever calls: it goes where that goes, and no rule classifies it. */
  readonly type?: InputType;
  /** Who plays every builder. */
  readonly agent?: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** Each line of what happens meanwhile: events of the run and how far it is. */
  readonly watch?: (line: unknown) => void;
  /** Stops the process cleanly; the run can be gone on with. */
  readonly signal?: AbortSignal;
}

/**
 * Contract: every request that can be read ends in a response: rejected, unclear, waiting, failed or completed. Throws
 * CoordinatorError where nothing could be decided about it, as for a broken configuration, and the reason of the signal.
 */
export async function processRequest(request: UserRequest, options: ProcessOptions = {}): Promise<CoordinatorResponse> {
  const said = await ask(UserRequest.parse(request), options);
  const { type, run_id: _, ...response } = said;
  if (type === "response") return CoordinatorResponse.parse(response);
  options.signal?.throwIfAborted();
  const { code, message, fix } = said;
  const known = ERROR_CODES.find((each) => each === code) ?? "USAGE";
  throw new CoordinatorError(
    known,
    typeof message === "string" ? message : "There is no response",
    typeof fix === "string" ? { fix } : {},
  );
}

type Line = Readonly<Record<string, unknown>>;

/** The last line the program writes. */
async function ask(request: UserRequest, options: ProcessOptions): Promise<Line> {
  const program = fileURLToPath(new URL("../cli/main.js", import.meta.url));
  const { cwd, approved, create, type, agent, environment, watch, signal } = options;
  const args = [
    "run",
    "--request",
    "-",
    "--json",
    ...(approved === true ? ["--yes"] : []),
    ...(create === true ? ["--create"] : []),
    ...(type === undefined ? [] : ["--type", type]),
    ...(agent === undefined ? [] : ["--agent", agent]),
  ];
  const child = spawn(process.execPath, [program, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    env: environment ?? process.env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const stop = () => child.kill("SIGTERM");
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted === true) stop();
  // A program that ends before it has read everything is told of by what it wrote, or by its end.
  child.stdin.on("error", () => undefined);
  child.stdin.end(JSON.stringify(request));
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve());
  });
  let last: Line | null = null;
  let rest = "";
  child.stdout.setEncoding("utf8");
  for await (const chunk of child.stdout as AsyncIterable<string>) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      last = JSON.parse(line) as Line;
      watch?.(last);
    }
  }
  await ended;
  signal?.removeEventListener("abort", stop);
  if (last === null) throw new Error("the program that processes requests ended without a word");
  return last;
}
