import type { FiredSignal, RoutingDecision } from "../../model/routing.js";
import { type Condition, Held } from "../../foundation/conditions/compile-condition.js";
import type { CompiledPolicy, CompiledRule } from "./compile-policy.js";
import { readBody } from "./facts.js";
import { askLearned } from "./learned-route.js";

const WIDTH = 100;
const MOST_SIGNALS = 14;

/**
 * Why a request went where it went, on one screen: the decision, the places in the text behind it, and what the next
 * best rule for the other target would have needed.
 *
 * Contract: pure. `body` is the text the decision was made on; the same arguments give the same text.
 */
export function explainRoute(policy: CompiledPolicy, body: string, decision: RoutingDecision): string {
  const lines = headline(decision);
  const { signals, rules_tried: tried } = decision.explanation;
  const deciding = tried.at(-1);
  const read = new Set(deciding?.reads.map((path) => path.replace("signals.", "")));
  if (deciding !== undefined && decision.status === "routed") {
    const rule = policy.rules.find((r) => r.rule.id === deciding.rule_id);
    if (rule !== undefined) lines.push("", "because", ...rule.terms.map((term) => cut(`  ${oneLine(term.source)}`)));
  }
  const shown = [...signals.filter((s) => read.has(s.name)), ...signals.filter((s) => !read.has(s.name))];
  if (shown.length > 0) lines.push("", "signs in the text (* read by the rule)");
  for (const signal of shown.slice(0, MOST_SIGNALS)) lines.push(cut(signalLine(signal, read.has(signal.name))));
  if (shown.length > MOST_SIGNALS) lines.push(`  and ${shown.length - MOST_SIGNALS} more`);
  const next = nextBest(policy, body, decision);
  if (next !== null) lines.push("", ...next);
  lines.push(...contextLines(decision));
  return `${lines.join("\n")}\n`;
}

function headline(decision: RoutingDecision): string[] {
  const task = decision.task_id ?? "(no task_id)";
  if (decision.status !== "routed") {
    const rule = decision.reason.rule_id === null ? "" : ` (rule ${decision.reason.rule_id})`;
    return [
      cut(`${task}: ${decision.status}, ${decision.reason.code}${rule}`),
      cut(`  ${oneLine(decision.reason.message)}`),
    ];
  }
  const { category, confidence, rule_id } = decision.classification;
  return [cut(`${task}: routed to ${decision.routed_to}`), cut(`  ${category}, ${confidence}, by rule ${rule_id}`)];
}

function signalLine({ name, count, evidence }: FiredSignal, read: boolean): string {
  const places = evidence.slice(0, 3).map((e) => `${e.start}–${e.end} “${e.text.slice(0, 40)}”`);
  return `${read ? "*" : " "} ${name} ${count}: ${places.join(", ")}`;
}

/** The rule for another target that came nearest: the fewest parts of its condition failed. */
function nextBest(policy: CompiledPolicy, body: string, decision: RoutingDecision): string[] | null {
  if (decision.explanation.rules_tried.length === 0) return null;
  const reading = readBody(body);
  const facts = { ...reading.facts, learned: askLearned(policy.learned, reading).chances };
  let best: { rule: CompiledRule; missing: readonly Condition[] } | null = null;
  for (const rule of policy.rules) {
    if (rule.rule.target === decision.routed_to || rule.condition.source === "true") continue;
    const missing = rule.terms.filter((term) => term.evaluate(facts) !== true);
    if (missing.length > 0 && (best === null || missing.length < best.missing.length)) best = { rule, missing };
  }
  if (best === null) return null;
  const lines = best.missing.map((term) => {
    // The reader looks for the words of the text: a long condition gives way to them.
    const readings = `   [${readingsOf(term, facts)}]`;
    return cut(`  ${cut(oneLine(term.source), Math.max(WIDTH / 3, WIDTH - readings.length - 2))}${readings}`);
  });
  return [`next best: ${best.rule.rule.id} → ${best.rule.rule.target}, which also needed`, ...lines];
}

function readingsOf(term: Condition, facts: Readonly<Record<string, Readonly<Record<string, number>>>>): string {
  const outcome = term.evaluate(facts);
  if (outcome instanceof Held) return outcome.message;
  const values = term.reads.map((path) => {
    const [group = "", name = ""] = path.split(".");
    return `${name} ${String(facts[group]?.[name] ?? "?")}`;
  });
  return values.join(", ");
}

function contextLines(decision: RoutingDecision): string[] {
  if (decision.context_log.length === 0) return [];
  const lines = ["", "context"];
  for (const entry of decision.context_log.slice(0, 8))
    lines.push(cut(`  ${entry.decision === "included" ? "+" : "-"} ${entry.ref} (${entry.rule_id})`));
  if (decision.context_log.length > 8) lines.push(`  and ${decision.context_log.length - 8} more in context_log`);
  return lines;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

function cut(line: string, most = WIDTH): string {
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
