import { fileURLToPath } from "node:url";
import { readText } from "../../foundation/documents/read-document.js";
import type { Position } from "../../foundation/documents/position.js";
import { type Diagnostic } from "../../model/diagnostic.js";
import { type CompiledPolicy, compilePolicy, type PolicyProblem } from "../../mind/route/compile-policy.js";
import { type Located, placeIn, segmentsOf } from "../../foundation/documents/path-segments.js";
import { readShipped } from "../../foundation/documents/shipped-document.js";
import { readLearnedModel } from "../../foundation/documents/shipped-model.js";
import { findFirst, readRaw } from "../project/read-input.js";

const POLICY_FILES = ["governance/policy.yaml", "governance/policy.yml", "governance/policy.json"];

export type LoadedPolicy =
  | { readonly ok: true; readonly policy: CompiledPolicy }
  | { readonly ok: false; readonly problems: readonly Diagnostic[] };

/** The named policy, the project's own, or the one that comes with the package, with what it takes to judge a request. */
export async function loadRoutingPolicy(file: string | undefined, cwd: string): Promise<LoadedPolicy> {
  const loaded = await loadRoutingLimits(file, cwd);
  if (!loaded.ok || !loaded.policy.rules.some(({ asksLearned }) => asksLearned)) return loaded;
  return { ok: true, policy: { ...loaded.policy, learned: await readLearnedModel("routing") } };
}

/** Loads only the limits of the policy for a run: the weights of the learned layer are not read. */
export async function loadRoutingLimits(file: string | undefined, cwd: string): Promise<LoadedPolicy> {
  const own = file ?? (await findFirst(POLICY_FILES, cwd));
  const found = own ?? shippedRoutingPolicy();
  const raw = await readRaw(found, cwd, own === undefined ? readShipped : undefined);
  if (!raw.ok) return raw;
  const compiled = compilePolicy(raw.value);
  if (compiled.ok) return compiled;
  const read = await readText(found, undefined, { from: cwd });
  return { ok: false, problems: placeInPolicy(compiled.problems, raw, read.ok ? read.text : "") };
}

function shippedRoutingPolicy(): string {
  return fileURLToPath(new URL("../../../policy/routing.yaml", import.meta.url));
}

/** Each problem at its place in the file, a problem of a condition at the character it is about. */
function placeInPolicy(problems: readonly PolicyProblem[], at: Located, text: string): Diagnostic[] {
  const lines = text.split(/\r?\n/);
  return problems.map(({ condition, ...problem }) => {
    const [placed = problem] = placeIn(at, [problem]);
    return condition === undefined
      ? placed
      : { ...placed, ...placeInCondition(lines, at.locate(segmentsOf(problem.path)), condition) };
  });
}

/**
 * Where a place in the text of a condition stands in the file. A condition may be quoted, or run over several lines that
 * YAML folds into one; what is counted is the text as it was read.
 */
function placeInCondition(lines: readonly string[], start: Position, condition: Position): Position {
  let row = start.line - 1;
  let column = start.column - 1;
  const first = lines[row]?.[column];
  if (first === '"' || first === "'") column++;
  const block = first === "|" || first === ">";
  const nextLine = () => {
    do row++;
    while (row < lines.length && (lines[row] ?? "").trim() === "");
    column = (lines[row] ?? "").search(/\S|$/);
  };
  if (block) nextLine();
  // In a literal block a line is a line; where lines are folded, a line break is written as an empty line.
  if (first === "|") row += condition.line - 1;
  else for (let line = 1; line < condition.line; line++) nextLine();
  let left = condition.column - 1;
  for (;;) {
    const length = (lines[row] ?? "").trimEnd().length - column;
    // A line that is folded into the next one stands for its text and one blank.
    if (left <= length || row >= lines.length - 1 || first === "|") break;
    left -= length + 1;
    nextLine();
  }
  return row < lines.length ? { line: row + 1, column: column + left + 1 } : start;
}
