import { CoordinatorError } from "../../model/errors.js";
import type { ServerRecord } from "./server-file.js";

/* How a command of the same person talks to a server on this machine. */

const TIMEOUT_MS = 10_000;

/**
 * Contract: the JSON that the server answers with. Throws SERVER_UNREACHABLE where it does not answer, and an error with
 * the words of the server where it refuses.
 */
export async function askServer(
  { local_url, secret, pid }: Pick<ServerRecord, "local_url" | "secret" | "pid">,
  method: "GET" | "POST",
  path: string,
  body?: unknown,
): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(`${local_url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (cause) {
    throw new CoordinatorError("SERVER_UNREACHABLE", `The server of process ${pid} does not answer at ${local_url}`, {
      cause,
      retryable: true,
      fix: "Start it again: coordinator serve. Without it, commands work alone.",
    });
  }
  const value = (await response.json().catch(() => null)) as { detail?: string; fix?: string; code?: string } | null;
  if (response.ok) return value;
  throw new CoordinatorError(
    "USAGE",
    value?.detail ?? `The server answered ${response.status}`,
    value?.fix == null ? {} : { fix: value.fix },
  );
}
