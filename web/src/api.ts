/** The server's answer to something that cannot be done: what, where and how to fix it. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly fix: string | null;

  constructor(status: number, code: string, detail: string, fix: string | null) {
    super(detail);
    this.status = status;
    this.code = code;
    this.fix = fix;
  }
}

/** Whatever was thrown, as a problem that can be shown. */
export function asProblem(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem(0, "INTERNAL", String(error), null);
}

const API = "/api/v1";

type LoggedOut = (problem: Problem) => void;
let loggedOut: LoggedOut = () => undefined;

/** Says what is done when the server no longer knows who this is: the session has ended, or its token was revoked. */
export function whenLoggedOut(act: LoggedOut): void {
  loggedOut = act;
}

/** Says that the session has ended, with the answer of the server to a request that was not sent by this module. */
export function tellLoggedOut(answer: unknown): void {
  loggedOut(problemOf(401, answer));
}

export function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  return send<T>(path, signal === undefined ? {} : { signal });
}

export function post<T>(path: string, body: unknown = {}): Promise<T> {
  return send<T>(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

export function logOut(): Promise<unknown> {
  return send("/session", { method: "DELETE" });
}

/** Contract: throws a `Problem` for everything that is not a success, the network included. */
async function send<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`${API}${path}`, { credentials: "same-origin", ...init });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem(0, "OFFLINE", "The server does not answer.", "Is `coordinator serve` still running?");
  }
  const text = await response.text();
  const value = parse(text);
  if (response.ok) return value as T;
  const { status } = response;
  const problem = problemOf(status, value);
  if (status === 401 && path !== "/session") loggedOut(problem);
  throw problem;
}

function problemOf(status: number, answer: unknown): Problem {
  const { code, detail, fix } = (answer ?? {}) as { code?: string; detail?: string; fix?: string | null };
  return new Problem(status, code ?? "UNKNOWN", detail ?? `The server answered with ${status}.`, fix ?? null);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** The path of a run's part. */
export const runPath = (project: string, run: string, rest = "") =>
  `/projects/${encodeURIComponent(project)}/runs/${encodeURIComponent(run)}${rest}`;
