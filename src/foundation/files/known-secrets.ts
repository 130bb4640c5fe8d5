import { redactNamed, redactSecrets } from "../secrets/redact.js";

/*
 * Secrets that this process must never write down: the keys it was given, in any text. An agent never has them, but a
 * person pastes one into a request, and a program prints what it should not. Everything that writes asks here, so that
 * no writer has to know which keys there are.
 *
 * INVARIANT: anyone who names what is written by a checksum takes the secrets out first; the checksum is of what is written.
 */

const NAMES_A_SECRET =
  /(?:^|_)(?:(?:API|ACCESS|PRIVATE|SECRET|AUTH)?_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PAT)(?:_|$)/i;
/** Shorter ones would be found in words. */
const SHORTEST = 8;

/** The secrets among the variables, by their names. A variable that only says where one is kept is not one. */
export function secretsIn(environment: NodeJS.ProcessEnv): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value = ""] of Object.entries(environment))
    if (NAMES_A_SECRET.test(name) && value.length >= SHORTEST && !/^(?:[/~.]|\w+:\/\/[^@]*$)/.test(value))
      found.set(value, name);
  return found;
}

/** By value. The start environment is searched once: that is expensive, and needed at every event. */
let registered: ReadonlyMap<string, string> | null = null;

/** Every secret of this process, and what it is called. Contract: the same object for as long as none is added. */
export function knownSecrets(): ReadonlyMap<string, string> {
  return (registered ??= secretsIn(process.env));
}

/**
 * Secrets that only settings, or anyone who started this process, know to be some.
 *
 * Contract: for as long as this process lives; more than once is once.
 */
export function registerSecrets(secrets: Iterable<readonly [name: string, value: string | undefined]>): void {
  const known = knownSecrets();
  const more = [...secrets].flatMap(([name, value = ""]) =>
    value.length >= SHORTEST && known.get(value) !== name ? [[value, name] as const] : [],
  );
  if (more.length > 0) registered = new Map([...known, ...more]);
}

/**
 * Replaces every key of this process by `[secret NAME]`, keys of objects included.
 *
 * Contract: pure but for the environment; idempotent; what holds none is given back. A secret is also found as it stands
 * inside of JSON text, and in text that has one character for each byte. Other forms (base64, split) are not found.
 */
export function withoutKeys<T>(value: T): T {
  const clean = cleaner();
  return clean === null ? value : (cleanValue(value, clean) as T);
}

/** Replaces keys and texts that are shaped like a secret: for output of agents, checks and people. */
export function withoutSecrets<T>(value: T): T {
  const clean = cleaner();
  const known = clean ?? ((text: string) => text);
  return cleanValue(value, (text, name) => redactNamed(name, redactSecrets(known(text)))) as T;
}

let last: { readonly of: ReadonlyMap<string, string>; readonly clean: ((text: string) => string) | null } | null = null;

function cleaner(): ((text: string) => string) | null {
  const of = knownSecrets();
  if (last?.of !== of) last = { of, clean: of.size === 0 ? null : createReplacer([...of]) };
  return last.clean;
}

function createReplacer(secrets: readonly (readonly [value: string, name: string])[]): (text: string) => string {
  const marks = new Map<string, string>();
  for (const [value, name] of secrets)
    for (const form of [value, JSON.stringify(value).slice(1, -1)])
      for (const text of [form, Buffer.from(form, "utf8").toString("latin1")]) marks.set(text, `[secret ${name}]`);
  // INVARIANT: the longest first. A secret that begins with another one would otherwise leave its end behind.
  const texts = [...marks.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"), "g");
  return (text) => text.replace(pattern, (found) => marks.get(found) ?? found);
}

/** `name` is what the object calls the text, if one does: `{ "password": "…" }`. */
type Clean = (text: string, name: string) => string;

function cleanValue(value: unknown, clean: Clean, name = ""): unknown {
  if (typeof value === "string") return clean(value, name);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => cleanValue(inner, clean));
  if ("toJSON" in value && typeof value.toJSON === "function") return cleanValue(value.toJSON(), clean);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [clean(key, ""), cleanValue(inner, clean, key)]),
  );
}
