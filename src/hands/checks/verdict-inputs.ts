import type { SecurityFinding } from "../../model/settings/check.js";
import type { DiffFinding } from "../../model/diff-gate.js";
import type { RunTask } from "../../model/run.js";
import type { VerifyRequest } from "./verify.js";
import type { Waiver } from "../../mind/run/task-record.js";
import { waivedGuardrails, waivedObjections, waivedTests } from "./waived.js";
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

/** Gathers everything a result's verdict depends on beside its checks. */
export function verdictInputs(
  {
    gate,
    changes,
    refusals,
    output,
    promise,
  }: Pick<AttemptResult, "gate" | "changes" | "refusals" | "output" | "promise">,
  task: RunTask,
  waivers: readonly Waiver[],
): Pick<VerifyRequest, JudgedBeside> {
  return {
    objections: attemptObjections({ refusals, output, promise }),
    accepted: waivedObjections(waivers),
    may_go: waivedTests(waivers),
    lifted: waivedGuardrails(waivers),
    changed_files: changes.length,
    changes_due: (task.scope?.write.length ?? 0) > 0,
    blocked: listBlockingFindings(gate, waivers).map(describeFinding),
    security: (gate?.findings ?? []).flatMap((finding) => securityOf(finding, waiverAt(finding, waivers))),
  };
}

/** Lists guardrails that still hold a result. A mere warning holds nothing. */
export function listBlockingFindings(gate: AttemptResult["gate"], waivers: readonly Waiver[]): DiffFinding[] {
  if (gate?.verdict !== "blocked") return [];
  return gate.findings.filter((each) => each.severity === "block" && waiverAt(each, waivers) === null);
}

function waiverAt({ rule_id, path, lifted }: DiffFinding, waivers: readonly Waiver[]): string | null {
  if (lifted !== undefined) return `${lifted.decider.by}: ${lifted.reason}`;
  const isThis = (one: Waiver["guardrails"][number]) => one.rule_id === rule_id && one.path === path;
  return waivers.find(({ guardrails }) => guardrails.some(isThis))?.by ?? null;
}

function describeFinding({ rule_id, path, line, reason, override }: DiffFinding): string {
  return `${rule_id} ${path}${line === undefined ? "" : `:${line}`}: ${reason} (${override} may waive it)`;
}

function securityOf(
  { security, severity, rule_id, path, line, reason }: DiffFinding,
  waivedBy: string | null,
): SecurityFinding[] {
  if (security === undefined) return [];
  const holds = severity !== "warn" && severity !== "validate" && waivedBy === null;
  const said = waivedBy === null ? reason : `${reason} Waived by ${waivedBy}`;
  return [{ kind: security, severity: holds ? "block" : "warn", rule_id, path, line: line ?? null, reason: said }];
}
