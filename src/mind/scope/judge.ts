import type { Judgement, Scope, ScopeAddition, ToolUse } from "../../model/scope.js";
import type { Held } from "../../foundation/conditions/outcome.js";
import { literalPattern } from "./commands/command-pattern.js";
import type { CompiledGuardrails, CompiledResultRule } from "./compile-guardrails.js";
import type { UseRule } from "./core-rules.js";
import { IN_SANDBOX, type SandboxPaths } from "./paths.js";
import { createUseReader, type UseFacts } from "./use-facts.js";

/*
 * Every use of a tool passes here, asked for or seen. All rules are asked, the strictest answer holds, and a rule that
 * cannot answer counts as one that objects.
 */

type Severity = UseRule["severity"];

interface Objection {
  readonly severity: Severity;
  readonly rule_id: string;
  readonly reason: string;
}

const STRICTNESS: Readonly<Record<Severity, number>> = { block: 0, frozen: 1, safety: 2 };
const DEED_OF: Readonly<Record<Severity, Judgement["decision"]>> = {
  block: "violation",
  frozen: "violation",
  safety: "safety",
};

/**
 * Make the judge of one scope.
 *
 * Contract: the judge is pure and total: the same use gets the same judgement, with the rule that decided and why.
 * INVARIANT: nothing is allowed that a rule objects to or cannot decide. Guardrails only ever add objections.
 */
export function compileScope(
  scope: Scope,
  rules: CompiledGuardrails,
  paths: SandboxPaths = IN_SANDBOX,
): (use: ToolUse) => Judgement {
  const read = createUseReader(scope, paths);
  const limits = { tools: scope.tools, network: scope.network, files: scope.files, minutes: scope.minutes };
  const protections = rules.onResult.filter(
    ({ protects, entry }) => protects && (entry.severity === "frozen" || entry.severity === "block"),
  );
  return (use) => {
    const facts = read(use);
    const objections: Objection[] = [];
    for (const { rule, condition } of rules.onUse) {
      const outcome = condition === null ? null : condition.evaluate({ use: facts, scope: limits });
      if (outcome === false) continue;
      if (outcome === true) objections.push({ ...rule, rule_id: rule.id, reason: reasonOf(rule, facts) });
      else objections.push(heldJudgement(rule, outcome));
    }
    for (const protection of protections) objections.push(...protectedPaths(protection, facts));
    return judgementOf(use, facts, objections);
  };
}

function judgementOf(use: ToolUse, facts: UseFacts, objections: readonly Objection[]): Judgement {
  const [first, ...others] = objections;
  if (first === undefined)
    return { decision: "allow", rule_id: "scope", reason: "All of it is in the scope, and no guardrail objects." };
  const deciding = others.reduce(
    (worst, next) => (STRICTNESS[next.severity] > STRICTNESS[worst.severity] ? next : worst),
    first,
  );
  const { severity, rule_id, reason } = deciding;
  if (use.stage === "deed") return { decision: DEED_OF[severity], rule_id, reason };
  const addition = severity === "block" ? additionFor(use, facts, objections) : null;
  return addition === null ? { decision: "deny", rule_id, reason } : { decision: "ask", rule_id, reason, addition };
}

function heldJudgement({ id, severity }: UseRule, outcome: Held | null): Objection {
  const why = outcome === null ? "its condition does not load" : outcome.message;
  // A use that a rule cannot decide is not one that a person can add to the scope: it stays denied.
  const strict = severity === "safety" ? "frozen" : severity;
  return {
    severity: strict === "block" ? "frozen" : strict,
    rule_id: id,
    reason: `The rule could not decide: ${why}.`,
  };
}

const NAMED: Readonly<Record<string, keyof UseFacts>> = {
  scope_git_internals: "git_internals",
  scope_credentials: "credentials",
  scope_outside_workspace: "outside_workspace",
  scope_read: "reads_outside",
  scope_write: "writes_outside",
  scope_network: "hosts_outside",
  scope_command: "commands_outside",
  scope_undecidable: "undecidable",
};

/** The reason, with what it is about. */
function reasonOf({ id, reason }: UseRule, facts: UseFacts): string {
  const field = NAMED[id];
  const about = field === undefined ? undefined : (facts[field] as readonly string[]);
  if (about === undefined || about.length === 0) return reason;
  const shown = about.slice(0, 3).map((text) => (text.length > 120 ? `${text.slice(0, 117)}…` : text));
  return `${reason} (${shown.join("; ")}${about.length > 3 ? `; ${about.length - 3} more` : ""})`;
}

/** A path that is protected in results is protected while the work goes on. */
function protectedPaths({ entry, looksAt, meets }: CompiledResultRule, facts: UseFacts): Objection[] {
  const { id, severity, changes, unless_named: unlessNamed, reason } = entry;
  // An effect that a person may still waive is for the gate over the result; so is a guardrail that has to know which files
  // are new.
  const whole = changes.includes("modified") && changes.includes("added");
  if (severity === "block" && (facts.stage === "deed" || !whole)) return [];
  const hit = (unlessNamed ? facts.writes_unnamed : facts.writes).find((path) => {
    const deleted = facts.deletes.includes(path);
    if (!(deleted ? changes.includes("deleted") : whole)) return false;
    // With a directory goes all that is below it.
    return looksAt(path) || (/[*?{]/.test(path) && meets(path)) || (deleted && meets(`${path}/**`));
  });
  if (hit === undefined) return [];
  // A line that names no files may change any, also these: that, and not a wish to change them, is what is refused.
  const isNamed = hit !== "**";
  const why = isNamed ? `${reason} (${hit})` : `It may change any file, also ${shownPattern(entry.paths)}. ${reason}`;
  return [{ severity: severity === "block" ? "block" : "frozen", rule_id: id, reason: why }];
}

const shownPattern = (paths: readonly string[] = []) =>
  paths.length > 1 ? `${paths[0]} and others` : (paths[0] ?? "those");

/** Finds the addition with which this use passes, or null when none would do. */
function additionFor(use: ToolUse, facts: UseFacts, objections: readonly Objection[]): ScopeAddition | null {
  if (objections.some(({ severity }) => severity !== "block")) return null;
  // The line as a whole where it cannot be read: anyone who approves it has read it.
  const whole = facts.undecidable.length > 0 || objections.some(({ rule_id }) => NAMED[rule_id] === undefined);
  const commands =
    use.command === null
      ? []
      : whole
        ? [literalPattern(use.command.trim())]
        : facts.commands_outside.map((text) => literalPattern(text));
  const write = [...new Set([...facts.writes_outside, ...(use.command === null ? facts.writes_unnamed : [])])];
  const needsWrite = objections.some(({ rule_id }) => rule_id === "scope_write" || NAMED[rule_id] === undefined);
  const addition = { commands, write: needsWrite ? write : [], network: [...facts.hosts_outside] };
  const fits =
    addition.commands.length <= 1000 &&
    addition.commands.every((text) => text.length > 0 && text.length <= 2048) &&
    addition.write.every((text) => text.length <= 1024) &&
    addition.network.every((host) => host.length <= 255);
  // A name with the signs of a pattern would permit more than was asked for.
  if (use.paths.some(({ path }) => /[*?{]/.test(path))) return null;
  const empty = addition.commands.length + addition.write.length + addition.network.length === 0;
  return fits && !empty ? addition : null;
}
