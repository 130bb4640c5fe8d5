import { withSections } from "../../mind/report/marked-sections.js";
import { boardSections, newBoard, type ProjectHq } from "../../mind/report/project-hq.js";
import { asBytes, readBytes, replaceBytes } from "./whole-file.js";

const TRIES = 5;

/**
 * Bring PROJECT_HQ.md up to date. Contract: called in turn; one atomic replacement, or none when nothing changed. Says
 * which sections could not be written, and why.
 */
export async function writeHqFile(path: string, hq: ProjectHq): Promise<readonly string[]> {
  const sections = boardSections(hq).map(({ name, text }) => ({ name, text: asBytes(text) }));
  for (let left = TRIES; left > 0; left--) {
    const current = await readBytes(path);
    const { text, broken } = withSections(current ?? asBytes(newBoard(hq.project)), sections);
    if (text === current || (await replaceBytes(path, current, text)))
      return broken.map(({ name, why }) => `Section ${name} of ${path} is left as it is: ${why}`);
  }
  return [`${path} was saved by somebody else again and again, and is not up to date`];
}
