import { createInterface } from "node:readline";
import { EXIT } from "../exit-codes.js";
import { harmless } from "../views/human/screen.js";

interface Globals {
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly input?: boolean;
}

/** Asks a person at a terminal; null when there is none, or when they have said yes or "never ask" beforehand. */
export function confirmation(
  { json, yes, input }: Globals,
  host: NodeJS.Process,
  question: string,
): ((shown: string) => Promise<boolean>) | null {
  const { stdin, stderr, env } = host;
  const watched = stdin.isTTY && stderr.isTTY && (env["CI"] ?? "") === "";
  if (!watched || json === true || yes === true || input === false) return null;
  return async (shown) => {
    stderr.write(`${harmless(shown, { color: false })}\n`);
    for (let asked = `${question} [Y/n] `; ; asked = `Please answer y or n. ${question} [Y/n] `) {
      const said = await answerTo(asked, host);
      if (said === null || /^no?$/i.test(said)) return false;
      if (/^(|y|yes)$/i.test(said)) return true;
    }
  };
}

/** What is typed; null when the input ends. Ctrl-C ends the program: whoever is asked has begun nothing yet. */
function answerTo(question: string, host: NodeJS.Process): Promise<string | null> {
  const { stdin, stderr } = host;
  const lines = createInterface({ input: stdin, output: stderr });
  return new Promise((resolve) => {
    lines.once("SIGINT", () => {
      lines.close();
      stderr.write("\nInterrupted. Nothing was begun.\n");
      host.exit(EXIT.interrupted);
    });
    lines.once("close", () => resolve(null));
    lines.question(question, (said) => {
      resolve(said.trim());
      lines.close();
    });
  });
}
