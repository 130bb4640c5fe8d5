import type { CommandContext } from "../command-context.js";
import { EXIT } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import { addToken, OWNER, readTokens, revokeToken, type Role, showToken } from "./access-tokens.js";
import { askServer } from "./ask-server.js";
import { runningServers } from "./server-file.js";
import { CoordinatorError } from "../../model/errors.js";
import { DateTime } from "../../model/primitives.js";
import { z } from "zod";

/* Tokens of people and programs, made and taken back by the person whose machine it is. */

/**
 * Lists the tokens of the server, without their secrets.
 *
 * Contract: changes nothing.
 */
export async function listTokens({ project: { environment }, parts }: CommandContext): Promise<Finished> {
  const now = parts.now();
  return finish(EXIT.done, {
    type: "tokens",
    tokens: readTokens(environment).map((token) => showToken(token, now)),
  });
}

export interface TokenArguments {
  readonly name: string;
  readonly role: Role;
  /** After how many days it ends, or when, RFC 3339 or a day of UTC; null for one that does not. */
  readonly expires: { readonly days: number } | { readonly at: string } | null;
}

/**
 * Makes a token for a person or a program.
 *
 * Contract: its secret is in this outcome and nowhere else; only its hash is kept. Throws USAGE for a name that is kept
 * or taken.
 */
export async function makeToken(
  args: TokenArguments,
  { project: { environment }, parts }: CommandContext,
): Promise<Finished> {
  if (args.name === OWNER)
    throw new CoordinatorError("USAGE", `The name ${OWNER} is kept for the person who starts the server`, {
      fix: "Choose the name of the person who will use the token: it is written into the log of their decisions.",
    });
  const now = parts.now();
  const expires = endOf(args.expires, now);
  const { token, secret } = addToken({ name: args.name, role: args.role, now, expires }, environment);
  return finish(EXIT.done, { type: "token_added", token: showToken(token, now), secret });
}

/** Contract: throws USAGE for what is not a time, and for one that is over. */
function endOf(expires: TokenArguments["expires"], now: string): string | null {
  if (expires === null) return null;
  if ("days" in expires) return new Date(Date.parse(now) + expires.days * 86_400_000).toISOString();
  const { at } = expires;
  const time = DateTime.safeParse(/^\d{4}-\d{2}-\d{2}$/.test(at) ? `${at}T23:59:59Z` : at);
  if (!time.success)
    throw new CoordinatorError("USAGE", `${at} is not a time`, {
      fix: "Write a day, 2027-01-31, or a time with its zone, 2027-01-31T18:00:00Z.",
    });
  if (Date.parse(time.data) <= Date.parse(now))
    throw new CoordinatorError("USAGE", `${at} is over: such a token would never count`, {
      fix: "Name a time that is still to come, or leave --expires out.",
    });
  return new Date(Date.parse(time.data)).toISOString();
}

/**
 * Revokes a token.
 *
 * Contract: the server refuses it from then on. Throws NOT_FOUND for one that is not there.
 */
export async function dropToken(
  wanted: string,
  { project: { environment }, parts }: CommandContext,
): Promise<Finished> {
  return finish(EXIT.done, {
    type: "token_revoked",
    token: showToken(revokeToken(wanted, environment), parts.now()),
  });
}

const Link = z.object({ url: z.string(), minutes: z.number() });

/** A link that logs a browser in to the server that runs. Contract: throws NOT_FOUND where none does. */
export async function makeLoginLink(
  name: string | undefined,
  { project: { environment } }: CommandContext,
): Promise<Finished> {
  const [server] = runningServers(environment);
  if (server === undefined)
    throw new CoordinatorError("NOT_FOUND", "No server of yours is running", { fix: "Start it: coordinator serve" });
  const link = Link.parse(await askServer(server, "POST", "/login-links", name === undefined ? {} : { token: name }));
  return finish(EXIT.done, { type: "login", ...link });
}
