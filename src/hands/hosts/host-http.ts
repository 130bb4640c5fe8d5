import { withoutKeys } from "../../foundation/files/known-secrets.js";
import { oneLine } from "../../foundation/text/one-line.js";
import type { CoordinatorError } from "../../model/errors.js";
import { HostRefused, HostUnavailable } from "./host-errors.js";

/*
 * Requests to the API of a host. The token goes into one header of requests to the address that the person's settings
 * name, and nowhere else: redirects are not followed, and pages are only read from the same address.
 */

interface HostAnswer {
  readonly value: unknown;
  readonly headers: Headers;
}

export interface HostHttp {
  readonly get: (path: string) => Promise<HostAnswer>;
  /** All pages of a list. */
  readonly list: (path: string) => Promise<readonly unknown[]>;
  readonly write: (method: "POST" | "PATCH" | "PUT", path: string, body: unknown) => Promise<HostAnswer>;
}

/** The pace of all processes of a person that speak to one server. */
export interface HostGate {
  /** The end of a limit that the server named; null when none holds. */
  readonly limitedUntil: () => string | null;
  /** Contract: durable when it returns, for all processes. */
  readonly limit: (until: string) => void;
  /** One write after the other, the last one at least `pauseMs` ago. */
  readonly inWriteTurn: <T>(pauseMs: number, act: () => Promise<T>) => Promise<T>;
}

export interface HttpOptions {
  readonly server: string;
  readonly api: string;
  readonly token: string;
  readonly pauseMs: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The variable that people set a token in. */
  readonly variable: string;
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
  readonly gate: HostGate;
}

const TIMEOUT_MS = 20_000;
const MOST_PAGES = 30;
const MOST_BYTES = 10_000_000;

export function createHttp(options: HttpOptions): HostHttp {
  const { server, wait, pauseMs, gate } = options;
  const base = options.api.replace(/\/+$/, "");
  /** Answers by path: a host that says that nothing changed counts that against no limit. */
  const kept = new Map<string, { readonly tag: string; readonly answer: HostAnswer }>();

  async function send(method: string, path: string, body?: unknown): Promise<Response> {
    const until = gate.limitedUntil();
    if (until !== null) throw new HostUnavailable(`${server} limits this login, so nothing was asked`, until);
    const tag = method === "GET" ? kept.get(path)?.tag : undefined;
    try {
      return await fetch(`${base}${path}`, {
        method,
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: {
          ...options.headers,
          authorization: `Bearer ${options.token}`,
          "user-agent": "coordinator",
          ...(tag === undefined ? {} : { "if-none-match": tag }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch (cause) {
      throw new HostUnavailable(`${server} does not answer: ${describeCause(cause)}`, null, cause);
    }
  }

  async function get(path: string): Promise<HostAnswer> {
    for (let tries = 1; ; tries++) {
      try {
        const response = await send("GET", path);
        const known = kept.get(path);
        if (response.status === 304 && known !== undefined) return known.answer;
        const answer = await readAnswer(response, `GET ${path}`, options);
        const tag = response.headers.get("etag");
        if (tag !== null) kept.set(path, { tag, answer });
        return answer;
      } catch (error) {
        // Reading again changes nothing. A limit says when, and is told.
        if (!(error instanceof HostUnavailable) || error.until !== null || tries >= 3) throw error;
        await wait(200 * tries);
      }
    }
  }

  return {
    get,
    list: async (path) => {
      const found: unknown[] = [];
      let next: string | null = path;
      for (let page = 0; next !== null; page++) {
        if (page === MOST_PAGES)
          throw new HostRefused(`${server} has more than ${MOST_PAGES} pages of ${path}`, 200, "Close what is done.");
        const { value, headers }: HostAnswer = await get(next);
        found.push(...listIn(value, server, path));
        next = nextPage(headers.get("link"), base);
      }
      return found;
    },
    write: (method, path, body) =>
      gate.inWriteTurn(pauseMs, async () => {
        const response = await send(method, path, withoutKeys(body));
        return readAnswer(response, `${method} ${path}`, options);
      }),
  };
}

/** A list as it is, or under the one name that holds it. */
function listIn(value: unknown, server: string, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  const inner = Object.values(value ?? {}).find((one) => Array.isArray(one)) as unknown[] | undefined;
  if (inner === undefined) throw invalidAnswer(server, path, "it is not a list");
  return inner;
}

/** The path of the next page; null when there is none, or when it is at another address. */
function nextPage(link: string | null, base: string): string | null {
  const [, address = ""] = /<([^>]+)>;\s*rel="next"/.exec(link ?? "") ?? [];
  return address.startsWith(`${base}/`) ? address.slice(base.length) : null;
}

async function readAnswer(response: Response, what: string, options: HttpOptions): Promise<HostAnswer> {
  const { server, variable, now, gate } = options;
  const { status, headers } = response;
  const text = await response.text().catch((cause: unknown) => {
    throw new HostUnavailable(`${server} broke off its answer to ${what}`, null, cause);
  });
  if (text.length > MOST_BYTES) throw invalidAnswer(server, what, "it is too long");
  if (status >= 200 && status < 300) return { value: parseJson(text, server, what), headers };
  const said = messageIn(text);
  const limited = limitOf(status, headers, said, now());
  if (limited !== null) {
    gate.limit(limited);
    throw new HostUnavailable(`${server} limits this login: ${said}`, limited);
  }
  if (status >= 500) throw new HostUnavailable(`${server} answered ${what} with ${status}: ${said}`, null);
  throw new HostRefused(`${server} answered ${what} with ${status}: ${said}`, status, fixOf(status, headers, variable));
}

/** Until when a limit holds; null when the answer is about something else. */
function limitOf(status: number, headers: Headers, said: string, now: number): string | null {
  if (status !== 403 && status !== 429) return null;
  const after = Number(headers.get("retry-after") ?? Number.NaN);
  if (Number.isFinite(after)) return new Date(now + Math.min(after, 86_400) * 1000).toISOString();
  // GitLab names them without the beginning.
  const headerOf = (name: string) => headers.get(`x-ratelimit-${name}`) ?? headers.get(`ratelimit-${name}`);
  const reset = Number(headerOf("reset") ?? Number.NaN);
  if (headerOf("remaining") === "0" && Number.isFinite(reset))
    return new Date(Math.min(reset * 1000, now + 86_400_000)).toISOString();
  // A second kind of limit, of GitHub's, is only named in the message.
  const isLimit = status === 429 || /\brate limit\b/i.test(said);
  return isLimit ? new Date(now + 60_000).toISOString() : null;
}

function fixOf(status: number, headers: Headers, variable: string): string {
  if (status === 401) return `The token is not accepted: log in again, or set ${variable}.`;
  const wanted = headers.get("x-accepted-github-permissions") ?? headers.get("x-accepted-oauth-scopes");
  const rights = wanted === null || wanted === "" ? "" : ` It wants: ${oneLine(wanted).slice(0, 200)}.`;
  if (status === 403) return `Give the token the right that is missing.${rights} coordinator doctor names the login.`;
  if (status === 404)
    return `It is not there, or this login may not see it.${rights} coordinator doctor names the login that is used.`;
  return "Mend what the host names, then try again; what was done before is found again.";
}

/** The host's message about an error, in one line that is no longer than a person reads. */
function messageIn(text: string): string {
  let said = text;
  try {
    const {
      message: plain,
      error,
      errors,
    } = JSON.parse(text) as { message?: unknown; error?: unknown; errors?: unknown };
    // GitLab says what is wrong with each field, or in a list.
    const message = typeof plain === "object" && plain !== null ? JSON.stringify(plain) : (plain ?? error);
    const details = Array.isArray(errors)
      ? errors.map((one) => (one as { message?: unknown } | null)?.message ?? JSON.stringify(one))
      : [];
    said = [message, ...details].filter((one) => typeof one === "string").join(": ");
  } catch {
    // It is told as it came.
  }
  return withoutKeys(oneLine(said).slice(0, 300)) || "it gave no reason";
}

function parseJson(text: string, server: string, what: string): unknown {
  if (text === "") return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalidAnswer(server, what, "it is not JSON");
  }
}

export function invalidAnswer(server: string, what: string, why: string): CoordinatorError {
  return new HostRefused(
    `${server} gave an answer to ${what} that is not as its description says: ${why}`,
    200,
    "See whether `code_host.servers` in your settings names the address of its API.",
  );
}

function describeCause(cause: unknown): string {
  const { cause: inner, message } = cause as { cause?: { message?: string; code?: string }; message: string };
  return withoutKeys(oneLine(inner?.code ?? inner?.message ?? message).slice(0, 200));
}
