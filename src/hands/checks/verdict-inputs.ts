import type { SecurityFinding } from "../../model/settings/check.js";
import type { DiffFinding } from "../../model/diff-gate.js";
import type { RunTask } from "../../model/run.js";
import type { VerifyRequest } from "./verify.js";
import type { Lift } from "../../mind/run/state.js";
import { liftedGuardrails, liftedObjections, liftedTests } from "./lifted.js";
import type { AttemptResult } from "../attempts/attempt-order.js";
import { attemptObjections } from "./refused.js";

type JudgedBeside =
  | "changed_files"
  | "changes_due"
  | "blocked"
  | "may_go"
  | "lifted"
  | "security"
  | "objections"
  | "accepted";

/** What a result's verdict depends on beside its checks. */
export function verdictInputs(
  {
    gate,
    changes,
    refusals,
    output,
    promise,
  }: Pick<AttemptResult, "gate" | "changes" | "refusals" | "output" | "promise">,
  task: RunTask,
  lifts: readonly Lift[],
): Pick<VerifyRequest, JudgedBeside> {
  return {
    objections: attemptObjections({ refusals, output, promise }),
    accepted: liftedObjections(lifts),
    may_go: liftedTests(lifts),
    lifted: liftedGuardrails(lifts),
    changed_files: changes.length,
    changes_due: (task.scope?.write.length ?? 0) > 0,
    blocked: heldBy(gate, lifts).map(tellFinding),
    security: (gate?.findings ?? []).flatMap((finding) => securityOf(finding, lifterOf(finding, lifts))),
  };
}

/** What guardrails still hold against a result. What only warns keeps nothing from passing. */
export function heldBy(gate: AttemptResult["gate"], lifts: readonly Lift[]): DiffFinding[] {
  if (gate?.verdict !== "blocked") return [];
  return gate.findings.filter((each) => each.severity === "block" && lifterOf(each, lifts) === null);
}

function lifterOf({ rule_id, path, lifted }: DiffFinding, lifts: readonly Lift[]): string | null {
  if (lifted !== undefined) return `${lifted.decider.by}: ${lifted.reason}`;
  const isThis = (one: Lift["guardrails"][number]) => one.rule_id === rule_id && one.path === path;
  return lifts.find(({ guardrails }) => guardrails.some(isThis))?.by ?? null;
}

function tellFinding({ rule_id, path, line, reason, override }: DiffFinding): string {
  return `${rule_id} ${path}${line === undefined ? "" : `:${line}`}: ${reason} (${override} may lift it)`;
}

function securityOf(
  { security, severity, rule_id, path, line, reason }: DiffFinding,
  lifter: string | null,
): SecurityFinding[] {
  if (security === undefined) return [];
  const holds = severity !== "warn" && severity !== "validate" && lifter === null;
  const said = lifter === null ? reason : `${reason} Lifted by ${lifter}`;
  return [{ kind: security, severity: holds ? "block" : "warn", rule_id, path, line: line ?? null, reason: said }];
}
