import type { SecurityFinding } from "../model/check.js";
import type { DiffFinding } from "../model/diff-gate.js";
import type { RunTask } from "../model/run.js";
import type { VerifyRequest } from "../verify/verify.js";
import type { AttemptResult } from "./attempt-order.js";

/** What a result's verdict depends on beside its checks. */
export function judgedBeside(
  { gate, changes }: Pick<AttemptResult, "gate" | "changes">,
  task: RunTask,
): Pick<VerifyRequest, "changed_files" | "changes_due" | "blocked" | "security"> {
  const findings = gate?.findings ?? [];
  const held = gate?.verdict === "blocked" ? findings.filter(({ lifted }) => lifted === undefined) : [];
  return {
    changed_files: changes.length,
    changes_due: (task.scope?.write.length ?? 0) > 0,
    // What only warns keeps nothing from passing.
    blocked: held.filter(({ severity }) => severity === "block").map(tellFinding),
    security: findings.flatMap(securityOf),
  };
}

function tellFinding({ rule_id, path, line, reason, override }: DiffFinding): string {
  return `${rule_id} ${path}${line === undefined ? "" : `:${line}`}: ${reason} (${override} may lift it)`;
}

function securityOf({ security, severity, rule_id, path, line, reason, lifted }: DiffFinding): SecurityFinding[] {
  if (security === undefined) return [];
  const holds = severity !== "warn" && severity !== "validate" && lifted === undefined;
  const said = lifted === undefined ? reason : `${reason} Lifted by ${lifted.decider.by}: ${lifted.reason}`;
  return [{ kind: security, severity: holds ? "block" : "warn", rule_id, path, line: line ?? null, reason: said }];
}
