import type { Diagnostic } from "../../model/diagnostic.js";
import type { LoadedRegistry } from "../../hands/registry/load-registry.js";

/** A problem inside the condition of a rule or guardrail, at its place in the file it was read from. */
export function placeInRule(problem: Diagnostic, { sources }: Pick<LoadedRegistry, "sources">): Diagnostic {
  const [, kind = "", id = ""] = /^(rule|guardrail)s\.(\w+)\.when$/.exec(problem.path) ?? [];
  const source = sources.get(`${kind}:${id}`);
  if (source === undefined) return problem;
  const { file, whenLine = source.line, whenColumn = source.column } = source;
  return {
    ...problem,
    file,
    line: whenLine + (problem.line ?? 1) - 1,
    column: whenColumn + (problem.column ?? 1) - 1,
  };
}
