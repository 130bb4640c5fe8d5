import type { AgentEnding } from "../agents/agent.js";
import type { DiffDecision } from "../../model/diff-gate.js";
import type { AttemptOutcome } from "../../model/run.js";
import type { Refusal, ScopeAddition } from "../../model/scope.js";
import { addScopes } from "../../mind/run/task-record.js";
import type { CompiledGuardrails } from "../../mind/scope/compile-guardrails.js";
import { diffGate } from "../../mind/scope/diff-gate.js";
import { listOpenRefusals } from "../../mind/scope/refusals.js";
import { parseUnifiedDiff } from "../../mind/scope/unified-diff.js";
import { SlowIgnoreFiles } from "../workspace/ignored.js";
import type { ChangeSet, ImportOutcome } from "../workspace/import.js";
import type { Workspace } from "../workspace/open-workspace.js";
import type { Quarantine } from "../workspace/quarantine.js";
import type { AttemptOrder, AttemptResult } from "./attempt-order.js";

/* Takes over the files that an agent left in its workspace, through the gates. */

export type TakeOverResult = Pick<AttemptResult, "outcome" | "commit" | "ref" | "changes" | "gate" | "notices">;

/** The agent's result after the gates. Only a completed attempt is taken over; all other work is salvaged. */
export async function takeOver(
  order: AttemptOrder,
  quarantine: Quarantine,
  workspace: Workspace,
  guardrails: CompiledGuardrails,
  ending: Pick<AgentEnding, "outcome" | "structured">,
  refusals: readonly Refusal[],
): Promise<TakeOverResult> {
  const { outcome } = ending;
  const nothing = { commit: null, ref: null, changes: [], gate: null, notices: [] };
  if (outcome.kind !== "completed") return { ...nothing, outcome };
  const imported = await workspace.import({ write: order.scope.write, message: order.message, ...byAuthor(order) });
  const notices = imported.notices.map(({ gate, path, detail }) => `${gate} ${path}: ${detail}`);
  if (imported.status === "unchanged") {
    const request = missingFor(refusals);
    const done: AttemptOutcome = { kind: "completed", output_ref: order.base };
    // It was refused what it needed and did nothing: a person may add it. Otherwise the verdict decides on what it did,
    // and anyone who was asked for an answer and gave it has done all there was to do.
    const isDone = request === null || ending.structured !== undefined;
    return { ...nothing, outcome: isDone ? done : wider(request), notices };
  }
  if (imported.status === "refused")
    return { ...nothing, outcome: refusedOutcome(imported), changes: filesOf(imported.changes), notices };
  const gate = await judgeChanges(order, quarantine, guardrails, imported.changes);
  const taken = { commit: imported.commit, ref: imported.ref, changes: filesOf(imported.changes), gate, notices };
  return { ...taken, outcome: afterGate(gate) ?? { kind: "completed", output_ref: imported.commit } };
}

/** Ignore files that take too long are what they are: another attempt would wait as long, and no agent has failed. */
export function notTakenOver(error: unknown): TakeOverResult {
  if (!(error instanceof SlowIgnoreFiles)) throw error;
  return { outcome: tooSlow(error), commit: null, ref: null, changes: [], gate: null, notices: [] };
}

export function tooSlow({ message, fix = "" }: SlowIgnoreFiles): AttemptOutcome {
  return { kind: "environment", message: `${message}. ${fix}`.trim() };
}

/** The addition to the scope with which nothing that the work may depend on is refused; null when none would help. */
function missingFor(refusals: readonly Refusal[]): ScopeAddition | null {
  const additions = listOpenRefusals(refusals).flatMap(({ addition }) => (addition === undefined ? [] : [addition]));
  return additions.length === 0 ? null : additions.reduce(addScopes);
}

function wider(request: ScopeAddition): AttemptOutcome {
  const wanted = [...request.write, ...request.commands, ...request.network];
  return { kind: "scope_request", request, message: wanted.slice(0, 5).join(", ") };
}

function filesOf(changes: ChangeSet | null): AttemptResult["changes"] {
  return changes === null ? [] : [...changes.files];
}

async function judgeChanges(
  order: AttemptOrder,
  quarantine: Quarantine,
  guardrails: CompiledGuardrails,
  { base, tree, files }: ChangeSet,
): Promise<DiffDecision> {
  const diff = await quarantine.git.must("Reading the change", {
    gitDir: quarantine.gitDir,
    args: ["diff-tree", "-r", "-p", "-U0", "--no-color", "--no-renames", "--no-ext-diff", "--no-textconv", base, tree],
  });
  const lines = parseUnifiedDiff(diff.toString("utf8")).files;
  return diffGate({ scope: order.scope, guardrails, changes: files, lines, overrides: order.overrides });
}

/** The outcome that a gate over the whole result gives an attempt that called itself done; null when it passes. */
function afterGate({ verdict, findings }: DiffDecision): AttemptOutcome | null {
  const open = findings.filter(({ lifted }) => lifted === undefined);
  // Leaving the scope is graver than contradicting a document.
  const outside = open.find(({ severity, document }) => GRAVE.has(severity) && document === undefined);
  const worst =
    verdict === "violation"
      ? (outside ?? open.find(({ severity }) => GRAVE.has(severity)))
      : (open.find(({ severity }) => severity === verdict) ?? open[0]);
  const { document } = worst ?? {};
  const where = document === undefined ? "" : `${document}, `;
  const message = worst === undefined ? verdict : `${where}${worst.rule_id}: ${worst.path}: ${worst.reason}`;
  if (verdict === "safety") return { kind: "safety", message };
  if (verdict === "violation")
    return { kind: "semantic", violation: document === undefined ? "scope" : "rule", message };
  return verdict === "resource" ? { kind: "resource", what: "files", message } : null;
}

const GRAVE: ReadonlySet<string> = new Set(["violation", "frozen"]);
const TOO_MUCH = new Set(["too_many", "too_large", "too_deep"]);
const UNREADABLE = new Set(["unreadable", "timeout", "objects"]);

function refusedOutcome({ findings }: Extract<ImportOutcome, { status: "refused" }>): AttemptOutcome {
  const [first] = findings;
  const message = findings
    .slice(0, 5)
    .map(({ gate, path, detail }) => `${gate} ${path}: ${detail}`)
    .join("; ");
  if (first !== undefined && TOO_MUCH.has(first.gate)) return { kind: "resource", what: "files", message };
  if (first !== undefined && UNREADABLE.has(first.gate))
    return { kind: "structural", error: "malformed_output", message };
  return { kind: "semantic", violation: "scope", message };
}

const byAuthor = ({ author }: Pick<AttemptOrder, "author">) => (author === undefined ? {} : { author });
