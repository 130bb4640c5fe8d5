import type { CommanderError } from "commander";
import { CoordinatorError, type ErrorCode } from "../model/errors.js";
import { EXIT, type ExitCode } from "../app/exit-codes.js";
import { fail, type Finished } from "../app/report.js";

const EXIT_OF: Readonly<Record<ErrorCode, ExitCode>> = {
  FILE_NOT_FOUND: EXIT.invalid,
  FILE_UNREADABLE: EXIT.invalid,
  FILE_WRITE_FAILED: EXIT.failed,
  LINK_REFUSED: EXIT.refused,
  DOCUMENT_INVALID: EXIT.invalid,
  REGISTRY_INVALID: EXIT.invalid,
  PLAN_NOT_FOUND: EXIT.invalid,
  PLAN_WRITE_FAILED: EXIT.failed,
  PLAN_CHANGED: EXIT.unverified,
  BRIEF_CHANGED: EXIT.unverified,
  NOT_FOUND: EXIT.invalid,
  REF_MOVED: EXIT.unverified,
  STORE_FAILED: EXIT.failed,
  STORE_LOCKED: EXIT.failed,
  STORE_TOO_NEW: EXIT.failed,
  STORE_CORRUPT: EXIT.unverified,
  STORE_ADDRESS: EXIT.invalid,
  STORE_UNREACHABLE: EXIT.failed,
  STORE_REFUSED: EXIT.refused,
  STORE_SERVER_OLD: EXIT.failed,
  STORE_CLOCK: EXIT.failed,
  ENGINE_SETTING: EXIT.invalid,
  REMOTE_REFUSED: EXIT.refused,
  REMOTE_UNREACHABLE: EXIT.failed,
  WORKER_VERSION: EXIT.refused,
  SHIM_FAILED: EXIT.failed,
  WORKSPACE_FAILED: EXIT.failed,
  REPOSITORY_UNSUITABLE: EXIT.invalid,
  SANDBOX_MISSING: EXIT.refused,
  CONTRACT_FORBIDS: EXIT.refused,
  CONTRACT_APPROVAL: EXIT.waiting,
  CONTRACT_LIMIT: EXIT.refused,
  NOT_TRUSTED: EXIT.refused,
  MODEL_NOT_CONFIGURED: EXIT.invalid,
  PORT_TAKEN: EXIT.failed,
  LISTEN_FAILED: EXIT.failed,
  SERVER_RUNNING: EXIT.refused,
  SERVER_UNREACHABLE: EXIT.failed,
  ADDRESS_REFUSED: EXIT.refused,
  CERTIFICATE_UNREADABLE: EXIT.invalid,
  CODE_HOST_UNKNOWN: EXIT.invalid,
  CODE_HOST_LOGIN_MISSING: EXIT.invalid,
  CODE_HOST_REFUSED: EXIT.refused,
  CODE_HOST_UNAVAILABLE: EXIT.failed,
  BRANCH_INVALID: EXIT.invalid,
  PUBLISH_REFUSED: EXIT.refused,
  PULL_CLOSED: EXIT.waiting,
  USAGE: EXIT.invalid,
};

/** Describes a thrown error. Only errors of our own are shown as they are. */
export function failureOf(error: unknown, environment: NodeJS.ProcessEnv): Finished {
  if (error instanceof CoordinatorError)
    return fail(EXIT_OF[error.code], error.code, error.message, { fix: error.fix });
  const message = error instanceof Error ? error.message : String(error);
  if (isFolderGone(error))
    return fail(EXIT.invalid, "FILE_NOT_FOUND", "The current directory does not exist any more", {
      fix: "Go to one that is (cd), or name it: coordinator --cwd DIR …",
    });
  const stack = environment["COORDINATOR_DEBUG"] === "1" && error instanceof Error ? `\n${error.stack ?? ""}` : "";
  return fail(EXIT.failed, "INTERNAL", `Something went wrong inside: ${message}${stack}`, {
    fix: "This is a mistake of the program. Run it again with COORDINATOR_DEBUG=1 and report what it says.",
  });
}

/** The system cannot name a folder that was removed while somebody stood in it. */
function isFolderGone(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code === "ENOENT" && syscall === "uv_cwd";
}

export function usageFailure({ message, code }: CommanderError): Finished {
  // Called without a command: the help was shown, and that is all there is to say.
  if (code === "commander.help") return fail(EXIT.invalid, "USAGE", "A command is missing", { fix: HELP });
  const [first = "", ...hints] = message.replace(/^error: /, "").split("\n");
  const hint = hints.join(" ").replace(/^\(|\)$/g, "");
  return fail(EXIT.invalid, "USAGE", first.charAt(0).toUpperCase() + first.slice(1), {
    fix: hint === "" ? HELP : hint,
  });
}

const HELP = "coordinator --help lists the commands, coordinator COMMAND --help what each takes.";
