import { type Detector, Finds } from "./evidence.js";
import { isLower } from "./identifiers.js";

/** Command lines: after a prompt in a code block, or two or more words of code that start with a program and hold an option. */
export const commands: Detector = (doc) => {
  const finds = new Finds();
  for (const line of doc.lines) {
    if (!line.code) continue;
    if (line.text.startsWith("$ ") || line.text.startsWith("PS> ")) finds.add(line.start, line.end, line.text);
  }
  for (const part of doc.segments) {
    if (part.kind === "inline_code" && part.text.length < 400 && isCommand(part.text))
      finds.add(part.start, part.end, part.text);
  }
  return finds.all();
};

function isCommand(span: string): boolean {
  const text = span.replaceAll("`", "").trim();
  if (text.startsWith("$ ")) return true;
  const space = text.indexOf(" ");
  if (space < 2 || !isLower(text.charCodeAt(0)) || text.includes("=>") || text.includes("()")) return false;
  return text.includes(" -") || text.includes(" | ") || text.includes(" > ");
}
