import { join } from "node:path";
import { z } from "zod";
import { DateTime } from "../../model/primitives.js";
import {
  type AccessToken,
  hashOf,
  isExpired,
  isSameHash,
  newSecret,
  OWNER,
  readTokens,
  type Role,
  serverFolder,
  readTokensChangedAt,
} from "./access-tokens.js";
import { readOwnJson, writeOwnJson } from "./own-json.js";

/*
 * Who somebody is to a server: the holder of a token, a browser that was logged in with one, or a program of the same
 * person on the same machine. Sessions are kept as hashes, so that a browser stays logged in when the server is started
 * again; each belongs to a token and ends with it.
 */

/** Who acts, and how they came in. */
export interface Principal {
  readonly token_id: string;
  /** Null for the person who started the server: they are who git says they are in each project. */
  readonly name: string | null;
  readonly role: Role;
  readonly via: "dashboard" | "api" | "command";
}

const Session = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  token_id: z.string(),
  expires_at: DateTime,
});
type Session = z.infer<typeof Session>;
const SessionFile = z.strictObject({ schema_version: z.literal("1.0.0"), sessions: z.array(Session) });

const SESSION_DAYS = 7;
const LINK_MINUTES = 10;
const MOST_SESSIONS = 500;

export interface Access {
  /** The token this is; null when it is none that counts now. */
  readonly byToken: (secret: string) => Principal | null;
  readonly bySession: (secret: string) => Principal | null;
  /** A code that logs one browser in, once, within ten minutes. */
  readonly makeLink: (tokenId: string) => string;
  /** Log a browser in with a code or a token. Contract: the session is durable when it returns. */
  readonly logIn: (
    secret: string,
  ) => { readonly session: string; readonly principal: Principal; readonly maxAge: number } | null;
  readonly logOut: (session: string) => void;
  /** The secret of programs of the same person, made for this process. */
  readonly localSecret: string;
}

/** Contract: `ensureOwner` was called before. */
export function openAccess(environment: NodeJS.ProcessEnv, now: () => string): Access {
  const file = join(serverFolder(environment), "sessions.json");
  const localSecret = newSecret("cop");
  const localHash = hashOf(localSecret);
  const links = new Map<string, { readonly token_id: string; readonly until: number }>();
  let sessions = readOwnJson(file, SessionFile)?.sessions ?? [];
  let seen = -1;
  let tokens: readonly AccessToken[] = [];

  function current(): readonly AccessToken[] {
    const changed = readTokensChangedAt(environment);
    if (changed !== seen) {
      tokens = readTokens(environment);
      seen = changed;
    }
    return tokens;
  }

  function principalOf(token: AccessToken | undefined, via: Principal["via"]): Principal | null {
    if (token === undefined || isExpired(token, now())) return null;
    const { token_id, name, role } = token;
    return { token_id, name: token_id === OWNER ? null : name, role, via };
  }

  /** INVARIANT: every candidate is compared, so the time does not tell which one was near. */
  function matching<T extends { readonly hash: string }>(all: readonly T[], secret: string): T | undefined {
    const hash = hashOf(secret);
    let found: T | undefined;
    for (const one of all) if (isSameHash(one.hash, hash)) found = one;
    return found;
  }

  function byToken(secret: string): Principal | null {
    if (isSameHash(hashOf(secret), localHash)) return { token_id: OWNER, name: null, role: "admin", via: "command" };
    return principalOf(matching(current(), secret), "api");
  }

  function save(next: readonly Session[]): void {
    sessions = [...next];
    writeOwnJson(file, { schema_version: "1.0.0", sessions });
  }

  const living = () => sessions.filter((session) => !isExpired(session, now()));

  return {
    localSecret,
    byToken,
    bySession(secret) {
      const session = matching(sessions, secret);
      if (session === undefined || isExpired(session, now())) return null;
      return principalOf(
        current().find(({ token_id }) => token_id === session.token_id),
        "dashboard",
      );
    },
    makeLink(token_id) {
      const code = newSecret("col");
      for (const [hash, { until }] of links) if (until < Date.parse(now())) links.delete(hash);
      links.set(hashOf(code), { token_id, until: Date.parse(now()) + LINK_MINUTES * 60_000 });
      return code;
    },
    logIn(secret) {
      const hash = hashOf(secret);
      const link = links.get(hash);
      // Whatever comes of it, a code counts once.
      links.delete(hash);
      const byLink =
        link !== undefined && link.until >= Date.parse(now())
          ? principalOf(
              current().find(({ token_id }) => token_id === link.token_id),
              "dashboard",
            )
          : null;
      const typed = byLink === null ? byToken(secret) : null;
      const principal = byLink ?? (typed === null ? null : { ...typed, via: "dashboard" as const });
      if (principal === null) return null;
      const session = newSecret("cos");
      const maxAge = SESSION_DAYS * 86_400;
      const expires_at = new Date(Date.parse(now()) + maxAge * 1000).toISOString();
      save([...living(), { hash: hashOf(session), token_id: principal.token_id, expires_at }].slice(-MOST_SESSIONS));
      return { session, principal, maxAge };
    },
    logOut(secret) {
      const found = matching(sessions, secret);
      if (found !== undefined) save(living().filter((session) => session !== found));
    },
  };
}
