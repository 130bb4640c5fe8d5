import { CoordinatorError } from "../../../model/errors.js";
import { sqliteCode } from "./driver.js";

/** The meaning of a failed statement for the store. */
export type FailureKind = "constraint" | "busy" | "corrupt" | "io";

/** Primary result codes of SQLite; the low byte of an extended one. */
const BUSY = [5, 6];
const CORRUPT = [11, 26];
const CONSTRAINT = 19;

/** Contract: whatever is not known to be harmless counts as a failed write. */
export function failureKind(error: unknown): FailureKind {
  const code = (sqliteCode(error) ?? 0) & 0xff;
  if (code === CONSTRAINT) return "constraint";
  if (BUSY.includes(code)) return "busy";
  return CORRUPT.includes(code) ? "corrupt" : "io";
}

/** The error for a failure of the file. */
export function storeFailure(path: string, cause: unknown): CoordinatorError {
  if (cause instanceof CoordinatorError) return cause;
  const { message } = cause as Error;
  const kind = failureKind(cause);
  if (kind === "corrupt")
    return new CoordinatorError("STORE_CORRUPT", `The store ${path} is damaged: ${message}`, {
      cause,
      fix: "Put back a copy of the file, with its -wal file if there is one, or move it away to begin a new store.",
    });
  if (kind === "busy")
    return new CoordinatorError("STORE_FAILED", `The store ${path} was busy for too long: ${message}`, {
      cause,
      retryable: true,
      fix: "Try again when no other program is writing to it.",
    });
  return new CoordinatorError("STORE_FAILED", `The store ${path} could not be written or read: ${message}`, {
    cause,
    fix: "Make room, or check the disk and the folder's permissions, and open it again. Nothing acknowledged is lost.",
  });
}
