import type { Diagnostic } from "../../../model/diagnostic.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { type Paint } from "./screen.js";

/** Each problem on a line that editors can open, and under it how to mend it. */
export function problemLines(problems: readonly Diagnostic[], paint: Paint): string[] {
  return problems.flatMap(({ code, message, path, file, line, column, fix }) => {
    const place = [file, line, column].filter((part) => part !== undefined).join(":");
    const text = oneLine([path, message].filter((part) => part !== "").join(": "));
    return [
      `  ${place === "" ? "" : `${paint.bold(oneLine(place))}  `}${text}  ${paint.dim(`[${code}]`)}`,
      ...(fix === undefined ? [] : [`      Fix: ${oneLine(fix)}`]),
    ];
  });
}
