import { stripVTControlCharacters } from "node:util";

/*
 * The part of a failed command's output that is shown: the first lines that name the error, and the end. Package managers print their error
 * first and then advice, deprecation notices or a stack trace, so that the end alone seldom says what is wrong.
 */

const NAMES_ERROR =
  /\b(?:error|err!|errno|failed|failure|fatal|panic|denied|cannot|can't|could not|couldn't|unable|not found|no such|missing|unsupported|exception|E[A-Z]{3,}|ERR_\w+|ENOTCACHED|refused|unreachable|timed? ?out|no space left)\b/i;
/** Lines that say nothing of the cause, in the middle or at the end. */
const CHATTER =
  /\b(?:deprecated|warn(?:ing)?|notice|no longer supported|may be purchased|0 errors?|complete log of this run|debug-\d+\.log)\b|^[+\s]+$|^Progress: /i;
/** A line of a stack trace. */
const FRAME = /^\s+at\s|^\s*File ".*", line \d+/;

const MOST_ERRORS = 6;
const TAIL_LINES = 4;
const LONGEST_LINE = 300;

/** Contract: pure. At most some dozen lines, in the order they were printed, without colours; "it printed nothing" for nothing. */
export function errorLines(output: string): string {
  const lines = stripVTControlCharacters(output)
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== "");
  if (lines.length === 0) return "it printed nothing";
  const telling = lines.flatMap((line, at) => (isTelling(line) ? [at] : [])).slice(0, MOST_ERRORS);
  const plain = lines.flatMap((line, at) => (CHATTER.test(line) ? [] : [at]));
  const tail = (plain.length > 0 ? plain : lines.map((_, at) => at)).slice(-TAIL_LINES);
  const shown = [...new Set([...telling, ...tail])].sort((a, b) => a - b);
  return shown
    .flatMap((at, i) => {
      const line = shortenLine(lines[at] as string);
      return i > 0 && at - (shown[i - 1] as number) > 1 ? ["…", line] : [line];
    })
    .join("\n");
}

function isTelling(line: string): boolean {
  return NAMES_ERROR.test(line) && !CHATTER.test(line) && !FRAME.test(line);
}

function shortenLine(line: string): string {
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE)}…`;
}
