import { globsOverlap } from "../../../foundation/globs/glob.js";
import { oneLine } from "../words.js";
import { listPoints, type ListPoints, listsWork, MOST_POINTS, WORK_VERB } from "./list-points.js";
import type { KindOfWork } from "./kind-of-work.js";
import { nounParts } from "./noun-parts.js";
import type { Places } from "./template-places.js";

/* The parts of a request that can be done one by one: what it lists, one under another or in a sentence. */

const NONE: ListPoints = { texts: [], ordered: false };

/**
 * Contract: pure. A single point is not a list, a long list is detail of one thing, and a list of steps or versions is not
 * a list of work. Parts joined with "and" count
 * only where each names a part of the project that no other names (`placesOf` says what a text names), or where new
 * behaviour is asked for and each part is something that is built by itself.
 */
export function pointsOf(text: string, kind: KindOfWork, placesOf: (part: string) => Places): ListPoints {
  const listed = listPoints(text);
  const { length } = listed.texts;
  if (length > 0) return length >= 2 && length <= MOST_POINTS && listsWork(text) ? listed : NONE;
  const joined = joinedParts(oneLine(text), placesOf);
  if (joined.texts.length > 0 || (kind !== "feature" && kind !== "new_project")) return joined;
  return { texts: nounParts(text), ordered: false };
}

const LONGEST_JOINED = 600;
const VERB = `(?:check|test|use|${WORK_VERB})`;
const JOINT = new RegExp(
  `(?:;\\s+|,?\\s+and\\s+(?:also\\s+|then\\s+)?|,\\s+then\\s+|[.!]\\s+|,\\s+)(?=${VERB}\\s)`,
  "i",
);

function joinedParts(text: string, placesOf: (part: string) => Places): ListPoints {
  if (text.length > LONGEST_JOINED) return NONE;
  const texts = text.split(JOINT).map((part) => part.trim());
  if (texts.length < 2 || texts.length > MOST_POINTS || texts.some((part) => !/\p{L}{2}/u.test(part))) return NONE;
  const scopes = texts.map((part) => scopeOf(placesOf(part)));
  const apart = scopes.every(
    (scope, at) =>
      scope.length > 0 &&
      scopes.every((other, index) => index <= at || !scope.some((a) => other.some((b) => globsOverlap(a, b)))),
  );
  return apart ? { texts, ordered: /,?\s+then\s/i.test(text) } : NONE;
}

/** Paths that a part names by itself; empty when it names none. */
function scopeOf({ named, narrowing }: Places): readonly string[] {
  return narrowing === null ? [...named.source, ...named.docs] : narrowing.change;
}

/**
 * The places of one part: what it names by itself, so that parts that name different files can be done side by side.
 * Tests of its own files, no pages and no changelog, which all parts would share. A part that names nothing has the
 * places of what is said around the parts.
 */
export function placesApart(own: Places, around: Places): Places {
  if (scopeOf(own).length === 0) return around;
  const tests = own.narrowing?.tests ?? [];
  const source = own.narrowing === null && own.named.source.length === 0 ? own.named.docs : own.named.source;
  return {
    ...own,
    docs: [],
    news: [],
    tests: tests.length > 0 ? tests : own.tests,
    named: { ...own.named, source, docs: own.named.docs },
  };
}
