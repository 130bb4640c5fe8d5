import { kindGivenTo } from "./find-assigned.js";
import { findSecrets } from "./find-secrets.js";

/** Once more as often as this: what stands beside a secret may look otherwise when the secret is gone. */
const PASSES = 4;

/**
 * The text with each secret in it replaced by its kind, `[GitHub token]`.
 *
 * Contract: pure, total and linear; idempotent; a text without a secret is given back as it is.
 */
export function redactSecrets(text: string): string {
  let now = text;
  for (let pass = 0; pass < PASSES; pass++) {
    const found = findSecrets(now);
    if (found.length === 0) return now;
    const pieces: string[] = [];
    let at = 0;
    for (const { shape, start, end } of found) {
      pieces.push(now.slice(at, start), `[${shape}]`);
      at = end;
    }
    pieces.push(now.slice(at));
    now = pieces.join("");
  }
  return now;
}

/** Redacts a text that an object has under this name. Contract: the text itself has been redacted. */
export function redactNamed(name: string, text: string): string {
  const kind = kindGivenTo(name, text);
  return kind === null ? text : `[${kind}]`;
}
