import { CoordinatorError } from "../../../model/errors.js";

/** The meaning of a failed statement for the store. */
type FailureKind = "gone" | "busy" | "password" | "privilege" | "missing" | "full" | "other";

/** The codes of Node.js and the driver for a connection that is missing or was lost. */
const GONE = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "ENOENT"]);
const GONE_MESSAGE =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|timeout expired|Query read timeout)/;
/** Names are looked up anew at each attempt, and a name that is not known may be a mistake of a letter. */
const UNKNOWN_HOST = new Set(["ENOTFOUND", "EAI_AGAIN"]);

/** Contract: by the SQLSTATE, which servers of all languages have in common. */
export function failureKind(error: unknown): FailureKind {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  if (GONE.has(code) || UNKNOWN_HOST.has(code) || GONE_MESSAGE.test(message)) return "gone";
  // 08: connection; 57P01–57P03: shut down, crashed, starting; 53300: too many connections; 25P03: ended by its time-out.
  if (/^08|^57P0[123]$|^53300$|^25P03$/.test(code)) return "gone";
  // Serialisation, deadlock, a lock or a statement that took too long.
  if (["40001", "40P01", "55P03", "57014"].includes(code)) return "busy";
  if (code.startsWith("28")) return "password";
  if (code === "42501") return "privilege";
  if (code === "3D000") return "missing";
  return code === "53100" || code === "53200" ? "full" : "other";
}

/** The error for a failure between this program and the server. `store` names it without a password. */
export function storeFailure(store: string, cause: unknown): CoordinatorError {
  if (cause instanceof CoordinatorError || cause instanceof TypeError) return cause as CoordinatorError;
  const { message } = cause as Error;
  const failureOf = (
    code: ConstructorParameters<typeof CoordinatorError>[0],
    what: string,
    fix: string,
    retryable = false,
  ) => new CoordinatorError(code, `The store ${store} ${what}: ${message}`, { cause, fix, retryable });
  switch (failureKind(cause)) {
    case "gone":
      return failureOf(
        "STORE_UNREACHABLE",
        "cannot be reached",
        "Check host and port of the address, and that the server runs and lets this machine in. Nothing acknowledged is lost.",
        true,
      );
    case "busy":
      return failureOf(
        "STORE_FAILED",
        "was busy for too long",
        "Try again; coordinator doctor says how fast it answers.",
        true,
      );
    case "password":
      return failureOf(
        "STORE_REFUSED",
        "refused this user",
        "Check the user in the address, and the password in COORDINATOR_STORE_PASSWORD or in the file that COORDINATOR_STORE_PASSWORD_FILE names.",
      );
    case "privilege":
      return failureOf(
        "STORE_REFUSED",
        "refused what the store needs",
        "As its administrator: GRANT CREATE ON DATABASE … TO the user, or create the schema with AUTHORIZATION of the user.",
      );
    case "missing":
      return failureOf(
        "STORE_ADDRESS",
        "is not there",
        "Create the database (createdb), or correct its name in the address.",
      );
    case "full":
      return failureOf("STORE_FAILED", "has no room", "Make room on the server. Nothing acknowledged is lost.");
    case "other":
      return failureOf(
        "STORE_FAILED",
        "could not be written or read",
        "Look into the server's log. Nothing acknowledged is lost.",
      );
  }
}
