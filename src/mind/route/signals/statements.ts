import type { PhraseMatch } from "../../../foundation/text/phrases.js";

/** The statements that say something. */
export function statements(found: readonly PhraseMatch[], empty: readonly PhraseMatch[]): readonly PhraseMatch[] {
  const nothing = new Set(empty.flatMap((match) => [match.start, match.end]));
  return found.filter((match) => !nothing.has(match.start) && !nothing.has(match.end));
}
