import { CoordinatorError } from "../../../model/errors.js";

/** What to say when nobody can tell how an effect stands: its folder or its program failed. */
export function shimFailure(folder: string, what: string, cause?: unknown): CoordinatorError {
  if (cause instanceof CoordinatorError) return cause;
  const why = cause === undefined ? "" : `: ${(cause as Error).message}`;
  return new CoordinatorError("SHIM_FAILED", `${what} (${folder})${why}`, {
    cause,
    retryable: true,
    fix: "Make room, or check the disk and the folder's permissions, and resume the run. Nothing finished is lost.",
  });
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? "");
}
