import { createInterface } from "node:readline/promises";
import { harmless } from "../views/human/screen.js";

interface Globals {
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly input?: boolean;
}

/** Asks a person at a terminal; null when there is none, or when they have said yes or "never ask" beforehand. */
export function confirmation(
  { json, yes, input }: Globals,
  { stdin, stderr, env }: NodeJS.Process,
  question: string,
): ((shown: string) => Promise<boolean>) | null {
  const watched = stdin.isTTY && stderr.isTTY && (env["CI"] ?? "") === "";
  if (!watched || json === true || yes === true || input === false) return null;
  return async (shown) => {
    const lines = createInterface({ input: stdin, output: stderr });
    try {
      stderr.write(`${harmless(shown, { color: false })}\n`);
      return /^(|y|yes)$/i.test((await lines.question(`${question} [Y/n] `)).trim());
    } finally {
      lines.close();
    }
  };
}
