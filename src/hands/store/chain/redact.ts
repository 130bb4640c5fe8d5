import type { Sha256 } from "../event-store.js";

/**
 * Take the named secrets out of everything an event says, keys included: each is replaced by a salted hash of itself.
 * Who has the salt can show later that a given secret stood there; who has only the log learns nothing.
 *
 * Contract: pure; the value is not changed but copied where something is replaced. A secret is also found in the form
 * it has inside of JSON text. Secrets in other forms (base64, split, reversed) are not found.
 */
export function redact<T>(value: T, secrets: readonly string[], salt: string, sha256: Sha256): T {
  return createRedactor(secrets, salt, sha256)(value);
}

/** This redaction for many values, with its marks made once. */
export function createRedactor(secrets: readonly string[], salt: string, sha256: Sha256): <T>(value: T) => T {
  const marks = new Map<string, string>();
  for (const secret of secrets) {
    if (secret === "") continue;
    const mark = `redacted:${sha256(salt + secret).slice(0, 16)}`;
    marks.set(secret, mark);
    marks.set(JSON.stringify(secret).slice(1, -1), mark);
  }
  if (marks.size === 0) return (value) => value;
  // INVARIANT: the longest first. A secret that begins with another one would otherwise leave its end behind.
  const texts = [...marks.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"), "g");
  const clean = (text: string) => text.replace(pattern, (found) => marks.get(found) ?? found);
  return <T>(value: T) => redactValue(value, clean) as T;
}

function redactValue(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => redactValue(inner, clean));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [clean(key), redactValue(inner, clean)]));
}
