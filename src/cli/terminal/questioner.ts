import type { AskHere, HereAsked } from "../../app/request/ask-here.js";
import { oneLine } from "../../foundation/text/one-line.js";
import { removeUnseen, wrap } from "../views/human/screen.js";
import { type AskingGlobals, lineAt, mayAsk } from "./terminal.js";

/** Puts questions to a person at a terminal, one after another; null when nobody can be asked. */
export function questioner(globals: AskingGlobals, host: NodeJS.Process): AskHere | null {
  if (!mayAsk(globals, host)) return null;
  return async (asked) => {
    const width = Math.max(20, Math.min(host.stderr.columns || 80, 100));
    host.stderr.write(`${removeUnseen(renderQuestion(asked, width), { color: false })}\n`);
    for (;;) {
      const line = await lineAt("> ", host);
      // The cursor stands behind the prompt.
      if (line.kind !== "said") host.stderr.write("\n");
      if (line.kind !== "said") return line;
      if (line.text === "") return { kind: "left" };
      const answer = chooseOption(line.text, asked.options);
      if (answer !== null) return { kind: "said", text: answer };
      host.stderr.write(`There are ${asked.options.length} to choose from. A number of them, or words of your own.\n`);
    }
  };
}

function renderQuestion({ id, question, options, place, before }: HereAsked, width: number): string {
  const choices = options.map((option, i) => wrap(`${i + 1}) ${oneLine(option).slice(0, 500)}`, "  ", width));
  return [
    ...before.map((line) => wrap(line, "", width)),
    "",
    wrap(`${place}  ${oneLine(id)}: ${question.slice(0, 4000)}`, "", width),
    ...choices,
    ...(options.length === 0 ? [] : [wrap("A number, or words of your own.", "", width)]),
  ].join("\n");
}

/** Null for a number that is none of theirs: nobody means it as an answer. */
function chooseOption(text: string, options: readonly string[]): string | null {
  if (options.length === 0 || !/^\d{1,3}$/.test(text) || options.includes(text)) return text;
  return options[Number(text) - 1] ?? null;
}
