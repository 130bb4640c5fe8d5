import { oneLine } from "../../foundation/text/one-line.js";
import { cleanHostText } from "./host-text.js";

/*
 * Remarks of people and checks on a pull request, as a request for one more change. It asks for a plan; it sets no agent, budget,
 * host or approver.
 */

/** How often remarks on one pull request are planned. */
const MOST_ROUNDS = 3;
const MOST_TEXT = 2000;
const MOST_PARTS = 30;

export interface FollowUpSaid {
  readonly remarks: readonly { readonly path: string; readonly line: number | null; readonly text: string }[];
  readonly checks: readonly { readonly name: string; readonly summary: string }[];
}

/** Contract: pure; the same that was said gives the same words. */
export function followUpWords(pull: number, { remarks, checks }: FollowUpSaid): string {
  const parts = [
    ...remarks.map(
      ({ path, line, text }) => `In ${cleanLine(path)}${line === null ? "" : `, line ${line}`}: ${cleanWhole(text)}`,
    ),
    ...checks.map(
      ({ name, summary }) => `Make the check ${cleanLine(name)} pass. It says: ${cleanWhole(summary) || "nothing"}`,
    ),
  ];
  const left = parts.length - MOST_PARTS;
  return [
    `Change what the review of pull request ${pull} asks for.`,
    ...parts.slice(0, MOST_PARTS),
    ...(left > 0 ? [`${left} more remarks are not in this plan.`] : []),
  ].join("\n\n");
}

const cleanLine = (text: string) => oneLine(cleanHostText(text).text).slice(0, 300);
const cleanWhole = (text: string) => cleanHostText(text).text.slice(0, MOST_TEXT);

export type RoundRefusal = "a person pushed to it" | "three rounds were planned" | "closed";

/** Why a pull request gets no further round; null when it may. Contract: pure. */
export function refuseRound(
  pull: { readonly state: "open" | "closed"; readonly isOurHead: boolean },
  rounds: number,
): RoundRefusal | null {
  if (pull.state === "closed") return "closed";
  if (!pull.isOurHead) return "a person pushed to it";
  return rounds >= MOST_ROUNDS ? "three rounds were planned" : null;
}
