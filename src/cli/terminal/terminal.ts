import { createInterface } from "node:readline";

export interface AskingGlobals {
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly input?: boolean;
}

/** Whether somebody is there to be asked: at a terminal, and they have not said yes or "never ask" beforehand. */
export function mayAsk({ json, yes, input }: AskingGlobals, { stdin, stderr, env }: NodeJS.Process): boolean {
  const watched = stdin.isTTY && stderr.isTTY && (env["CI"] ?? "") === "";
  return watched && json !== true && yes !== true && input !== false;
}

export type Line =
  | { readonly kind: "said"; readonly text: string }
  /** The input ended, as by Ctrl-D. */
  | { readonly kind: "ended" }
  /** Ctrl-C. */
  | { readonly kind: "interrupted" };

/** Lines that come closer together than this were pasted, and belong together. */
const PASTED_MS = 30;

/** Reads a line that is typed or pasted at a terminal. Contract: nothing of the input is read before or after. */
export function lineAt(prompt: string, { stdin, stderr }: NodeJS.Process): Promise<Line> {
  const lines = createInterface({ input: stdin, output: stderr });
  return new Promise((resolve) => {
    const said: string[] = [];
    const finish = (line: Line) => {
      resolve(line);
      lines.close();
    };
    lines.once("SIGINT", () => finish({ kind: "interrupted" }));
    lines.once("close", () => finish(said.length > 0 ? whole(said) : { kind: "ended" }));
    lines.on("line", (line) => {
      said.push(line);
      if (said.length === 1) setTimeout(() => finish(whole(said)), PASTED_MS);
    });
    lines.setPrompt(prompt);
    lines.prompt();
  });
}

function whole(lines: readonly string[]): Line {
  return { kind: "said", text: lines.join("\n").trim() };
}
