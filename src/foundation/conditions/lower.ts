import type { ASTNode } from "@marcbachmann/cel-js";
import { EMPTY_LIST, type FactSchema, type FactType, unify } from "./fact-schema.js";
import { lowerCase, lowerSize, lowerStringTest } from "./lower-call.js";
import { lowerFact, lowerHas } from "./lower-fact.js";
import { isLoop, lowerLoop } from "./lower-loop.js";
import { lowerBinary, lowerChoice, lowerLogic, lowerMinus, lowerNot } from "./lower-operator.js";
import type { Lowered, Lowering, Run } from "./lowering.js";
import { Held } from "./outcome.js";
import { Refusal } from "./problem.js";
import { NUMBER_SIZE } from "./screen.js";

/**
 * Compile a checked syntax tree to closures.
 *
 * Contract: an allow-list; what is not named here is refused, and no code is ever generated. `reads` are
 * the dotted paths of the facts it may read. Throws Refusal, and only that.
 */
export function lowerCondition(schema: FactSchema, ast: ASTNode): { lowered: Lowered; reads: readonly string[] } {
  const lowering: Lowering = {
    schema,
    locals: new Map(),
    reads: new Set(),
    lower: (node) => lowerNode(lowering, node),
  };
  const lowered = lowering.lower(ast);
  return { lowered, reads: [...lowering.reads].sort() };
}

function lowerNode(lowering: Lowering, node: ASTNode): Lowered {
  switch (node.op) {
    case "value":
      return lowerLiteral(node.args, node.pos);
    case "list":
      return lowerList(lowering, node.args);
    case "id":
    case ".":
    case "[]":
      return lowerFact(lowering, node);
    case "&&":
    case "||":
      return lowerLogic(lowering, node.op, node.args);
    case "!_":
      return lowerNot(lowering, node.args);
    case "-_":
      return lowerMinus(lowering, node.args);
    case "?:":
      return lowerChoice(lowering, node.args);
    case "call":
      return lowerFunction(lowering, node.args, node.pos);
    case "rcall":
      return lowerMethod(lowering, node.args, node.pos);
    case "==":
    case "!=":
    case "in":
    case "<":
    case "<=":
    case ">":
    case ">=":
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
      return lowerBinary(lowering, node);
    case "map":
    case ".?":
    case "[?]":
    // INVARIANT: an operator that a later parser invents does not load.
    default:
      throw new Refusal("forbidden", node.pos, `${node.op} is not part of the condition language`);
  }
}

function lowerLiteral(given: unknown, offset: number): Lowered {
  const value = typeof given === "bigint" ? Number(given) : given;
  const run: Run = () => value;
  const common = { run, cost: 1, path: "" };
  if (typeof value === "string") return { ...common, type: "string", literal: value };
  if (typeof value === "number") return { ...common, type: "number", literal: value };
  if (typeof value === "boolean") return { ...common, type: "bool", literal: value };
  throw new Refusal("forbidden", offset, "only bool, string and number literals are allowed");
}

function lowerList(lowering: Lowering, nodes: readonly ASTNode[]): Lowered {
  const elements = nodes.map((node) => lowering.lower(node));
  const [first, ...others] = elements;
  if (first === undefined) return { type: EMPTY_LIST, run: () => [], cost: 1, path: "", literals: [] };
  const element = others.reduce<FactType>((type, other) => unify(type, other.type), first.type);
  const type: FactType = { list: element, max: elements.length };
  const cost = elements.reduce((sum, { cost }) => sum + cost, 1);
  if (elements.every(({ literal }) => literal !== undefined)) {
    const literals = elements.map(({ literal }) => literal);
    return { type, run: () => literals, cost, path: "", literals };
  }
  const run: Run = (scope) => {
    const list: unknown[] = [];
    for (const { run: each } of elements) {
      const value = each(scope);
      if (value instanceof Held) return value;
      list.push(value);
    }
    return list;
  };
  return { type, run, cost, path: "" };
}

function lowerFunction(lowering: Lowering, [name, args]: [string, readonly ASTNode[]], offset: number): Lowered {
  const [argument, ...rest] = args;
  if (argument !== undefined && rest.length === 0) {
    if (name === "has") return lowerHas(lowering, argument);
    if (name === NUMBER_SIZE) return lowerSize(lowering, argument);
  }
  throw new Refusal("forbidden", offset, `the function ${name} is not part of the condition language`);
}

function lowerMethod(
  lowering: Lowering,
  [name, receiver, args]: [string, ASTNode, readonly ASTNode[]],
  offset: number,
): Lowered {
  if (isLoop(name)) return lowerLoop(lowering, name, receiver, args);
  const [argument] = args;
  if (argument !== undefined) return lowerStringTest(lowering, name, receiver, argument);
  if (name === NUMBER_SIZE) return lowerSize(lowering, receiver);
  if (name === "lowerAscii" || name === "upperAscii") return lowerCase(lowering, receiver, name === "upperAscii");
  throw new Refusal("forbidden", offset, `the method ${name} is not part of the condition language`);
}
