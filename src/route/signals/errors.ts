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
  for (const token of doc.tokens) {
    const name = token.plain && !POSIX.has(token.text) ? null : nameOf(token.text);
    if (name !== null) finds.add(token.start, token.end, name);
    else if (!token.plain && isCode(token.text) && isNumberOfError(before.toLowerCase(), beforeThat.toLowerCase()))
      finds.add(token.start, token.end, token.text);
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

function isCode(token: string): boolean {
  const digits = token.startsWith("-") || isUpper(token.charCodeAt(0)) ? token.slice(1) : token;
  return isDigit(digits.charCodeAt(0)) && digits.length <= 6 && !digits.includes(".");
}

function reportsError(line: string): boolean {
  const head = line.slice(0, 24).toLowerCase();
  if (PREFIXES.some((prefix) => head.startsWith(prefix))) return true;
  const colon = line.indexOf(": ");
  return colon > 0 && colon < 120 && nameOf(line.slice(line.lastIndexOf(" ", colon - 1) + 1, colon)) !== null;
}
