import { CoordinatorError } from "../model/errors.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { Finished } from "../app/report.js";
import { EXIT } from "../app/exit-codes.js";

/* Problems, as `application/problem+json` (RFC 9457) with our codes. Every code has a page in docs/errors. */

/** The codes that only HTTP has. */
export const HTTP_CODES = [
  "HOST_REFUSED",
  "ORIGIN_REFUSED",
  "NOT_LOGGED_IN",
  "ROLE_REFUSED",
  "MEDIA_TYPE_REFUSED",
  "TOO_MANY_FAILURES",
  "BODY_TOO_LARGE",
  "DECISION_REFUSED",
  "PROJECT_UNKNOWN",
] as const;

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly fix: string | null;
  readonly problems: readonly Diagnostic[];
}

/** Thrown where a request ends with a problem. */
export class HttpProblem extends Error {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;

  constructor(problem: Problem, headers: Readonly<Record<string, string>> = {}) {
    super(problem.detail);
    this.problem = problem;
    this.headers = headers;
  }
}

export function makeProblem(
  status: number,
  code: string,
  detail: string,
  { fix = null, problems = [] }: { readonly fix?: string | null; readonly problems?: readonly Diagnostic[] } = {},
): Problem {
  return { type: `urn:coordinator:error:${code}`, title: titleOf(status), status, detail, code, fix, problems };
}

const STATUS_OF: Readonly<Record<string, number>> = {
  NOT_FOUND: 404,
  PLAN_NOT_FOUND: 404,
  FILE_NOT_FOUND: 404,
  USAGE: 400,
  DOCUMENT_INVALID: 422,
  INVALID_REQUEST: 422,
  STORE_LOCKED: 409,
  REF_MOVED: 409,
  PLAN_CHANGED: 409,
  REQUEST_OVER: 409,
  STORE_TOO_NEW: 503,
  STORE_FAILED: 503,
  STORE_CORRUPT: 503,
  STORE_ADDRESS: 503,
  STORE_UNREACHABLE: 503,
  STORE_REFUSED: 503,
  STORE_SERVER_OLD: 503,
  STORE_CLOCK: 503,
  CONTRACT_FORBIDS: 403,
  CONTRACT_APPROVAL: 403,
  CONTRACT_LIMIT: 403,
  ROLE_NOT_HELD: 403,
  NOT_TRUSTED: 403,
  SANDBOX_MISSING: 503,
};

/** Contract: total. An error that we did not throw ourselves is told as an internal one, without its text. */
export function problemOf(error: unknown): Problem {
  if (error instanceof HttpProblem) return error.problem;
  if (error instanceof CoordinatorError)
    return makeProblem(STATUS_OF[error.code] ?? 500, error.code, error.message, { fix: error.fix ?? null });
  return makeProblem(500, "INTERNAL", "Something went wrong inside of the server", {
    fix: "This is a mistake of the program. Start it with COORDINATOR_DEBUG=1 and report what it prints.",
  });
}

/** The problem that a use case ended with; null when it ended well or with a decision. */
export function problemIn({ exitCode, report }: Finished): Problem | null {
  if (report.type !== "error") return null;
  const { code, message, fix, problems } = report;
  const usual =
    exitCode === EXIT.refused ? 403 : exitCode === EXIT.invalid ? 422 : exitCode === EXIT.waiting ? 409 : 500;
  return makeProblem(STATUS_OF[code] ?? usual, code, message, { fix: fix ?? null, problems });
}

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad request",
  401: "Not logged in",
  403: "Refused",
  404: "Not found",
  405: "Method not allowed",
  408: "Too slow",
  409: "Conflict",
  413: "Too large",
  415: "Unsupported media type",
  421: "Misdirected request",
  422: "Invalid input",
  429: "Too many failures",
  500: "Internal error",
  503: "Not available",
};

function titleOf(status: number): string {
  return TITLES[status] ?? "Error";
}
