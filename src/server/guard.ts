import type { IncomingMessage } from "node:http";
import type { Access, Principal } from "../app/serve/sessions.js";
import { hashOf, ROLES, type Role } from "../app/serve/access-tokens.js";
import { HttpProblem, makeProblem } from "./problem.js";

/*
 * The checks that every request passes, in this order: the name it was sent to, the page it came from, who sends it, what they may
 * do, and the form of its body. A page of another site reaches a server on loopback through the browser of its owner, by
 * a name that leads to 127.0.0.1 or by a form; the first three stop it before anything of the request is read.
 */

export interface GuardOptions {
  /** The authorities a request may name in `Host`, lower case. */
  readonly authorities: ReadonlySet<string>;
  /** The origins a page may have that sends a request. */
  readonly origins: ReadonlySet<string>;
  readonly cookie: string;
  readonly access: Access;
  /** The one address that requests may come from, when the server stands behind a proxy. */
  readonly proxy: string | null;
}

/** Contract: throws HttpProblem with 421 or 403. */
export function checkSource(request: IncomingMessage, { authorities, origins, proxy }: GuardOptions): void {
  const { host, origin } = request.headers;
  if (proxy !== null && plainAddress(request.socket.remoteAddress) !== proxy)
    throw refuse(
      403,
      "ADDRESS_REFUSED",
      "Requests are taken from the trusted proxy only",
      "Send it through the proxy.",
    );
  if (host === undefined || !authorities.has(host.toLowerCase()))
    throw refuse(
      421,
      "HOST_REFUSED",
      "This server is not reached by that name",
      `Use ${[...authorities].join(" or ")}.`,
    );
  if (origin !== undefined && !origins.has(origin.toLowerCase()))
    throw refuse(403, "ORIGIN_REFUSED", "Pages of other origins may not use this server", "Use its own dashboard.");
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none")
    throw refuse(403, "ORIGIN_REFUSED", "Pages of other sites may not use this server", "Type its address yourself.");
}

export function plainAddress(address: string | undefined): string {
  return (address ?? "").replace(/^::ffff:/, "");
}

interface Shown {
  readonly secret: string;
  readonly isToken: boolean;
}

/** The token or the session that a request shows; a token counts before a session. */
function readShown(request: IncomingMessage, cookie: string): Shown | null {
  const bearer = /^Bearer ([\w.~+/=-]{1,200})$/i.exec(request.headers.authorization ?? "")?.[1];
  if (bearer !== undefined) return { secret: bearer, isToken: true };
  const session = cookieOf(request, cookie);
  return session === null ? null : { secret: session, isToken: false };
}

const holderOf = ({ secret, isToken }: Shown, { access }: GuardOptions): Principal | null =>
  isToken ? access.byToken(secret) : access.bySession(secret);

/** Who sends a request. Contract: throws HttpProblem with 401 or 429. */
export function authenticate(request: IncomingMessage, options: GuardOptions, throttle: Throttle): Principal {
  const shown = readShown(request, options.cookie);
  if (shown === null)
    throw refuse(401, "NOT_LOGGED_IN", "There is no token and no session", LOGIN, { "www-authenticate": "Bearer" });
  const { secret } = shown;
  const address = plainAddress(request.socket.remoteAddress);
  throttle.admit(address, secret);
  const principal = holderOf(shown, options);
  if (principal === null) {
    throttle.recordFailure(address);
    throw refuse(401, "NOT_LOGGED_IN", "The token or session is unknown, expired or revoked", LOGIN, {
      "www-authenticate": 'Bearer error="invalid_token"',
    });
  }
  throttle.recordSuccess(secret);
  return principal;
}

/**
 * Whether the sender of a request that is still being answered may have the answer now: their token may have been revoked
 * since, or their session ended.
 */
export function mayStill(request: IncomingMessage, needed: Role, options: GuardOptions): boolean {
  const shown = readShown(request, options.cookie);
  const principal = shown === null ? null : holderOf(shown, options);
  return principal !== null && hasRole(principal, needed);
}

const hasRole = ({ role }: Pick<Principal, "role">, needed: Role) => ROLES.indexOf(role) >= ROLES.indexOf(needed);

const LOGIN = "coordinator token login makes a link for a browser, coordinator token add a token for a program.";

/** Contract: throws HttpProblem with 403. */
export function requireRole(principal: Principal, needed: Role): void {
  if (hasRole(principal, needed)) return;
  throw refuse(
    403,
    "ROLE_REFUSED",
    `The role ${principal.role} may not do this: it takes the role ${needed}`,
    "Ask an admin for a token.",
  );
}

/** Contract: throws HttpProblem with 415. */
export function requireJson(request: IncomingMessage): void {
  if (/^application\/json\s*(?:;|$)/i.test(request.headers["content-type"] ?? "")) return;
  throw refuse(415, "MEDIA_TYPE_REFUSED", "The body must be application/json", "Send Content-Type: application/json.");
}

export function cookieOf({ headers }: IncomingMessage, name: string): string | null {
  for (const part of (headers.cookie ?? "").split(";")) {
    const at = part.indexOf("=");
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return null;
}

/** Makes guessing slow: each address waits twice as long after each failure. */
export interface Throttle {
  /** Contract: throws HttpProblem with 429 while an address has to wait. A secret that was right before does not wait. */
  readonly admit: (address: string, secret: string) => void;
  readonly recordFailure: (address: string) => void;
  readonly recordSuccess: (secret: string) => void;
}

const FREE_FAILURES = 5;
/** After so long without a failure, an address begins anew. */
const FORGOTTEN_MS = 15 * 60_000;
const LONGEST_MS = 60_000;
const MOST_ADDRESSES = 10_000;
const MOST_KNOWN = 10_000;

export function createThrottle(elapsedMs: () => number): Throttle {
  const addresses = new Map<string, { failures: number; until: number }>();
  const known = new Set<string>();
  return {
    admit(address, secret) {
      const found = addresses.get(address);
      const left = (found?.until ?? 0) - elapsedMs();
      if (left <= 0 || known.has(hashOf(secret))) return;
      throw refuse(429, "TOO_MANY_FAILURES", "Too many tokens were wrong", "Wait, then use a token that is right.", {
        "retry-after": String(Math.ceil(left / 1000)),
      });
    },
    recordFailure(address) {
      const before = addresses.get(address);
      const counts = before !== undefined && elapsedMs() - before.until < FORGOTTEN_MS;
      const failures = (counts ? before.failures : 0) + 1;
      const waits = failures <= FREE_FAILURES ? 0 : Math.min(LONGEST_MS, 500 * 2 ** (failures - FREE_FAILURES));
      if (addresses.size >= MOST_ADDRESSES) addresses.clear();
      addresses.set(address, { failures, until: elapsedMs() + waits });
    },
    recordSuccess(secret) {
      if (known.size >= MOST_KNOWN) known.clear();
      known.add(hashOf(secret));
    },
  };
}

function refuse(
  status: number,
  code: string,
  detail: string,
  fix: string,
  headers: Readonly<Record<string, string>> = {},
): HttpProblem {
  return new HttpProblem(makeProblem(status, code, detail, { fix }), headers);
}
