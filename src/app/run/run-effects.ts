import type { EffectRunner, RunnableEffect } from "../../hands/engine/effect-runner.js";
import { withoutSecrets } from "../../foundation/files/known-secrets.js";
import { type SecurityFinding, VerdictReport } from "../../model/settings/check.js";
import type { RunEvent } from "../../model/event.js";
import type { RunTask } from "../../model/run.js";
import type { Integrated, IntegrationQueue } from "../../hands/integration/integrate.js";
import type { Resolved } from "../../hands/integration/reapply-resolution.js";
import { makeNotIntegrated } from "../../mind/run/decide/conflicts.js";
import type { Layout } from "../../mind/run/layout.js";
import { attemptKey } from "../../mind/run/ledger.js";
import type { Waiver } from "../../mind/run/task-record.js";
import { integrationRecord, verdictRecord } from "../../mind/run/record-names.js";
import { proofSummary, describeAccepted, describeProvenBy } from "../../mind/run/describe-proof.js";
import type { createAttempts } from "../../hands/attempts/run-attempts.js";
import type { AttemptResult } from "../../hands/attempts/attempt-order.js";
import type { IntegrationRecord } from "../../hands/integration/integration-record.js";
import { resolutionOf } from "../../hands/integration/resolve-conflict.js";
import type { createResolution } from "../../hands/integration/run-resolution.js";
import { listBlockingFindings } from "../../hands/checks/verdict-inputs.js";
import {
  listWaivable,
  waivedObjections,
  waivedTests,
  describeLetGo,
  describeWaived,
  describeSince,
  withSince,
} from "../../hands/checks/waived.js";
import type { ReviewEffect } from "../../hands/integration/review-level.js";
import type { RunRecords } from "../../hands/attempts/run-records.js";

/*
 * Runs the effects of a run: attempt, verify, integrate, resolve, review, prove. Each leaves a record beside the log and ends in
 * the event that says how it went; run again it finds that record and does nothing twice.
 */

export interface EffectRunnerParts {
  readonly layout: Layout;
  readonly attempts: ReturnType<typeof createAttempts>;
  readonly records: RunRecords;
  readonly queue: IntegrationQueue;
  /** Contract: the verdict on a commit against its base, with what rules hold against it. */
  readonly prove: (
    effect: Pick<VerifyEffect, "id" | "attempt">,
    result: AttemptResult,
    task: RunTask,
    waivers: readonly Waiver[],
    signal: AbortSignal,
  ) => Promise<VerdictReport>;
  /** The message a change is taken onto the branch with. */
  readonly messageFor: (task: RunTask, attempt: number, verdict: VerdictReport, waivers: readonly Waiver[]) => string;
  /** Absent when the run has no Intent Spec. */
  readonly requirements?: (
    effect: Extract<RunnableEffect, { kind: "prove_requirements" }>,
    signal: AbortSignal,
  ) => Promise<RunEvent>;
  readonly resolve: ReturnType<typeof createResolution>;
  readonly review: (effect: ReviewEffect, task: RunTask, signal: AbortSignal) => Promise<RunEvent>;
}

type VerifyEffect = Extract<RunnableEffect, { kind: "verify" }>;
type IntegrateEffect = Extract<RunnableEffect, { kind: "integrate" }>;

/**
 * A verdict and a review look at what has been written down, and write down what they saw under a name of its own. A
 * review that asks an agent has its budget set aside in the log first, which puts all before it there too.
 */
const ONLY_LOOKING: ReadonlySet<RunnableEffect["kind"]> = new Set(["verify", "review_level"]);

export function createEffectRunner(parts: EffectRunnerParts): EffectRunner {
  const { plan, indexOf } = parts.layout;
  const taskOf = (taskId: string) => plan.tasks[indexOf.get(taskId) ?? -1] as RunTask;
  const { requirements } = parts;
  return {
    repeatable: ONLY_LOOKING,
    // INVARIANT: what follows from an event follows from it as it is written, so secrets are out before anybody judges it.
    run: async (_, effect, { signal }) => withoutSecrets(await run(effect, signal)),
  };

  function run(effect: RunnableEffect, signal: AbortSignal): Promise<RunEvent> {
    switch (effect.kind) {
      case "start_attempt":
        return parts.attempts.start(effect, signal);
      case "stop_attempt":
        return parts.attempts.stop(effect);
      case "verify":
        return runVerify(parts, effect, taskOf(effect.task_id), signal);
      case "integrate":
        return runIntegrate(parts, effect, taskOf(effect.task_id));
      case "resolve_conflict":
        return parts.resolve(effect, signal);
      case "review_level":
        return parts.review(effect, taskOf(effect.task_id), signal);
      case "prove_requirements":
        if (requirements === undefined) throw new TypeError("this run has no Intent Spec to prove");
        return requirements(effect, signal);
    }
  }
}

async function runVerify(
  parts: EffectRunnerParts,
  effect: VerifyEffect,
  task: RunTask,
  signal: AbortSignal,
): Promise<RunEvent> {
  const { task_id, attempt } = effect;
  const result = await parts.attempts.resultOf(task_id, attempt);
  if (result === null)
    return {
      type: "verification_finished",
      task_id,
      attempt,
      verdict: "BLOCKED",
      evidence: "the attempt's record is gone",
    };
  const proven = await parts.prove(effect, result, task, effect.lifted, signal);
  const report = withSince(proven, result.base, result.commit ?? result.base);
  const { ref } = await parts.records.write(verdictRecord(attemptKey(task_id, attempt)), report);
  return {
    type: "verification_finished",
    task_id,
    attempt,
    verdict: report.verdict,
    evidence: describeVerdict(report, result.refused, ref),
    ...listWaivable(report, listBlockingFindings(result.gate, effect.lifted)),
    proof: proofSummary(report),
  };
}

function describeVerdict(report: VerdictReport, refused: readonly string[], ref: string): string {
  const proven = report.proven_by.slice(0, 5).map(describeProvenBy).join("; ");
  const good = proven === "" ? "nothing is worse than on the base" : `proven by ${proven}`;
  // The first line of a failure often ends in a colon: what it announces is in the record.
  const reasons = report.reasons.slice(0, 5).map((reason) => reason.replace(/[:\s]+$/u, ""));
  const said = reasons.length > 0 ? reasons.join("; ") : good;
  const notes = [
    report.already_done ?? "",
    describeSince(report),
    describeFailedBefore(report),
    report.flaky.length > 0 ? `${report.flaky.length} flaky` : "",
    report.security.length > 0 ? `security: ${report.security.slice(0, 3).map(describeSecurity).join(", ")}` : "",
    report.fixed.length > 0 ? `${report.fixed.length} fixed` : "",
    describeLetGo(report.let_go.map(({ finding, by }) => ({ name: finding.name, by }))),
    describeWaived(report.lifted),
    ...report.accepted.slice(0, 3).map(describeAccepted),
    report.unreached.length > 0 ? `no check touches ${report.unreached.slice(0, 3).join(", ")}` : "",
    describeRefused(report, refused),
  ].filter((note) => note !== "");
  return `${said}${notes.length > 0 ? ` (${notes.join(", ")})` : ""} [${ref}]`;
}

/** Where a refusal holds the result it is one of the reasons already. */
function describeRefused({ verdict, objections }: VerdictReport, refused: readonly string[]): string {
  if (verdict === "PASS" || refused.length === 0 || objections.some(({ kind }) => kind === "refused")) return "";
  return `it was refused ${refused.slice(0, 3).join("; ")}`;
}

/** By name, because "failed before" excuses them. */
function describeFailedBefore({ pre_existing: before }: VerdictReport): string {
  if (before.length === 0) return "";
  const named = before.slice(0, 3).map(({ check, finding }) => (finding.name === "" ? check : finding.name));
  const more = before.length > named.length ? ` and ${before.length - named.length} more` : "";
  return `${before.length} failed before: ${named.join(", ")}${more}`;
}

function describeSecurity({ kind, severity, rule_id, path, line }: SecurityFinding): string {
  const where = path === null ? "" : ` in ${path}${line === null ? "" : `:${line}`}`;
  return `${kind.replaceAll("_", " ")}${where} (${rule_id}, ${severity})`;
}

async function runIntegrate(parts: EffectRunnerParts, effect: IntegrateEffect, task: RunTask): Promise<RunEvent> {
  const { task_id, attempt, conflict } = effect;
  const result = await parts.attempts.resultOf(task_id, attempt);
  const read = VerdictReport.safeParse(await parts.records.read(verdictRecord(attemptKey(task_id, attempt))));
  const report = read.success ? read.data : null;
  const finishIntegration = (ref: string, record?: string): RunEvent => ({
    type: "integration_finished",
    task_id,
    attempt,
    integrated: true,
    ref,
    ...(record === undefined ? {} : { record }),
  });
  if (result === null || report === null)
    return makeNotIntegrated(effect, "the record of its attempt or verdict is gone");
  // INVARIANT: whatever asks for it, nothing is taken that was not proven (bypass_ralph).
  if (report.verdict !== "PASS")
    return makeNotIntegrated(
      effect,
      `bypass_ralph is forbidden: its verdict is ${report.verdict}, and only PASS is integrated`,
    );
  if (result.commit === null) return finishIntegration(await parts.queue.tip());
  const resolved = await findResolution(parts, effect);
  if (resolved === null) return makeNotIntegrated(effect, "the record of its resolution is gone");
  const onto = await parts.queue.tip();
  const may_go = waivedTests(effect.lifted);
  const accepted = waivedObjections(effect.lifted);
  const message = parts.messageFor(task, attempt, report, effect.lifted);
  const { commit } = result;
  const outcome = await parts.queue.integrate({ task_id, attempt, commit, message, may_go, accepted, ...resolved });
  const record: IntegrationRecord = { task_id, attempt, onto, outcome };
  const kept = await parts.records.write(integrationRecord(task_id), record);
  if (outcome.status === "integrated") return finishIntegration(outcome.commit, kept.ref);
  if (outcome.status === "regression")
    return { ...makeNotIntegrated(effect, describeIntegration(outcome)), ...listWaivable(outcome.report) };
  if (outcome.status !== "conflict") return makeNotIntegrated(effect, describeIntegration(outcome));
  return {
    type: "conflict_found",
    task_id,
    attempt,
    round: (conflict?.round ?? 0) + 1,
    onto: outcome.onto,
    paths: outcome.conflicts.map(({ path }) => path),
    ref: result.ref ?? "the attempt's ref",
  };
}

/** The resolution of its conflict, as the log names it; null when its record is gone. */
async function findResolution(
  { records }: EffectRunnerParts,
  { task_id, attempt, conflict }: IntegrateEffect,
): Promise<{ readonly resolved?: Resolved } | null> {
  if (conflict === null || conflict.resolution === null) return {};
  const kept = await resolutionOf(records, attemptKey(task_id, attempt), conflict.resolution);
  if (kept === null || kept.tree === null) return null;
  const { onto, tree, paths, answer } = kept;
  return { resolved: { onto, tree, paths, left_out: answer?.left_out ?? [] } };
}

function describeIntegration(outcome: Exclude<Integrated, { status: "integrated" | "conflict" }>): string {
  switch (outcome.status) {
    case "lossy":
      return `the merge would lose ${outcome.lost.length} lines, the first in ${outcome.lost[0]?.path ?? "?"}`;
    case "regression": {
      const since = describeSince(outcome.report);
      const reasons = outcome.report.reasons.slice(0, 3).join("; ");
      return `passes alone and not together with what is on the branch: ${reasons}${since === "" ? "" : ` (${since})`}`;
    }
  }
}
