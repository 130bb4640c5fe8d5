import type { PhraseMatch } from "../../../foundation/text/phrases.js";

/** What something does, must do or fails to do: the predicates of a technical finding. */
export const STATEMENTS: readonly string[] = [
  "should|shouldn't|must|mustn't|shall ?not|?be|?have",
  "doesn't|don't|didn't|isn't|aren't|wasn't|can't|cannot|won't|couldn't|wouldn't",
  "does|do|did|is|are|was|can|will not",
  "no longer|anymore",
  "throws|throw|threw|raises|raise|raised|returns|return|returned|prints|outputs|produces|yields|emits|gives|logs|crashes|crash|fails|fail|failed|breaks|broke|causes|caused|cause|ignores|ignored|drops|loses|overwrites|leaks|blocks|hangs|panics|rejects|accepts|matches|skips|swallows|misses|triggers|resolves|expects",
  "instead of",
  "needs|need|needed|has|have to be|return|throw|use|handle|support",
  "incorrect|incorrectly|wrong|wrongly|invalid|missing|unexpected|unexpectedly|undefined|unused|unsafe|deprecated|inconsistent|unsupported|redundant|duplicate|duplicates|obsolete|broken|false|unable|error|exception|typo|typos|misspelled|misspelling",
  "not allowed|supported|handled|set|called|possible|found|defined|respected|parsed|escaped|included|correct|correctly|properly|applied|considered|used|recognized|identified",
  "could|would ?be|?just|?simply use|return|replaced|replace|removed|remove|changed|change|treat|pass|moved",
];

/** "doesn't work" states nothing: whatever it is said of, it says neither what happens nor what should. */
export const EMPTY_STATEMENTS: readonly string[] = [
  "doesn't|don't|didn't|isn't|won't|can't|cannot work|working|works",
  "does|do|did|is|are|was|will not work|working|works",
  "no longer work|works|working",
  "is|are broken|wrong",
];

/** The statements that say something. */
export function statements(found: readonly PhraseMatch[], empty: readonly PhraseMatch[]): readonly PhraseMatch[] {
  const nothing = new Set(empty.flatMap((match) => [match.start, match.end]));
  return found.filter((match) => !nothing.has(match.start) && !nothing.has(match.end));
}
