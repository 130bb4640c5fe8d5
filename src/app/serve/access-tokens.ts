import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { stateDirectory } from "../../hands/workspace/state-places.js";
import { CoordinatorError } from "../../model/errors.js";
import { DateTime, text } from "../../model/primitives.js";
import { readOwnJson, writeOwnJson } from "./own-json.js";

/*
 * Who may use a server: tokens with a name and a role. Only their hashes are kept, in the person's state folder, so a token
 * is shown once, when it is made. A server reads the file again when it was changed: a revoked token ends at once.
 */

/** Each role may do what the ones before it may. `metrics` sees numbers and nothing else. */
export const ROLES = ["metrics", "reader", "approver", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** The token of the person who starts the server. Browsers are logged in with it by one-time links; nobody is ever shown it. */
export const OWNER = "owner";

const AccessToken = z.strictObject({
  token_id: z.string().regex(/^[a-z0-9_]{3,40}$/),
  /** Who decides with it: it is written into the log of every decision. */
  name: text(1, 100),
  role: z.enum(ROLES),
  /** SHA-256 of the token, in hexadecimal. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  created_at: DateTime,
  expires_at: DateTime.nullable(),
});
export type AccessToken = z.infer<typeof AccessToken>;
const TokenFile = z.strictObject({ schema_version: z.literal("1.0.0"), tokens: z.array(AccessToken) });

/** A token as it may be shown. */
export type ShownToken = Omit<AccessToken, "hash"> & { readonly expired: boolean };

/** The folder of what servers of this person keep. Contract: throws FILE_WRITE_FAILED where there is no home for it. */
export function serverFolder(environment: NodeJS.ProcessEnv): string {
  const state = stateDirectory(environment);
  if (state === null)
    throw new CoordinatorError("FILE_WRITE_FAILED", "There is no home directory to keep tokens in", {
      fix: "Set HOME or XDG_STATE_HOME.",
    });
  return join(state, "server");
}

const fileIn = (environment: NodeJS.ProcessEnv) => join(serverFolder(environment), "tokens.json");

export function readTokens(environment: NodeJS.ProcessEnv): readonly AccessToken[] {
  return readOwnJson(fileIn(environment), TokenFile)?.tokens ?? [];
}

function writeTokens(tokens: readonly AccessToken[], environment: NodeJS.ProcessEnv): void {
  writeOwnJson(fileIn(environment), { schema_version: "1.0.0", tokens });
}

/** A number that changes whenever the file of tokens does; 0 when there is none. */
export function readTokensChangedAt(environment: NodeJS.ProcessEnv): number {
  const found = statSync(fileIn(environment), { throwIfNoEntry: false });
  return found === undefined ? 0 : found.mtimeMs + found.ino;
}

/** 256 bits, with a beginning by which secret scanners and people know what it is. */
export function newSecret(prefix: "cot" | "cos" | "col" | "cop"): string {
  return `${prefix}_${randomBytes(32).toString("base64url")}`;
}

export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Contract: takes the same time wherever two hashes differ. */
export function isSameHash(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a, "hex"), Buffer.from(b, "hex")];
  return one.length === other.length && timingSafeEqual(one, other);
}

export interface NewToken {
  readonly name: string;
  readonly role: Role;
  readonly now: string;
  /** When it ends, RFC 3339; null for one that never ends by itself. */
  readonly expires: string | null;
}

/** Make a token. Contract: durable when it returns; the secret is kept nowhere. Throws USAGE for a name that is taken. */
export function addToken(
  { name, role, now, expires }: NewToken,
  environment: NodeJS.ProcessEnv,
): { readonly token: AccessToken; readonly secret: string } {
  const tokens = readTokens(environment);
  if (tokens.some((token) => token.name === name))
    throw new CoordinatorError("USAGE", `There is a token for ${name} already`, {
      fix: `Choose another name, or revoke it first: coordinator token revoke ${name}`,
    });
  const secret = newSecret("cot");
  const token: AccessToken = {
    token_id: `tok_${randomBytes(5).toString("hex")}`,
    name,
    role,
    hash: hashOf(secret),
    created_at: now,
    expires_at: expires,
  };
  writeTokens([...tokens, token], environment);
  return { token, secret };
}

/** The token of the person themselves, made when there is none. */
export function ensureOwner(now: string, environment: NodeJS.ProcessEnv): { readonly made: boolean } {
  const tokens = readTokens(environment);
  if (tokens.some(({ token_id }) => token_id === OWNER)) return { made: false };
  // Nobody has the secret behind this hash: the owner comes in by links, and programs have tokens of their own.
  const hash = hashOf(newSecret("cot"));
  const owner: AccessToken = { token_id: OWNER, name: OWNER, role: "admin", hash, created_at: now, expires_at: null };
  writeTokens([owner, ...tokens], environment);
  return { made: true };
}

/** Contract: throws NOT_FOUND for a name and id that no token has. */
export function revokeToken(wanted: string, environment: NodeJS.ProcessEnv): AccessToken {
  const tokens = readTokens(environment);
  const found = tokens.find(({ token_id, name }) => token_id === wanted || name === wanted);
  if (found === undefined)
    throw new CoordinatorError("NOT_FOUND", `There is no token ${wanted}`, { fix: "coordinator token list" });
  writeTokens(
    tokens.filter((token) => token !== found),
    environment,
  );
  return found;
}

export function isExpired({ expires_at }: Pick<AccessToken, "expires_at">, now: string): boolean {
  return expires_at !== null && Date.parse(expires_at) <= Date.parse(now);
}

export function showToken({ hash: _, ...token }: AccessToken, now: string): ShownToken {
  return { ...token, expired: isExpired(token, now) };
}
