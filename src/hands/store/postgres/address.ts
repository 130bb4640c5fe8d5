import { CoordinatorError } from "../../../model/errors.js";

/*
 * Where a Postgres store is: `postgres://USER@HOST:PORT/DATABASE?schema=NAME`. The password is never a part of it: an
 * address stands in settings and messages.
 */

export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** The schema that holds the store: each project has its own. */
  readonly schema: string;
  readonly encryption: "none" | "unverified" | "verified";
}

const PROTOCOLS = ["postgres:", "postgresql:"];
const PARAMETERS = ["schema", "sslmode", "host"];
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;
const SSL_MODES: Readonly<Record<string, PostgresAddress["encryption"]>> = {
  disable: "none",
  require: "unverified",
  "verify-full": "verified",
};
const FORM = "postgres://USER@HOST:PORT/DATABASE?schema=NAME";

export function isPostgresAddress(text: string): boolean {
  return PROTOCOLS.some((protocol) => text.toLowerCase().startsWith(protocol));
}

/** Contract: pure; throws STORE_ADDRESS, whose message repeats nothing of a password. */
export function parseAddress(text: string): PostgresAddress {
  if (!isPostgresAddress(text) || !URL.canParse(text))
    throw addressError("The address of the store is not a Postgres address", `Write it as ${FORM}.`);
  const url = new URL(text);
  const decode = (value: string): string => {
    try {
      return decodeURIComponent(value);
    } catch {
      throw addressError(
        "The address of the store is not a Postgres address: it has a % that stands for nothing",
        `Write it as ${FORM}.`,
      );
    }
  };
  if (url.password !== "")
    throw addressError(
      "The address of the store holds a password",
      "Take it out of the address and give it as COORDINATOR_STORE_PASSWORD, or in the file that COORDINATOR_STORE_PASSWORD_FILE names.",
    );
  const unknown = [...url.searchParams.keys()].find((key) => !PARAMETERS.includes(key));
  if (unknown !== undefined)
    throw addressError(
      `The address of the store has an unknown parameter: ${unknown}`,
      `It may have ${PARAMETERS.join(", ")}.`,
    );
  const part = (name: string, value: string): string => {
    if (value === "") throw addressError(`The address of the store names no ${name}`, `Write it as ${FORM}.`);
    return value;
  };
  const socket = url.searchParams.get("host");
  if (socket !== null && !socket.startsWith("/"))
    throw addressError(
      "The parameter host of the store's address is not a folder",
      "Write host=/FOLDER, the folder of the server's socket.",
    );
  const host = part("host", socket ?? url.hostname.replace(/^\[(.*)\]$/, "$1"));
  const schema = url.searchParams.get("schema") ?? "coordinator";
  if (!SCHEMA.test(schema) || schema.startsWith("pg_"))
    throw addressError(
      `The address of the store names the schema ${JSON.stringify(schema)}`,
      "Use small letters, digits and _, at most 63 of them, not beginning with a digit or pg_.",
    );
  return {
    host,
    port: url.port === "" ? 5432 : Number(url.port),
    user: part("user", decode(url.username)),
    database: part("database", decode(url.pathname.slice(1))),
    schema,
    encryption: encryptionOf(url.searchParams.get("sslmode"), host),
  };
}

function encryptionOf(mode: string | null, host: string): PostgresAddress["encryption"] {
  if (mode === null) return isLocal(host) ? "none" : "verified";
  const chosen = SSL_MODES[mode];
  if (chosen === undefined)
    throw addressError(
      `The address of the store has sslmode=${mode}`,
      `Use one of ${Object.keys(SSL_MODES).join(", ")}.`,
    );
  return chosen;
}

function isLocal(host: string): boolean {
  return host.startsWith("/") || host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** The address as messages name it. */
export function nameOfStore({ host, port, user, database, schema }: PostgresAddress): string {
  const place = host.startsWith("/") ? `${host}:${port}` : host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  return `postgres://${user}@${place}/${database} (schema ${schema})`;
}

function addressError(message: string, fix: string): CoordinatorError {
  return new CoordinatorError("STORE_ADDRESS", message, { fix });
}
