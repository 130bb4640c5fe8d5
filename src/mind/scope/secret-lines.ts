import { findSecrets } from "../../foundation/secrets/find-secrets.js";
import { redactSecrets } from "../../foundation/secrets/redact.js";
import type { DiffLine } from "./unified-diff.js";

export interface SecretLine {
  readonly line: number;
  /** The line without the secret. */
  readonly excerpt: string;
}

/**
 * The added lines on which a secret begins. Lines that follow each other are read as one text, so that a private key is
 * one secret with all of its lines.
 *
 * Contract: pure and total, linear in the lines; each line once; no excerpt holds anything of a secret.
 */
export function findSecretLines(added: readonly DiffLine[]): SecretLine[] {
  const found: SecretLine[] = [];
  for (let from = 0; from < added.length;) {
    let to = from + 1;
    while (to < added.length && added[to]?.line === (added[to - 1] as DiffLine).line + 1) to++;
    found.push(...inBlock(added.slice(from, to)));
    from = to;
  }
  return found;
}

function inBlock(lines: readonly DiffLine[]): SecretLine[] {
  const text = lines.map((line) => line.text).join("\n");
  const found: SecretLine[] = [];
  let at = 0;
  let begins = 0;
  for (const { shape, start } of findSecrets(text)) {
    while (begins + (lines[at] as DiffLine).text.length < start) begins += (lines[at++] as DiffLine).text.length + 1;
    const { line, text: said } = lines[at] as DiffLine;
    if (found.at(-1)?.line === line) continue;
    const redacted = redactSecrets(said);
    // Of a line that is a secret only together with its neighbours, nothing is shown.
    found.push({ line, excerpt: redacted === said ? `[${shape}]` : redacted });
  }
  return found;
}
