import { type Detector, Finds } from "./evidence.js";

/** Hunks of a diff, and blocks marked as one. */
export const diffs: Detector = (doc) => {
  const finds = new Finds();
  for (const line of doc.lines) {
    if (!line.code) continue;
    const hunk = line.text.startsWith("@@ ") && line.text.includes(" @@");
    if (hunk || line.text.startsWith("diff --git ")) finds.add(line.start, line.end);
  }
  for (const part of doc.segments) {
    if (part.kind === "code_block" && /^[ \t]{0,8}(?:```|~~~)(?:diff|patch)\b/.test(part.text.slice(0, 40)))
      finds.add(part.start, part.end);
  }
  return finds.all();
};
