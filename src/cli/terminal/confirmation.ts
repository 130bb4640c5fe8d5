import { EXIT } from "../../app/exit-codes.js";
import { removeUnseen } from "../views/human/screen.js";
import { type AskingGlobals, lineAt, mayAsk } from "./terminal.js";

/** Asks a person at a terminal; null when nobody can be asked. */
export function confirmation(
  globals: AskingGlobals,
  host: NodeJS.Process,
  question: string,
  /** The answer of Enter alone. */
  byDefault = true,
): ((shown: string) => Promise<boolean>) | null {
  if (!mayAsk(globals, host)) return null;
  return async (shown) => {
    host.stderr.write(`${removeUnseen(shown, { color: false })}\n`);
    const choices = byDefault ? "[Y/n]" : "[y/N]";
    for (let asked = `${question} ${choices} `; ; asked = `Please answer y or n. ${question} ${choices} `) {
      const said = await answerTo(asked, host);
      if (said === null || /^no?$/i.test(said)) return false;
      if (/^y(?:es)?$/i.test(said)) return true;
      if (said === "") return byDefault;
    }
  };
}

/** Reads a typed answer; null when the input ends. Ctrl-C ends the program: nothing has begun yet when it asks. */
async function answerTo(question: string, host: NodeJS.Process): Promise<string | null> {
  const line = await lineAt(question, host);
  if (line.kind === "said") return line.text;
  if (line.kind === "interrupted") {
    host.stderr.write("\nInterrupted. Nothing was begun.\n");
    host.exit(EXIT.interrupted);
  }
  return null;
}
