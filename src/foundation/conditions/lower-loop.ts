import type { ASTNode } from "@marcbachmann/cel-js";
import { type FactType, isList, isMap } from "./fact-schema.js";
import { type Local, type Lowered, type Lowering, type Run, elementPath } from "./lowering.js";
import { Held, failure } from "./outcome.js";
import { Refusal } from "./problem.js";

type Loop = {
  readonly over: Run;
  readonly cell: { value: unknown };
  readonly body: Run;
};

export const isLoop = (name: string): name is keyof typeof loops => Object.hasOwn(loops, name);

/**
 * Contract: a loop over the elements of a list or the keys of a map, in order. `exists` and `all` absorb:
 * an element that decides wins over a Held of another. The others are strict. The bound of the cost is the
 * declared maximum times the cost of the body.
 */
export function lowerLoop(
  lowering: Lowering,
  name: keyof typeof loops,
  receiver: ASTNode,
  [variable, bodyNode]: readonly ASTNode[],
): Lowered {
  if (variable?.op !== "id" || bodyNode === undefined) {
    throw new Refusal("syntax", receiver.start, `${name} takes a variable and an expression`);
  }
  const range = lowering.lower(receiver);
  const { type } = range;
  if (!isList(type) && !isMap(type)) throw new Refusal("type", receiver.start, `${name} needs a list or a map`);
  const cell: { value: unknown } = { value: undefined };
  const element: FactType = isList(type) ? type.list : "string";
  const body = withLocal(lowering, variable.args, { cell, type: element, path: elementPath(range.path) }, () =>
    lowering.lower(bodyNode),
  );
  const over = isList(type) ? range.run : keysOf(range, type.max);
  const run = loops[name]({ over, cell, body: body.run });
  const cost = range.cost + 1 + type.max * (body.cost + 1);
  return { type: resultType(name, element, body.type, type.max), run, cost, path: name === "filter" ? range.path : "" };
}

function withLocal<Result>({ locals }: Lowering, name: string, local: Local, inside: () => Result): Result {
  const outer = locals.get(name);
  locals.set(name, local);
  try {
    return inside();
  } finally {
    if (outer === undefined) locals.delete(name);
    else locals.set(name, outer);
  }
}

function keysOf(range: Lowered, max: number): Run {
  const long = failure(range.path, `${range.path} has more than the declared ${max} entries`);
  return (scope) => {
    const map = range.run(scope) as object;
    if (map instanceof Held) return map;
    const keys = Object.keys(map);
    return keys.length <= max ? keys : long;
  };
}

function resultType(name: keyof typeof loops, element: FactType, body: FactType, max: number): FactType {
  if (name === "filter") return { list: element, max };
  return name === "map" ? { list: body, max } : "bool";
}

type Elements = readonly unknown[] | Held;

const quantifier =
  (deciding: boolean) =>
  ({ over, cell, body }: Loop): Run =>
  (scope) => {
    const list = over(scope) as Elements;
    if (list instanceof Held) return list;
    let held: unknown = !deciding;
    for (let index = 0; index < list.length; index += 1) {
      cell.value = list[index];
      const answer = body(scope);
      if (answer === deciding) return deciding;
      if (typeof answer !== "boolean" && typeof held === "boolean") held = answer;
    }
    return held;
  };

const loops = {
  exists: quantifier(true),
  all: quantifier(false),
  exists_one:
    ({ over, cell, body }: Loop): Run =>
    (scope) => {
      const list = over(scope) as Elements;
      if (list instanceof Held) return list;
      let count = 0;
      for (let index = 0; index < list.length; index += 1) {
        cell.value = list[index];
        const answer = body(scope);
        if (typeof answer !== "boolean") return answer;
        if (answer) count += 1;
      }
      return count === 1;
    },
  filter:
    ({ over, cell, body }: Loop): Run =>
    (scope) => {
      const list = over(scope) as Elements;
      if (list instanceof Held) return list;
      const kept: unknown[] = [];
      for (let index = 0; index < list.length; index += 1) {
        cell.value = list[index];
        const answer = body(scope);
        if (typeof answer !== "boolean") return answer;
        if (answer) kept.push(list[index]);
      }
      return kept;
    },
  map:
    ({ over, cell, body }: Loop): Run =>
    (scope) => {
      const list = over(scope) as Elements;
      if (list instanceof Held) return list;
      const mapped: unknown[] = [];
      for (let index = 0; index < list.length; index += 1) {
        cell.value = list[index];
        const value = body(scope);
        if (value instanceof Held) return value;
        mapped.push(value);
      }
      return mapped;
    },
};
