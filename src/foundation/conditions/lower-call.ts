import type { ASTNode } from "@marcbachmann/cel-js";
import { isMap } from "./fact-schema.js";
import { compileGlob, globsOverlap, isPlainPath, matchesGlob } from "../globs/glob.js";
import type { Lowered, Lowering, Run } from "./lowering.js";
import { Held, failure } from "./outcome.js";
import { Refusal } from "./problem.js";

// Longer patterns and paths hold the condition: the cost bound counts a glob as a constant.
const MAX_PATTERN = 512;
const MAX_PATH = 4_096;
const GLOB_COST = 4;
const OVERLAP_COST = 16;

/** Contract: code points of a string, elements of a list, keys of a map. */
export function lowerSize(lowering: Lowering, node: ASTNode): Lowered {
  const { type, run: x, cost } = lowering.lower(node);
  const run: Run = (scope) => {
    const value = x(scope) as string | object;
    if (typeof value === "string") return codePoints(value);
    if (value instanceof Held) return value;
    return Array.isArray(value) ? value.length : Object.keys(value).length;
  };
  return { type: "number", run, cost: cost + 1 + (isMap(type) ? type.max : 0), path: "" };
}

function codePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count += 1;
  return count;
}

/** Contract: a method of a string with one string argument, by name. */
export function lowerStringTest(lowering: Lowering, name: string, node: ASTNode, argument: ASTNode): Lowered {
  const text = lowering.lower(node);
  const other = lowering.lower(argument);
  switch (name) {
    case "glob":
      return lowerGlob(text, other, argument);
    case "overlaps":
      return lowerOverlaps(text, other);
    case "startsWith":
      return stringTest(text, other, 1, (a, b) => a.startsWith(b));
    case "endsWith":
      return stringTest(text, other, 1, (a, b) => a.endsWith(b));
    case "contains":
      return stringTest(text, other, 1, (a, b) => a.includes(b));
    default:
      throw new Refusal("forbidden", node.pos, `the method ${name} is not part of the condition language`);
  }
}

function stringTest(
  text: Lowered,
  other: Lowered,
  ownCost: number,
  test: (a: string, b: string) => boolean | Held,
): Lowered {
  const x = text.run;
  const y = other.run;
  const cost = text.cost + other.cost + ownCost;
  const { literal } = other;
  if (typeof literal === "string") {
    const run: Run = (scope) => {
      const a = x(scope);
      return typeof a === "string" ? test(a, literal) : a;
    };
    return { type: "bool", run, cost, path: "" };
  }
  const run: Run = (scope) => {
    const a = x(scope);
    if (typeof a !== "string") return a;
    const b = y(scope);
    return typeof b === "string" ? test(a, b) : b;
  };
  return { type: "bool", run, cost, path: "" };
}

function lowerGlob(text: Lowered, pattern: Lowered, argument: ASTNode): Lowered {
  const { literal } = pattern;
  if (typeof literal !== "string" && pattern.path === "") {
    throw new Refusal("forbidden", argument.start, "the pattern of glob must be a string literal or a fact");
  }
  if (typeof literal === "string" && literal.length > MAX_PATTERN) {
    throw new Refusal("cost", argument.start, `the pattern is longer than ${MAX_PATTERN} characters`);
  }
  if (typeof literal === "string" && !matchesSomething(literal)) {
    const message = `the pattern ${literal} matches no path; what lies in a directory is dir/**`;
    throw new Refusal("forbidden", argument.start, message);
  }
  const longPattern = failure(pattern.path, `a pattern is longer than ${MAX_PATTERN} characters`);
  // INVARIANT: a path that leaves its directory by `..` is neither inside nor outside a glob.
  const notPlain = failure(text.path, `a path is longer than ${MAX_PATH} characters, or has empty, . or .. segments`);
  const fixed = typeof literal === "string" ? compileGlob(literal) : null;
  return stringTest(text, pattern, GLOB_COST, (path, given) => {
    if (path.length > MAX_PATH || !isPlainPath(path)) return notPlain;
    if (fixed !== null) return fixed(path);
    return given.length > MAX_PATTERN ? longPattern : matchesGlob(given, path);
  });
}

function matchesSomething(pattern: string): boolean {
  if (pattern.split("/").some((segment) => segment === "." || segment === "..")) return false;
  return globsOverlap(pattern, "**");
}

function lowerOverlaps(text: Lowered, other: Lowered): Lowered {
  const long = failure(text.path || other.path, `a pattern is longer than ${MAX_PATTERN} characters`);
  return stringTest(text, other, OVERLAP_COST, (a, b) => {
    return a.length > MAX_PATTERN || b.length > MAX_PATTERN ? long : globsOverlap(a, b);
  });
}

/** Contract: ASCII letters only, as CEL defines it; `É` stays. */
export function lowerCase(lowering: Lowering, node: ASTNode, upper: boolean): Lowered {
  const { run: x, cost } = lowering.lower(node);
  const letters = upper ? /[a-z]+/g : /[A-Z]+/g;
  const convert = (found: string): string => (upper ? found.toUpperCase() : found.toLowerCase());
  const run: Run = (scope) => {
    const value = x(scope);
    return typeof value === "string" ? value.replaceAll(letters, convert) : value;
  };
  return { type: "string", run, cost: cost + 1, path: "" };
}
