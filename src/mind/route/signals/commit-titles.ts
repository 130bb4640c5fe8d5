import { type Detector, Finds } from "./evidence.js";

/** `fix(parser): …`, `ci: …`: the first line is written as commits are. A new feature may still be a wish (`feat:`). */
const COMMIT_TITLE = /^(?:fix|refactor|perf|ci|build|chore|test|tests|style|revert)(?:\([\w ./-]{1,40}\))?!?: \S/;

export const commitTitles: Detector = (doc) => {
  const finds = new Finds();
  const { start, end } = doc.title;
  if (COMMIT_TITLE.test(doc.text.slice(start, Math.min(end, start + 80)))) finds.add(start, end);
  return finds.all();
};
