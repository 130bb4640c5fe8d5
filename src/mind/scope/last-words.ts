/*
 * Reads the last words of an agent about its own work. Only a plain statement counts that the task is not done: a sentence about the
 * agent's own work, not about how the program behaves, and not one that goes on to say that it is done now.
 */

const MOST_READ = 6000;
const MOST_QUOTED = 300;

/** The sentence that says the work is not done; null when there is none. Contract: pure and total. */
export function saysUnfinished(words: string): string | null {
  const sentences = sentencesOf(words.slice(-MOST_READ));
  for (const [at, sentence] of sentences.entries()) {
    if (!states(sentence)) continue;
    // A later sentence about it counts more: "I could not patch it in place. I rewrote it, and it is fixed."
    if (sentences.slice(at + 1).some((later) => DONE_NOW.test(later) && !states(later))) continue;
    return sentence.length > MOST_QUOTED ? `${sentence.slice(0, MOST_QUOTED - 1)}…` : sentence;
  }
  return null;
}

/** Lines and sentences; code, quoted lines and headings without a verb say nothing of the work. */
function sentencesOf(words: string): string[] {
  return words
    .replace(/```[\s\S]*?(?:```|$)/g, "\n")
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[.!?]/g, "_"))
    .split(/\n+|(?<=[.!?])\s+(?=[^a-z])/)
    .map((sentence) =>
      sentence
        .replace(/^[\s>*#\-•\d.)]+/, "")
        .replace(/\*\*|__/g, "")
        .replace(/[’]/g, "'")
        .trim(),
    )
    .filter((sentence) => sentence !== "" && sentence.length < 2000);
}

const WORK =
  "edit|change|modify|write|fix|finish|complete|implement|update|apply|make|create|add|remove|delete|rename|move|do|proceed|continue|go on|solve|resolve|carry out|patch|touch|install|accomplish|perform|deliver";
const SUBJECT = "(?:i|we)(?: (?:still|also|therefore|simply|just))?";
const CANNOT =
  "(?:could not|couldn't|cannot|can not|can't|was unable to|were unable to|am unable to|are unable to|was not able to|wasn't able to|am not able to|failed to|did not manage to|was not allowed to|wasn't allowed to|am not allowed to|was not permitted to|am not permitted to)";
const THING =
  "(?:(?:the|this|that|my|your|all of the|most of the) )?(?:\\w+ )?(?:task|work|bug|issue|defect|problem|fix|change|changes|feature|implementation|request|edit|job|migration|refactoring|update)";
const UNDONE =
  "(?:not (?:yet )?(?:been )?(?:done|finished|complete|completed|fixed|implemented|resolved|solved|applied|made|in place|possible)|unfinished|incomplete|blocked|unfixed|unresolved|impossible)";

const STATEMENTS: readonly RegExp[] = [
  // "I could not edit X", "Unable to change X": the agent of itself.
  new RegExp(
    `(?:^|[,;:(] ?|\\b(?:but|and|so|because|since|as|however,?|unfortunately,?) )${SUBJECT} ${CANNOT} (?:\\w+ly )?(?:${WORK})\\b`,
    "i",
  ),
  new RegExp(
    `^(?:unfortunately,? |sorry,? |however,? )?(?:${CANNOT}|unable to|not able to|not allowed to) (?:${WORK})\\b`,
    "i",
  ),
  // "the bug is NOT fixed", "the work remains incomplete": of the work as a whole.
  new RegExp(
    `(?:^|[,;:(] ?|\\b(?:so|therefore|thus|but|and|hence|means that|means) )${THING} (?:is|are|was|were|remains|remain|has|have|stays)(?: (?:still|therefore|thus))? ${UNDONE}\\b`,
    "i",
  ),
  new RegExp(
    `^(?:status: ?|result: ?|outcome: ?)?(?:task |work )?(?:not (?:yet )?(?:done|finished|complete|completed|fixed|implemented)|incomplete|unfinished|blocked)\\b[.!:]?(?: |$)`,
    "i",
  ),
  new RegExp(
    `(?:^|[,;:] ?|\\b(?:so|but|and) )(?:i am|i'm|we are|we're) (?:still |therefore )?(?:blocked|stuck|not done|not finished)\\b`,
    "i",
  ),
  new RegExp(
    `(?:^|[,;:] ?|\\b(?:so|but|and) )(?:i|we) (?:have not|haven't|did not|didn't) (?:yet )?(?:fix|fixed|finish|finished|complete|completed|implement|implemented|solve|solved|resolve|resolved)\\b`,
    "i",
  ),
];

/** Before the statement: it is about a case, a condition or a behaviour, and not about the work. */
const ABOUT_A_CASE =
  /\b(?:if|when|whenever|whether|where|unless|until|while|in case|returns?|raises?|throws?|reports?|says?|error|message|used to|previously|earlier|originally|at first|initially|before this|no longer|would have|test (?:that|for)|so that)\b/i;
/** In the statement itself: it was so, and is not any more, or is not the point. */
const DONE_AFTER_ALL =
  /\b(?:not only|now (?:fixed|done|works?|passes|complete|resolved)|(?:is|are) now|(?:done|fixed|works|passes) now|before;|but (?:then|now)|instead,? (?:i|we)|(?:so|but|and|therefore),? (?:i|we) (?:used|added|wrote|moved|implemented|did|created|put|made|rewrote|changed|fixed|worked around|solved)|worked around|in the end (?:i|we|it)|at first|eventually)\b/i;
const DONE_NOW =
  /\b(?:now (?:fixed|done|works?|passes|complete|resolved)|(?:is|are) (?:now )?(?:done|fixed|complete|finished|implemented|resolved)|(?:i|we) (?:then |instead )?(?:rewrote|worked around|solved|fixed|finished|completed|managed)|all tests pass|everything (?:works|passes))\b/i;
const NEGATED_AFTER =
  /\bnothing (?:is|was|remains) (?:left|blocked|unfinished|incomplete)\b|\bnot (?:blocked|incomplete|unfinished)\b/i;

function states(sentence: string): boolean {
  if (DONE_AFTER_ALL.test(sentence) || NEGATED_AFTER.test(sentence)) return false;
  return STATEMENTS.some((statement) => {
    const found = statement.exec(sentence);
    return found !== null && !ABOUT_A_CASE.test(sentence.slice(0, found.index + 1));
  });
}
