import { type Detector, Finds } from "./evidence.js";
import { isDigit } from "./identifiers.js";

/** The frames of a stack trace as the common runtimes print them, pasted as code or straight into the text. */
export const stackTraces: Detector = (doc) => {
  const finds = new Finds();
  for (const line of doc.lines) if (isFrame(line.text, line.code)) finds.add(line.start, line.end);
  return finds.all();
};

function isFrame(line: string, code: boolean): boolean {
  if (line.startsWith("at ")) return hasLineNumber(line) || (code && line.endsWith(")") && line.includes("("));
  if (line.includes(" panicked at ")) return hasLineNumber(line);
  if (line.startsWith('File "')) return line.includes('", line ');
  if (line.startsWith("from ")) return line.includes(":in ") && hasLineNumber(line);
  if (line.startsWith("--> ")) return hasLineNumber(line);
  if (line.startsWith("#") && isDigit(line.charCodeAt(1)))
    return line.includes(" in ") || line.includes("(") || line.includes(" 0x");
  if (line.startsWith("Traceback (most recent call last)")) return true;
  if (line.startsWith("Caused by: ")) return true;
  return line.startsWith("goroutine ") && line.endsWith(":");
}

function hasLineNumber(line: string): boolean {
  for (let at = line.indexOf(":"); at !== -1; at = line.indexOf(":", at + 1)) {
    if (isDigit(line.charCodeAt(at + 1))) return true;
  }
  return false;
}
