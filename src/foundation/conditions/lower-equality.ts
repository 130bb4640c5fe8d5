import type { ASTNode } from "@marcbachmann/cel-js";
import { type FactType, describeType, isList, isMap, isScalar, unify } from "./fact-schema.js";
import { type Guard, guardOf, ownProperty } from "./guard.js";
import { type Lowered, type Run, elementPath } from "./lowering.js";
import { Held, type Outcome } from "./outcome.js";
import { Refusal } from "./problem.js";

/** Contract: scalars by value, lists element by element. A list with an element of a wrong type is Held. */
export function lowerEquality(node: ASTNode, left: Lowered, right: Lowered, equal: boolean): Lowered {
  const type = unify(left.type, right.type);
  const cost = left.cost + right.cost + comparisonCost(type);
  if (!isScalar(type)) return { type: "bool", run: listEquality(node, left, right, equal), cost, path: "" };
  const x = left.run;
  const y = right.run;
  const literal = right.literal ?? left.literal;
  if (literal !== undefined) {
    const other = right.literal === undefined ? y : x;
    const run: Run = (scope) => {
      const a = other(scope);
      if (a === literal) return equal;
      return typeof a === "object" ? a : !equal;
    };
    return { type: "bool", run, cost, path: "" };
  }
  const run: Run = (scope) => {
    const a = x(scope);
    if (typeof a === "object") return a;
    const b = y(scope);
    return typeof b === "object" ? b : (a === b) === equal;
  };
  return { type: "bool", run, cost, path: "" };
}

function listEquality(node: ASTNode, left: Lowered, right: Lowered, equal: boolean): Run {
  const same = comparerOf(unify(left.type, right.type), left.path || right.path, node);
  return (scope) => {
    const a = left.run(scope);
    if (a instanceof Held) return a;
    const b = right.run(scope);
    if (b instanceof Held) return b;
    const answer = same(a, b);
    return typeof answer === "boolean" ? answer === equal : answer;
  };
}

function comparerOf(type: FactType, path: string, node: ASTNode): (a: unknown, b: unknown) => Outcome {
  if (isScalar(type)) return (a, b) => a === b;
  if (!isList(type)) {
    throw new Refusal("forbidden", node.pos, `== compares scalars and lists, not a ${describeType(type)}`);
  }
  const sameElement = comparerOf(type.list, elementPath(path), node);
  const guard = guardOf(type.list, elementPath(path));
  return (a, b) => sameLists(a as readonly unknown[], b as readonly unknown[], guard, sameElement);
}

// Different lengths decide alone; otherwise a difference decides over a Held, as `false` does in `&&`.
function sameLists(
  a: readonly unknown[],
  b: readonly unknown[],
  guard: Guard,
  sameElement: (a: unknown, b: unknown) => Outcome,
): Outcome {
  if (a.length !== b.length) return false;
  let held: Held | null = null;
  for (let index = 0; index < a.length; index += 1) {
    const x = guard(a[index]);
    const y = guard(b[index]);
    const answer = x instanceof Held ? x : y instanceof Held ? y : sameElement(x, y);
    if (answer === false) return false;
    if (answer !== true) held ??= answer;
  }
  return held ?? true;
}

function comparisonCost(type: FactType): number {
  return isList(type) ? 1 + type.max * comparisonCost(type.list) : 1;
}

/** Contract: `x in list` finds a scalar, `key in map` asks for a key that has a value. */
export function lowerMembership(node: ASTNode, left: Lowered, right: Lowered): Lowered {
  const x = left.run;
  const y = right.run;
  const { type } = right;
  if (isMap(type)) {
    const run: Run = (scope) => {
      const key = x(scope);
      if (typeof key !== "string") return key;
      const map = y(scope) as object;
      return map instanceof Held ? map : (ownProperty(map, key) ?? null) !== null;
    };
    return { type: "bool", run, cost: left.cost + right.cost + 1, path: "" };
  }
  if (!isList(type) || !isScalar(left.type)) {
    throw new Refusal("forbidden", node.pos, `in looks for a scalar, not for a ${describeType(left.type)}`);
  }
  if (right.literals !== undefined) {
    const members = new Set(right.literals);
    const run: Run = (scope) => {
      const value = x(scope);
      return typeof value === "object" ? value : members.has(value);
    };
    return { type: "bool", run, cost: left.cost + 1, path: "" };
  }
  const guard = guardOf(left.type, elementPath(right.path));
  const run: Run = (scope) => {
    const value = x(scope);
    if (typeof value === "object") return value;
    const list = y(scope) as readonly unknown[] | Held;
    return list instanceof Held ? list : find(value, list, guard);
  };
  return { type: "bool", run, cost: left.cost + right.cost + type.max + 1, path: "" };
}

// INVARIANT: "not found" is only said of a list whose every element could be compared.
function find(value: unknown, list: readonly unknown[], guard: Guard): Outcome {
  const expected = typeof value;
  let held: Held | null = null;
  for (const element of list) {
    if (element === value) return true;
    if (typeof element === expected) continue;
    held ??= guard(element) as Held;
  }
  return held ?? false;
}
