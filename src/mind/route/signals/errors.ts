import { type Detector, Finds } from "./evidence.js";
import { humps, isDigit, isIdentifier, isUpper } from "./identifiers.js";

const PREFIXES = [
  "error:",
  "error[",
  "fatal:",
  "fatal error",
  "panic:",
  "uncaught ",
  "exception in ",
  "traceback",
  "[error]",
  "err:",
  "e: ",
];

/** Names and codes of errors, and lines of pasted output that report one. The word "error" alone says nothing. */
export const errors: Detector = (doc) => {
  const finds = new Finds();
  let before = "";
  let beforeThat = "";
  let status: (typeof doc.tokens)[number] | null = null;
  for (const token of doc.tokens) {
    const name = token.plain && !POSIX.has(token.text) ? null : nameOf(token.text);
    if (name !== null) finds.add(token.start, token.end, name);
    else if (!token.plain && isCode(token.text) && isNumberOfError(before.toLowerCase(), beforeThat.toLowerCase()))
      finds.add(token.start, token.end, token.text);
    else if (status !== null && AFTER_STATUS.has(token.text.toLowerCase()))
      finds.add(status.start, status.end, status.text);
    const answered = !token.plain && name === null && isHttpStatus(token.text);
    if (answered && isAnswer(before.toLowerCase(), beforeThat.toLowerCase()))
      finds.add(token.start, token.end, token.text);
    status = answered ? token : null;
    beforeThat = before;
    before = token.text;
  }
  for (const line of doc.lines) {
    if (!line.code) continue;
    if (reportsError(line.text)) finds.add(line.start, line.end, line.text);
  }
  return finds.all();
};

/** `TypeError`, `java.io.IOException`, `ERR_TIMEOUT`, `ENOENT`, `SIGSEGV`. */
function nameOf(token: string): string | null {
  const from = Math.max(token.lastIndexOf("."), token.lastIndexOf(":")) + 1;
  const last = token.slice(from);
  if (!isIdentifier(last)) return null;
  if ((last.endsWith("Error") || last.endsWith("Exception") || last.endsWith("Panic")) && humps(last) > 0) return last;
  if (last.startsWith("ERR_") || last.endsWith("_ERROR") || last.includes("_ERR_")) return last;
  return (last.startsWith("SIG") || last.startsWith("E")) && POSIX.has(last) ? last : null;
}

const POSIX = new Set(
  "ENOENT EACCES EPERM EEXIST EINVAL EPIPE ECONNREFUSED ECONNRESET ETIMEDOUT EADDRINUSE ENOMEM ENOSPC EMFILE ERESOLVE EBUSY EAGAIN SIGSEGV SIGABRT SIGILL SIGBUS SIGKILL SIGTERM".split(
    " ",
  ),
);

function isNumberOfError(before: string, beforeThat: string): boolean {
  if (before === "error" || before === "errno" || before === "http") return true;
  return (
    (before === "code" || before === "status") &&
    (beforeThat === "exit" || beforeThat === "error" || beforeThat === "status")
  );
}

/** Statuses that services answer with; `4xx` is a class of them. */
function isHttpStatus(token: string): boolean {
  return /^(?:20[0-6]|30[1-8]|4\d\d|50\d|[2345]xx)$/i.test(token);
}

const ANSWERS = new Set(
  "return returns returned returning respond responds answer answers answered give gives status response code error throws with get gets".split(
    " ",
  ),
);
const AFTER_STATUS = new Set(
  "error errors status response responses code bad internal unauthorized forbidden".split(" "),
);
const ARTICLES = new Set(["a", "an", "the", "of", "with", "is"]);

/** `returns 404`, `responds with a 500`, `instead of 404`: the number is what a service answers. */
function isAnswer(before: string, beforeThat: string): boolean {
  if (ARTICLES.has(before)) return ANSWERS.has(beforeThat) || beforeThat === "instead";
  return ANSWERS.has(before) || before === "instead";
}

function isCode(token: string): boolean {
  const digits = token.startsWith("-") || isUpper(token.charCodeAt(0)) ? token.slice(1) : token;
  return isDigit(digits.charCodeAt(0)) && digits.length <= 6 && !digits.includes(".");
}

function reportsError(line: string): boolean {
  const head = line.slice(0, 24).toLowerCase();
  if (PREFIXES.some((prefix) => head.startsWith(prefix))) return true;
  if (line.includes("panicked at ")) return true;
  const colon = line.indexOf(": ");
  return colon > 0 && colon < 120 && nameOf(line.slice(line.lastIndexOf(" ", colon - 1) + 1, colon)) !== null;
}
