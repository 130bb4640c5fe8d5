import type { ASTNode } from "@marcbachmann/cel-js";
import { type FactType, describeType, isList, isMap, isObject } from "./fact-schema.js";
import { type Guard, guardOf, ownProperty, trustedTypeof } from "./guard.js";
import { type Lowered, type Lowering, type Run, elementPath } from "./lowering.js";
import { Held, failure } from "./outcome.js";
import { Refusal } from "./problem.js";

/** From a container to its member; null is the scope. */
type Step = { readonly from: Pick<Place, "type" | "path"> | null; readonly key: string };

/** A fact by its address: where to start, then the names to follow. */
type Place = {
  readonly type: FactType;
  readonly path: string;
  readonly cost: number;
  /** null: the scope itself. */
  readonly base: Run | null;
  readonly steps: readonly Step[];
};

/** Contract: a fact, a field of it, a loop variable, or an element by index. Records what it reads. */
export function lowerFact(lowering: Lowering, node: ASTNode): Lowered {
  const place = placeOf(lowering, node);
  if (place.base === null) lowering.reads.add(place.path);
  return { type: place.type, run: reader(place), cost: place.cost, path: place.path };
}

/**
 * Contract: `has(a.b)` gives a bool when `a` is there, whatever `b` is; a missing `a` is Held.
 * null counts as missing, as it does for a read.
 */
export function lowerHas(lowering: Lowering, node: ASTNode): Lowered {
  if (node.op !== ".") throw new Refusal("type", node.pos, "has() takes a field");
  const [object, key] = node.args;
  const parent = placeOf(lowering, object);
  memberType(parent, key, node);
  if (parent.base === null) lowering.reads.add(`${parent.path}.${key}`);
  const read = reader(parent);
  const run: Run = (scope) => {
    const from = read(scope) as object;
    return from instanceof Held ? from : (ownProperty(from, key) ?? null) !== null;
  };
  return { type: "bool", run, cost: parent.cost + 1, path: "" };
}

function placeOf(lowering: Lowering, node: ASTNode): Place {
  if (node.op === "id") return rootPlace(lowering, node.args, node.pos);
  const key = literalKey(node);
  if (key !== null && (node.op === "." || node.op === "[]")) {
    const parent = placeOf(lowering, node.args[0]);
    const type = memberType(parent, key, node);
    const steps = [...parent.steps, { from: parent, key }];
    const path = parent.path === "" ? key : `${parent.path}.${key}`;
    return { ...parent, type, path, cost: parent.cost + 1, steps };
  }
  const { type, run, cost, path } = node.op === "[]" ? lowerIndex(lowering, node.args) : lowering.lower(node);
  return { type, base: run, cost, path, steps: [] };
}

function rootPlace(lowering: Lowering, name: string, offset: number): Place {
  const local = lowering.locals.get(name);
  if (local !== undefined) {
    const { cell, type, path } = local;
    return { type, path, cost: 1, base: () => cell.value, steps: [] };
  }
  const type = Object.hasOwn(lowering.schema, name) ? lowering.schema[name] : undefined;
  // The library knows constants of its own, such as `int` and `google`.
  if (type === undefined) throw new Refusal("type", offset, `Unknown variable: ${name}`);
  return { type, path: name, cost: 1, base: null, steps: [{ from: null, key: name }] };
}

function literalKey(node: ASTNode): string | null {
  if (node.op === ".") return node.args[1];
  if (node.op !== "[]" || node.args[1].op !== "value") return null;
  return typeof node.args[1].args === "string" ? node.args[1].args : null;
}

// The library checks neither the fields inside has() nor all the ways to name a field.
function memberType({ type, path }: Place, key: string, node: ASTNode): FactType {
  if (isMap(type)) return type.map;
  if (!isObject(type)) throw new Refusal("type", node.pos, `${path || "this"} has no fields`);
  const field = Object.hasOwn(type.object, key) ? type.object[key] : undefined;
  if (field === undefined) throw new Refusal("type", node.pos, `No such key: ${key}`);
  return field;
}

function reader(place: Place): Run {
  const { base } = place;
  const steps = place.steps.map(({ from, key }) => ({
    key,
    guardParent: from === null ? trust : guardOf(from.type, from.path, place.path),
  }));
  const trusted = trustedTypeof(place.type);
  const guard = guardOf(place.type, place.path);
  const [first, second] = steps;
  if (base === null && first !== undefined && steps.length === 1) {
    return (scope) => guard(ownProperty(scope, first.key));
  }
  if (base === null && first !== undefined && second !== undefined && steps.length === 2) {
    return readField(first.key, second.key, second.guardParent, trusted, guard);
  }
  if (steps.length === 0) {
    return (scope) => {
      const value = base === null ? scope : base(scope);
      return typeof value === trusted ? value : guard(value);
    };
  }
  return (scope) => {
    let value: unknown = base === null ? scope : base(scope);
    for (const step of steps) {
      const object = step.guardParent(value) as object;
      if (object instanceof Held) return object;
      value = ownProperty(object, step.key);
    }
    return typeof value === trusted ? value : guard(value);
  };
}

const trust: Guard = (scope) => scope;

/** `facts.name`, the shape of most reads: no loop, and the field is trusted by its `typeof` alone. */
function readField(root: string, key: string, guardParent: Guard, trusted: string, guard: Guard): Run {
  return (scope) => {
    const object = ownProperty(scope, root);
    if (typeof object !== "object" || object === null || Array.isArray(object)) return guardParent(object);
    const value = ownProperty(object, key);
    return typeof value === trusted ? value : guard(value);
  };
}

function lowerIndex(lowering: Lowering, [objectNode, indexNode]: readonly [ASTNode, ASTNode]): Lowered {
  const object = lowerFact(lowering, objectNode);
  const { type } = object;
  const path = elementPath(object.path);
  if (isList(type)) {
    const position = indexNode.op === "value" ? Number(indexNode.args) : Number.NaN;
    if (!Number.isSafeInteger(position)) {
      throw new Refusal("forbidden", indexNode.start, "a list takes only a literal integer as its index");
    }
    const guard = guardOf(type.list, path);
    const outside = failure(object.path, `index ${position} is out of bounds`);
    const run: Run = (scope) => {
      const list = object.run(scope) as readonly unknown[] | Held;
      if (list instanceof Held) return list;
      return position < list.length ? guard(list[position]) : outside;
    };
    return { type: type.list, run, cost: object.cost + 1, path };
  }
  const index = lowering.lower(indexNode);
  if (!isMap(type) || index.type !== "string") {
    const message = `a ${describeType(type)} takes no ${describeType(index.type)} as its index`;
    throw new Refusal(isObject(type) ? "forbidden" : "type", indexNode.start, message);
  }
  const guard = guardOf(type.map, path);
  const run: Run = (scope) => {
    const map = object.run(scope) as object;
    if (map instanceof Held) return map;
    const key = index.run(scope);
    return typeof key === "string" ? guard(ownProperty(map, key)) : key;
  };
  return { type: type.map, run, cost: object.cost + index.cost + 1, path };
}
