import { byCodeUnit } from "../../model/by-code-unit.js";
import type { Change, DiffDecision, DiffFinding, GuardrailOverride } from "../../model/diff-gate.js";
import type { GuardrailSeverity } from "../../model/plan/registry.js";
import type { Scope } from "../../model/scope.js";
import { matchesGlob } from "../../foundation/globs/glob.js";
import type { CompiledGuardrails, CompiledResultRule } from "./compile-guardrails.js";
import type { LinePattern } from "./line-pattern.js";
import { compilePaths, IN_SANDBOX, type PathSet, placePath } from "./paths.js";
import { isGitPath } from "../../model/fold-path.js";
import { findPersonalData } from "./personal-data.js";
import { redactSecrets } from "../../foundation/secrets/redact.js";
import { findSecretLines } from "./secret-lines.js";
import { languageOf, partsOf } from "./source-text.js";
import type { DiffLine, FileLines } from "./unified-diff.js";

/*
 * The gate over the whole result of an attempt. It looks at what really changed, whatever was asked or seen before, and
 * is the last word on scope and guardrails.
 */

export interface GateInput {
  readonly scope: Scope;
  readonly guardrails: CompiledGuardrails;
  readonly changes: readonly Change[];
  /** The lines of the changed files; a text file without them is not let through unseen. */
  readonly lines: readonly FileLines[];
  readonly overrides: readonly GuardrailOverride[];
}

const SYMLINK = "120000";
const GITLINK = "160000";
const MAX_FINDINGS_PER_RULE_AND_FILE = 20;

/**
 * Contract: pure and total; findings in the order of path, line and rule, however the changes are ordered.
 * INVARIANT: a change outside the scope never passes, and a guardrail is waived by a person or not at all.
 */
export function diffGate(input: GateInput): DiffDecision {
  const { scope, changes, overrides } = input;
  const write = compilePaths(scope.write);
  const lines = new Map(input.lines.map((file) => [file.path, file]));
  const findings = changes.flatMap((change) => [
    ...scopeFindings(change, write),
    ...guardrailFindings(change, lines.get(change.path), write, input.guardrails.onResult),
  ]);
  if (changes.length > scope.files)
    findings.push({
      rule_id: "scope_files",
      severity: "resource",
      path: "",
      reason: `${changes.length} files were changed, and the scope permits ${scope.files}.`,
      override: "person",
    });
  const judged = findings.map((finding) => withOverride(finding, input.guardrails, overrides)).sort(inOrder);
  return { verdict: verdictOf(judged), findings: judged };
}

function scopeFindings({ path, mode, change }: Change, write: PathSet): DiffFinding[] {
  const violation = (rule: string, reason: string): DiffFinding[] => [
    { rule_id: rule, severity: "violation", path, reason, override: "nobody" },
  ];
  const placed = placePath(path, IN_SANDBOX);
  const spelled = placed.where === "inside" && placed.path === path;
  if (isGitPath(path)) return violation("scope_git_internals", "Only git itself writes below .git.");
  if (!spelled) return violation("scope_path", "The path is not a plain path inside the workspace.");
  if (mode === GITLINK) return violation("scope_nested_repository", "A nested repository hides its files from review.");
  if (!write.has(path)) return violation("scope_write", "The path is not among those the attempt may write.");
  const link = mode === SYMLINK && change !== "deleted" && !write.names(path);
  return link
    ? violation("scope_link", "A link may lead out of the workspace, so it has to be named in the scope.")
    : [];
}

function guardrailFindings(
  change: Change,
  file: FileLines | undefined,
  write: PathSet,
  rules: readonly CompiledResultRule[],
): DiffFinding[] {
  const found: DiffFinding[] = [];
  for (const rule of rules) {
    const { entry } = rule;
    if (!entry.changes.includes(change.change) || !rule.looksAt(change.path)) continue;
    if (entry.unless_named && write.names(change.path)) continue;
    if (rule.protects) found.push(findingOf(rule, change.path));
    else if (!change.binary && change.change !== "typechanged") found.push(...lineFindings(rule, change, file));
  }
  return found;
}

function lineFindings(
  rule: CompiledResultRule,
  { path, change, size }: Change,
  file: FileLines | undefined,
): DiffFinding[] {
  // A file that cannot be read is not taken for clean: a deletion alone has nothing to add.
  if (file === undefined) return size === 0 || change === "deleted" ? [] : [unseenFinding(rule, path)];
  const found: DiffFinding[] = [];
  for (const line of file.added)
    if (hits(rule, rule.added, line, path) && !isShortened(rule, line, file.removed))
      found.push(findingOf(rule, path, line));
  if (rule.entry.secrets)
    for (const { line, excerpt } of findSecretLines(file.added))
      found.push({ ...findingOf(rule, path), line, excerpt: clip(excerpt) });
  if (rule.entry.personal_data)
    for (const { line, shape } of findPersonalData(file.added))
      found.push({ ...findingOf(rule, path), line, excerpt: `[${shape}]` });
  for (const line of file.removed) if (hits(rule, rule.removed, line, path)) found.push(findingOf(rule, path, line));
  if (file.capped) found.push(unseenFinding(rule, path));
  return found.slice(0, MAX_FINDINGS_PER_RULE_AND_FILE);
}

/** `allow(a, b)` that becomes `allow(a)` adds nothing: the list in brackets is a part of one that stood there before. */
function isShortened({ added }: CompiledResultRule, line: DiffLine, removed: readonly DiffLine[]): boolean {
  const pattern = added.find((each) => each.find(line.text) !== -1);
  const now = pattern === undefined ? null : listIn(line.text.slice(pattern.find(line.text)));
  if (pattern === undefined || now === null) return false;
  return removed.some(({ text }) => {
    const at = pattern.find(text);
    const before = at === -1 ? null : listIn(text.slice(at));
    return before !== null && now.every((word) => before.includes(word));
  });
}

/** The words in the first brackets; null when there are none: without a list such a line often means everything. */
function listIn(text: string): string[] | null {
  const words = /\(([^()]*)\)/.exec(text)?.[1]?.match(/[\w:.-]+/g) ?? null;
  return words === null ? null : [...words];
}

function hits(
  { entry, unless }: CompiledResultRule,
  patterns: readonly LinePattern[],
  { text }: DiffLine,
  path: string,
): boolean {
  // Cutting a line into its parts costs more than not finding anything in it.
  const possible = patterns.filter((pattern) => pattern.find(text) !== -1);
  if (possible.length === 0 || unless.some((pattern) => pattern.find(text) !== -1)) return false;
  if (entry.where === "anywhere") return true;
  const part = partsOf(text, languageOf(path))[entry.where];
  return possible.some((pattern) => pattern.find(part) !== -1);
}

function findingOf({ entry }: CompiledResultRule, path: string, line?: DiffLine): DiffFinding {
  const { id, severity, reason, override, validation, security, document } = entry;
  return {
    rule_id: id,
    severity,
    path,
    ...(line === undefined ? {} : { line: line.line, excerpt: excerptOf(line.text) }),
    ...(security === undefined ? {} : { security }),
    ...(document === undefined ? {} : { document }),
    reason: validation === undefined ? reason : `${reason} To be shown first: ${validation}`,
    override: severity === "block" ? override : severity === "warn" || severity === "validate" ? "person" : "nobody",
  };
}

function unseenFinding(rule: CompiledResultRule, path: string): DiffFinding {
  return { ...findingOf(rule, path), reason: `Not all of the file could be looked at. ${rule.entry.reason}` };
}

function excerptOf(text: string): string {
  return clip(redactSecrets(text));
}

function clip(text: string): string {
  const excerpt = text.trim();
  return excerpt.length > 200 ? `${excerpt.slice(0, 199)}…` : excerpt;
}

/** A block is waived by a person, for this version of the guardrail, as the reviewer it asks for. */
function withOverride(
  finding: DiffFinding,
  { onResult }: CompiledGuardrails,
  overrides: readonly GuardrailOverride[],
): DiffFinding {
  if (finding.severity !== "block" || finding.override === "nobody") return finding;
  const version = onResult.find(({ entry }) => entry.id === finding.rule_id)?.entry.version;
  const lifted = overrides.find(
    (one) =>
      one.rule_id === finding.rule_id &&
      one.version === version &&
      one.decider.how === "person" &&
      (finding.override === "person" || one.as === finding.override) &&
      (one.path === finding.path || matchesGlob(one.path, finding.path)),
  );
  return lifted === undefined ? finding : { ...finding, lifted };
}

const VERDICTS: readonly {
  readonly verdict: DiffDecision["verdict"];
  readonly by: readonly DiffFinding["severity"][];
}[] = [
  { verdict: "safety", by: ["safety"] },
  { verdict: "violation", by: ["violation", "frozen"] },
  { verdict: "resource", by: ["resource"] },
  { verdict: "blocked", by: ["block"] },
];

function verdictOf(findings: readonly DiffFinding[]): DiffDecision["verdict"] {
  const open = findings.filter(({ lifted }) => lifted === undefined);
  return VERDICTS.find(({ by }) => open.some(({ severity }) => by.includes(severity)))?.verdict ?? "pass";
}

const SEVERITIES: readonly (GuardrailSeverity | "violation" | "resource")[] = [
  "safety",
  "violation",
  "frozen",
  "resource",
  "block",
  "validate",
  "warn",
];

function inOrder(a: DiffFinding, b: DiffFinding): number {
  return (
    byCodeUnit(a.path, b.path) ||
    (a.line ?? 0) - (b.line ?? 0) ||
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
    byCodeUnit(a.rule_id, b.rule_id)
  );
}
