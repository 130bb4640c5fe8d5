import type { ASTNode, BinaryOperator } from "@marcbachmann/cel-js";
import { unify } from "./fact-schema.js";
import { lowerEquality, lowerMembership } from "./lower-equality.js";
import type { Lowered, Lowering, Run } from "./lowering.js";
import { failure } from "./outcome.js";
import { Refusal } from "./problem.js";

/**
 * Contract: an absorbing side decides (`false` for `&&`, `true` for `||`), even against a Held on the
 * other side; else the first Held is the answer.
 */
export function lowerLogic(lowering: Lowering, op: "&&" | "||", args: readonly [ASTNode, ASTNode]): Lowered {
  const left = lowering.lower(args[0]);
  const right = lowering.lower(args[1]);
  const absorbing = op === "||";
  const x = left.run;
  const y = right.run;
  const run: Run = (scope) => {
    const a = x(scope);
    if (a === absorbing) return absorbing;
    const b = y(scope);
    if (b === absorbing || typeof a === "boolean") return b;
    return a;
  };
  return { type: "bool", run, cost: left.cost + right.cost + 1, path: "" };
}

export function lowerNot(lowering: Lowering, node: ASTNode): Lowered {
  const { run: x, cost } = lowering.lower(node);
  const run: Run = (scope) => {
    const a = x(scope);
    return typeof a === "boolean" ? !a : a;
  };
  return { type: "bool", run, cost: cost + 1, path: "" };
}

export function lowerMinus(lowering: Lowering, node: ASTNode): Lowered {
  const { run: x, cost, literal } = lowering.lower(node);
  if (typeof literal === "number") return { type: "number", run: () => -literal, cost: 1, path: "", literal: -literal };
  const run: Run = (scope) => {
    const a = x(scope);
    return typeof a === "number" ? -a : a;
  };
  return { type: "number", run, cost: cost + 1, path: "" };
}

/** Contract: only the chosen branch runs; a Held condition chooses none. */
export function lowerChoice(lowering: Lowering, args: readonly [ASTNode, ASTNode, ASTNode]): Lowered {
  const condition = lowering.lower(args[0]);
  const yes = lowering.lower(args[1]);
  const no = lowering.lower(args[2]);
  const run: Run = (scope) => {
    const chosen = condition.run(scope);
    if (chosen === true) return yes.run(scope);
    return chosen === false ? no.run(scope) : chosen;
  };
  return {
    type: unify(yes.type, no.type),
    run,
    cost: condition.cost + Math.max(yes.cost, no.cost) + 1,
    path: "",
  };
}

export function lowerBinary(lowering: Lowering, node: ASTNode & { readonly op: BinaryOperator }): Lowered {
  const left = lowering.lower(node.args[0]);
  const right = lowering.lower(node.args[1]);
  switch (node.op) {
    case "==":
    case "!=":
      return lowerEquality(node, left, right, node.op === "==");
    case "in":
      return lowerMembership(node, left, right);
    case "<":
    case "<=":
    case ">":
    case ">=":
      return lowerOrder(node.op, left, right);
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
    default:
      return lowerArithmetic(node, left, right);
  }
}

function lowerOrder(op: "<" | "<=" | ">" | ">=", left: Lowered, right: Lowered): Lowered {
  const x = left.run;
  const y = right.run;
  const cost = left.cost + right.cost + 1;
  const compare = orderings[op];
  const limit = right.literal;
  if (limit !== undefined) {
    const run: Run = (scope) => {
      const a = x(scope) as typeof limit;
      return typeof a === "object" ? a : compare(a, limit);
    };
    return { type: "bool", run, cost, path: "" };
  }
  const run: Run = (scope) => {
    const a = x(scope) as string | number;
    if (typeof a === "object") return a;
    const b = y(scope) as string | number;
    return typeof b === "object" ? b : compare(a, b);
  };
  return { type: "bool", run, cost, path: "" };
}

type Ordered = string | number | boolean;
const orderings = {
  "<": (a: Ordered, b: Ordered) => a < b,
  "<=": (a: Ordered, b: Ordered) => a <= b,
  ">": (a: Ordered, b: Ordered) => a > b,
  ">=": (a: Ordered, b: Ordered) => a >= b,
};

function lowerArithmetic(node: ASTNode, left: Lowered, right: Lowered): Lowered {
  const x = left.run;
  const y = right.run;
  const cost = left.cost + right.cost + 1;
  if (left.type === "string") {
    const run: Run = (scope) => {
      const a = x(scope);
      if (typeof a !== "string") return a;
      const b = y(scope);
      return typeof b === "string" ? a + b : b;
    };
    return { type: "string", run, cost, path: "" };
  }
  if (left.type !== "number") throw new Refusal("forbidden", node.pos, "lists cannot be added");
  const compute = arithmetic[node.op as keyof typeof arithmetic];
  // INVARIANT: a result that is not finite (a division by zero, an overflow) is an error, never a number.
  const wrong = failure(right.path || left.path, `${node.op} gives no finite number`);
  const run: Run = (scope) => {
    const a = x(scope);
    if (typeof a !== "number") return a;
    const b = y(scope);
    if (typeof b !== "number") return b;
    const result = compute(a, b);
    return Number.isFinite(result) ? result : wrong;
  };
  return { type: "number", run, cost, path: "" };
}

const arithmetic = {
  "+": (a: number, b: number) => a + b,
  "-": (a: number, b: number) => a - b,
  "*": (a: number, b: number) => a * b,
  "/": (a: number, b: number) => a / b,
  "%": (a: number, b: number) => a % b,
};
