import type { ParsedAdr } from "./parse-adr.js";

/**
 * Whether a text that was read as a decision record is one: it states a status, or has a section that decides, names work
 * or tells consequences. Without any of them it is some other text.
 *
 * Contract: pure and total.
 */
export function isDecisionRecord({ status, statusText, sections, consequences }: ParsedAdr): boolean {
  if (status !== null || statusText !== null || consequences.length > 0) return true;
  return sections.some(({ role }) => role === "decision" || role === "work" || role === "consequences");
}
