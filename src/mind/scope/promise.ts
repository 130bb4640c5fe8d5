/*
 * The completion promise: a fixed text that an agent says when its task is done, and only then. It is asked for in one
 * sentence that stands in every prompt of a task, and it counts only as the last line of the last message.
 */

/** Asked for where neither the task nor its builder names one. */
export const STANDARD_PROMISE = "TASK_COMPLETE";

const ASK = "When the task is done, and only then, end your last message with this line and nothing else on it:";

export function askForPromise(promise: string): string {
  return `${ASK}\n${promise}`;
}

/** The promise that a prompt asks for; null when it asks for none. */
export function promiseAskedIn(prompt: string): string | null {
  const at = prompt.lastIndexOf(`${ASK}\n`);
  if (at === -1) return null;
  const [line = ""] = prompt.slice(at + ASK.length + 1).split("\n");
  return line === "" ? null : line;
}

/** Contract: pure. True only where the last line says the promise and nothing else; marks of emphasis do not count. */
export function givesPromise(output: string, promise: string): boolean {
  return bare(lastLine(output)) === bare(promise);
}

/** The message without its promise, for people who read what was said. */
export function withoutPromise(output: string, promise: string): string {
  if (!givesPromise(output, promise)) return output;
  const lines = output.trimEnd().split("\n");
  const at = lines.findLastIndex((line) => !isFence(line));
  return lines.slice(0, at).join("\n").trimEnd();
}

function lastLine(output: string): string {
  return (
    output
      .trimEnd()
      .split("\n")
      .findLast((line) => !isFence(line)) ?? ""
  );
}

/** An empty line, or one that opens or closes a block of code. */
const isFence = (line: string) => /^\s*(?:```\w*)?\s*$/.test(line);

/** Without what agents put around a line to set it off: emphasis, quotes, a `promise` element, a full stop. */
function bare(line: string): string {
  return line
    .trim()
    .replace(/^[*_`"'\s]*(?:<promise>)?|(?:<\/promise>)?[*_`"'.!\s]*$/g, "")
    .trim();
}
