import type { AdrStatus } from "../../model/adr.js";
import { STATUS_WORDS } from "./status-word-lists.js";

/** The words for each status, folded. The first one in a text decides; of two at the same place, the one further up. */
const WORDS: readonly (readonly [AdrStatus, RegExp])[] = STATUS_WORDS.map(({ status, words, parts }) => [
  status,
  new RegExp(String.raw`\b(?:${words})\b|${parts}`, "g"),
]);

/** Words that state one where nothing else stands beside them, and that mean too much anywhere else. */
const ALONE: readonly (readonly [AdrStatus, RegExp])[] = STATUS_WORDS.flatMap(({ status, alone }) =>
  alone === null ? [] : [[status, new RegExp(`^(?:${alone})$`)]],
);

/** A decision that is still to be built has been taken. */
const BUILDING =
  /\b(?:implementation|implementacion|implementacao|umsetzung|mise en oeuvre|roll-?out|migration|build)(?: (?:is|still|work))?[: ]{1,2}(?:pending|in progress|ongoing|underway|started|not started|to follow|pendiente|pendente|en cours|em andamento|ausstehend|offen)\b|\b(?:pending|awaiting|ready for) implementation\b/;

/** In front of a word for acceptance: it has not come yet. */
const NOT_YET =
  /\b(?:not|never|yet to be|to be|awaiting|pending|waiting for|needs|nicht|noch nicht|non|pas|no|nao|niet)\s+(?:yet\s+|been\s+|be\s+|to be\s+|encore\s+)*$|(?:未|尚未|没有|不|待)$/;
/** In front of any other: it is not so. */
const NOT =
  /\b(?:not|never|no longer|no|nicht|kein|keine|pas|plus|nao|niet|geen)\s+(?:been\s+|an?\s+|in\s+|un\s+|une\s+)*$/;

/** The status the first word for one states; null where there is none. Contract: the words are folded. */
export function findFirstStatus(words: string): AdrStatus | null {
  const alone = words.trim().replace(/[.!]$/, "");
  const exact = ALONE.find(([, pattern]) => pattern.test(alone));
  if (exact !== undefined) return exact[0];
  const building = BUILDING.test(words);
  const left = building ? words.replace(BUILDING, " ") : words;
  let best: { readonly status: AdrStatus; readonly at: number } | null = null;
  for (const [status, pattern] of WORDS)
    for (const match of left.matchAll(pattern)) {
      if (best !== null && best.at <= match.index) break;
      const before = left.slice(Math.max(0, match.index - 40), match.index);
      if (status !== "accepted" && NOT.test(before)) continue;
      // "Not yet accepted" and "accepted?" are proposals.
      const asked = left.startsWith("?", match.index + match[0].length);
      best = {
        status: status === "accepted" && (asked || NOT_YET.test(before)) ? "proposed" : status,
        at: match.index,
      };
      break;
    }
  return best?.status ?? (building ? "accepted" : null);
}

/** How many letters of the beginning are a word for a status. */
export function statusAtStart(words: string): number {
  const lengths = WORDS.flatMap(([, pattern]) =>
    [...words.slice(0, 40).matchAll(pattern)].filter(({ index }) => index === 0).map(([word]) => word.length),
  );
  return Math.max(0, ...lengths);
}

/** How many different ones the words name. */
export function countStatuses(words: string): number {
  return WORDS.filter(([, pattern]) => words.search(pattern) !== -1).length;
}
