import { CoordinatorError } from "../../../model/errors.js";

/** The outcome of an effect whose state cannot be read: its folder or its program failed. */
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
