import type { ASTNode } from "@marcbachmann/cel-js";
import { type ConditionProblem, problemAt } from "./problem.js";

// Deep enough for a disjunction of 200 terms, shallow enough for every recursive walk that follows.
const MAX_DEPTH = 200;

/** `size` answers a CEL int, which does not mix with numbers; this one is declared to answer a number. */
export const NUMBER_SIZE = "number_size";

const FUNCTIONS = new Set(["has", "size"]);
const LOOPS = new Set(["all", "exists", "exists_one", "filter", "map"]);
const METHODS = new Set([
  ...LOOPS,
  "contains",
  "endsWith",
  "glob",
  "lowerAscii",
  "overlaps",
  "size",
  "startsWith",
  "upperAscii",
]);

/**
 * Hold the syntax tree against the allow-list, and make its numbers all of one kind.
 *
 * Contract: a function, method or kind of literal that is not named here is a problem, whatever the parser
 * may learn to accept. Walks without recursion, and must run before the type checker, which recurses. Rewrites
 * integer literals to doubles and `size` to NUMBER_SIZE in place: facts are JSON, where `1` and `1.0` are
 * the same number.
 */
export function screen(source: string, root: ASTNode): ConditionProblem[] {
  const problems: ConditionProblem[] = [];
  const pending: { node: ASTNode; depth: number; listIndex: boolean }[] = [{ node: root, depth: 1, listIndex: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, depth, listIndex } = next;
    if (depth > MAX_DEPTH) {
      return [problemAt(source, node.pos, "cost", `the condition is nested deeper than ${MAX_DEPTH} levels`)];
    }
    const refused = node.op === "value" ? screenLiteral(node, listIndex) : screenNode(node);
    if (refused !== null) problems.push(problemAt(source, offsetOf(source, node), "forbidden", refused));
    const children = childrenOf(node);
    for (const [index, child] of children.entries()) {
      pending.push({ node: child, depth: depth + 1, listIndex: node.op === "[]" && index === 1 });
    }
  }
  return problems.sort((a, b) => a.line - b.line || a.column - b.column);
}

/** A method is refused where its name stands, not where its receiver begins. */
function offsetOf(source: string, node: ASTNode): number {
  return node.op === "rcall" ? source.indexOf(node.args[0], node.args[1].end) : node.start;
}

function screenNode(node: ASTNode): string | null {
  if (node.op === "call") return screenCall(node.args, FUNCTIONS, `the function ${node.args[0]}`);
  if (node.op === "rcall") {
    if (node.args[0] === "matches") return "matches is not allowed (a pattern could run forever); use glob";
    if (node.args[0] === "map" && node.args[2].length !== 2) return "map takes a variable and an expression";
    return screenCall(node.args, METHODS, `the method ${node.args[0]}`);
  }
  if (node.op === "map") return "map literals are not part of the condition language";
  if (node.op === ".?" || node.op === "[?]") return "optional access is not allowed; ask with has()";
  return null;
}

function screenCall(args: [string, ...unknown[]], allowed: ReadonlySet<string>, what: string): string | null {
  if (!allowed.has(args[0])) return `${what} is not part of the condition language`;
  if (args[0] === "size") args[0] = NUMBER_SIZE;
  return null;
}

function screenLiteral(node: { args: unknown }, listIndex: boolean): string | null {
  const value = node.args;
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "number") return null;
  if (typeof value === "bigint") {
    if (!Number.isSafeInteger(Number(value))) return `the integer ${value} is too large to be exact`;
    // CEL takes only an int as the index of a list.
    if (!listIndex) node.args = Number(value);
    return null;
  }
  if (value === null) return "null is not allowed: an unknown fact holds the condition; ask with has()";
  return "only bool, string and number literals are allowed";
}

function childrenOf(node: ASTNode): readonly ASTNode[] {
  if (node.op === "value" || node.op === "id") return [];
  if (node.op === "." || node.op === ".?") return [node.args[0]];
  if (node.op === "!_" || node.op === "-_") return [node.args];
  if (node.op === "call") return node.args[1];
  if (node.op === "rcall") return [node.args[1], ...node.args[2]];
  return node.op === "map" ? node.args.flat() : node.args;
}
