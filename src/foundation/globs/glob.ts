import { type Automaton, acceptorOf, automatonOf, intersect } from "./glob-automaton.js";
import { opensGroup } from "./glob-tokens.js";

/**
 * Globs over `/`-separated paths: `*` (a run inside one segment), `?` (one character), `**` as a whole
 * segment (any number of segments; `src/**` also matches `src`) and `{a,b}` (not nested). Every other
 * character, `[` and `!` included, stands for itself; a dotfile is matched like any other file.
 *
 * No RegExp is built: patterns come from rules and facts, and backtracking would let one of them stop the
 * process. Matching is at worst |pattern| × |path|, overlap |a| × |b|.
 */

/**
 * Contract: true if the glob matches the path. A path that is not plain (see `isPlainPath`) matches nothing.
 */
export function matchesGlob(pattern: string, path: string): boolean {
  return compileGlob(pattern)(path);
}

/** Contract: `matchesGlob` with the pattern fixed, for patterns that are used more than once. */
export function compileGlob(pattern: string): (path: string) => boolean {
  const wildcard = firstWildcard(pattern);
  if (wildcard === -1) return (path) => path === pattern && isPlainPath(path);
  if (wildcard === pattern.length - 2 && pattern.endsWith("/**")) {
    const below = pattern.slice(0, -2);
    const self = pattern.slice(0, -3);
    return (path) => (path.startsWith(below) || path === self) && isPlainPath(path);
  }
  const accepts = acceptorOf(automatonOf(pattern));
  // Most paths begin or end differently, and are told apart without the automaton.
  const prefix = globPrefix(pattern);
  const ending = literalEnding(pattern);
  return (path) => path.startsWith(prefix) && path.endsWith(ending) && isPlainPath(path) && accepts(path);
}

// A product beyond this is not explored: 4 million pairs of states are two patterns of some 2,000 characters.
const MAX_PAIRS = 4_000_000;

/**
 * Contract: true if some plain path matches both globs; symmetric. Exact for all operators, except that it
 * errs towards true for patterns that spell out `.` or `..` segments and for patterns too long to explore:
 * false is a promise that two writers cannot meet.
 */
export function globsOverlap(a: string, b: string): boolean {
  if (!mayMeet(globPrefix(a), globPrefix(b))) return false;
  const left = automatonOf(a);
  const right = automatonOf(b);
  if (size(left) * size(right) > MAX_PAIRS) return true;
  return intersect(left, right);
}

/**
 * Contract: the directory that holds everything the glob can match, without a trailing slash: the segments
 * before the first one with a wildcard. The whole pattern when it has none, "" when the first has one.
 */
export function globPrefix(pattern: string): string {
  const wildcard = firstWildcard(pattern);
  if (wildcard === -1) return pattern;
  const slash = pattern.lastIndexOf("/", wildcard);
  return slash === -1 ? "" : pattern.slice(0, slash);
}

/**
 * Contract: true for a non-empty path without empty, `.` or `..` segments (one leading slash is allowed).
 * Must be asked before a match is trusted: `src/../etc` would otherwise pass as a path under `src`.
 */
export function isPlainPath(path: string): boolean {
  let start = path.startsWith("/") ? 1 : 0;
  for (;;) {
    const slash = path.indexOf("/", start);
    const end = slash === -1 ? path.length : slash;
    const length = end - start;
    if (length === 0) return false;
    if (length === 1 && path[start] === ".") return false;
    if (length === 2 && path[start] === "." && path[start + 1] === ".") return false;
    if (slash === -1) return true;
    start = slash + 1;
  }
}

const size = (automaton: Automaton): number => automaton.kinds.length;

function firstWildcard(pattern: string): number {
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === "*" || char === "?" || (char === "{" && opensGroup(pattern, at))) return at;
  }
  return -1;
}

// Within the last segment: what stands before the last slash may match nothing at all.
function literalEnding(pattern: string): string {
  return pattern.slice(1 + Math.max(...["*", "?", "}", "/"].map((char) => pattern.lastIndexOf(char))));
}

// Whatever a glob matches is its prefix or lies below it; two such trees meet only if one holds the other.
function mayMeet(a: string, b: string): boolean {
  return a === "" || b === "" || a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}
