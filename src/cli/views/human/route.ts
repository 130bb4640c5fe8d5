import type { ChildScope, ContextLogEntry, FiredSignal, RoutingDecision } from "../../../model/routing.js";
import type { Routed } from "../../../app/plan-reports.js";
import { problemLines } from "./problems.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { count, type Paint, wrap } from "./screen.js";

const MOST_SIGNS = 8;
const MOST_DOCUMENTS = 12;

/** A routing decision on one screen: where, by which rule, on which words, with what to read and what to be allowed. */
export function routeText(report: Routed, paint: Paint): string[] {
  const { decision, screen, problems, contextFile } = report;
  const from = contextFile === null ? [] : [`Context registry: ${oneLine(contextFile)}`];
  if (screen !== null) return [...screen.trimEnd().split("\n"), ...problemSection(report, paint), ...from];
  return [
    ...headline(report, paint),
    ...problemLines(problems, paint),
    ...signs(decision, paint),
    ...documents(decision.context_log, paint),
    ...(decision.child_scope === null ? [] : ["", ...scope(decision.child_scope, paint)]),
    "",
    ...from,
    decision.status === "routed"
      ? `Route: ${decision.routed_to}, task ${oneLine(decision.task_id)}, policy ${report.policyId ?? "none"}`
      : `Route: none, ${decision.status}; a person has to look at it. The input was not changed.`,
    ...(report.next ?? []).map((command) => `Next: ${command}`),
  ];
}

function problemSection({ problems }: Routed, paint: Paint): string[] {
  return problems.length === 0 ? [] : ["", ...problemLines(problems, paint)];
}

function headline({ decision, description, problems }: Routed, paint: Paint): string[] {
  if (decision.status !== "routed") {
    const { code, message, rule_id } = decision.reason;
    const mark = decision.status === "failed" ? paint.bad("x failed") : paint.careful("~ escalated");
    return [
      `${mark}  ${code}${rule_id === null ? "" : `, rule ${rule_id}`}`,
      // Each problem is listed with its place instead.
      ...(problems.length > 0 ? [] : [wrap(message.length > 400 ? `${message.slice(0, 400)}…` : message, "  ")]),
    ];
  }
  const { category, confidence, rule_id } = decision.classification;
  return [
    `${paint.good("+ routed")}  to ${paint.bold(decision.routed_to)}: ${category}, ${confidence}, by rule ${paint.bold(rule_id)}`,
    ...(description === null ? [] : [wrap(description, "  ")]),
  ];
}

/** The signs the deciding rule reads, with their words. */
function signs({ explanation: { signals, rules_tried } }: RoutingDecision, paint: Paint): string[] {
  const read = new Set(rules_tried.at(-1)?.reads.map((path) => path.replace("signals.", "")));
  const named = signals.filter(({ name }) => read.has(name));
  // A rule that reads nothing holds for what no other rule speaks of: then every sign is of interest.
  const shown = named.length > 0 ? named : signals;
  if (shown.length === 0) return [];
  return [
    "",
    paint.bold(named.length > 0 ? "Signs the rule reads" : "Signs in the text"),
    ...shown.slice(0, MOST_SIGNS).map((signal) => sign(signal, paint)),
    ...(shown.length > MOST_SIGNS ? [`  and ${shown.length - MOST_SIGNS} more`] : []),
  ];
}

function sign({ name, count: times, evidence }: FiredSignal, paint: Paint): string {
  const places = evidence
    .slice(0, 2)
    .map(({ start, end, text }) => `${paint.dim(`${start}–${end}`)} “${oneLine(text).slice(0, 36)}”`);
  return `  ${`${name} ${times}`.padEnd(24)} ${places.join("  ")}`;
}

function documents(log: readonly ContextLogEntry[], paint: Paint): string[] {
  if (log.length === 0) return [];
  const included = log.filter(({ decision }) => decision === "included");
  const excluded = log.filter(({ decision }) => decision === "excluded");
  const shown = [...included, ...excluded].slice(0, MOST_DOCUMENTS);
  const width = Math.min(40, Math.max(...shown.map(({ ref }) => oneLine(ref).length)));
  return [
    "",
    `${paint.bold("Context")}  ${count(included.length, "document")} included, ${excluded.length} excluded`,
    ...shown.map(({ ref, decision, rule_id, reason }) => {
      const mark = decision === "included" ? paint.good("+ in ") : paint.dim("- out");
      return `  ${mark}  ${oneLine(ref).padEnd(width)}  ${rule_id}: ${oneLine(reason)}`;
    }),
    ...(log.length > shown.length ? [`  and ${log.length - shown.length} more; --json lists all`] : []),
  ];
}

/** A policy that has all of these limits no tool. */
const EVERY_TOOL = ["read", "search", "edit", "delete", "move", "execute", "fetch", "other"] as const;

function scope({ tools, write, network, time_limit_ms, max_output_bytes }: ChildScope, paint: Paint): string[] {
  // Where a policy sets no limit, the task alone does.
  const list = (names: readonly string[], isAny: boolean) =>
    isAny ? "any its task needs" : names.length === 0 ? "none" : names.map(oneLine).join(", ");
  return [
    paint.bold("The child may at most"),
    `  tools    ${list(
      tools,
      EVERY_TOOL.every((kind) => tools.includes(kind)),
    )}`,
    `  write    ${list(write, write.includes("**"))}`,
    `  network  ${list(network, network.includes("*"))}`,
    `  limits   ${Math.round(time_limit_ms / 1000)} s, ${max_output_bytes} bytes of output`,
  ];
}
