import { AMOUNTS } from "../../model/amount-names.js";
import type { ModelUse } from "../../model/plan/decision.js";
import type { EventOf, RunEvent } from "../../model/event.js";
import type { BudgetLimits, Decider, EscalationOrder, Usage } from "../../model/run.js";
import type { ScopeAddition } from "../../model/scope.js";
import { describeGate } from "../../mind/run/decide/assignments.js";
import { readEndReason } from "./fold-run.js";
import { describeChange } from "./open-entries.js";
import { describeJudgedUse } from "./describe-tool-use.js";

/** One sentence for one event. Contract: total; an event that this version does not know is described by its name and fields. */
export function describeEvent(event: RunEvent): string {
  switch (event.type) {
    case "request_received":
      return `request ${event.request_id} received: ${event.request}`;
    case "intake_decided":
      return `intake: ${event.decision}, ${event.reason}`;
    case "route_decided":
      return `routed to ${event.routed_to} by ${event.rule_id}${event.decider === undefined ? "" : `, said by ${describeDecider(event.decider)}`}`;
    case "message_sent":
      return `message from ${event.message.from} to ${event.message.to}: ${event.message.type}`;
    case "plan_frozen":
      return `plan ${event.plan.plan_id} of ${count(event.plan.tasks.length, "task")} ${event.verified ? "frozen" : "does not verify"}`;
    case "plan_approved":
      return `plan approved by ${describeDecider(event.decider)}`;
    case "plan_rejected":
      return `plan rejected by ${describeDecider(event.decider)}: ${event.reason}`;
    case "review_approved":
      return `${describeGate(event.gate_id)} approved by ${describeDecider(event.decider)}`;
    case "review_rejected":
      return `${describeGate(event.gate_id)} rejected by ${describeDecider(event.decider)}: ${event.reason}`;
    case "attempt_started":
      return `${event.task_id}: attempt ${event.attempt} started by ${event.agent}${event.model === undefined ? "" : ` with ${event.model}`}`;
    case "fallback_taken":
      return `${event.task_id}: ${describeUse(event.from)} cannot go on (${event.reason}); ${describeUse(event.to)} takes over, as planned`;
    case "attempt_progressed":
      if (event.note !== "") return `${event.task_id}: ${event.note}`;
      return `${event.task_id}: attempt ${event.attempt} has used ${describeUsage(event.usage)}`;
    case "tool_judged":
      return `${event.task_id}: ${describeJudgedUse(event.use, event.judgement)}`;
    case "iteration_finished":
      return `${event.task_id}: ${describeIteration(event)}`;
    case "route_reevaluated": {
      const what =
        event.outcome === "dispatched"
          ? `given as well: ${event.documents.map(({ ref }) => ref).join(", ")}`
          : event.reason;
      return `${event.task_id}: attempt ${event.attempt} was not given enough, routing evaluated again: ${event.outcome}, ${what}`;
    }
    case "attempt_finished": {
      const why = readEndReason(event.outcome);
      return `${event.task_id}: attempt ${event.attempt} ${why === null ? "has a result" : `ended, ${why}`}`;
    }
    case "verification_finished":
      return `${event.task_id}: verdict ${event.verdict}, ${withoutProof(event.evidence)}`;
    case "judgement_resumed":
      return `${event.task_id}: its result is judged once more`;
    case "integration_finished":
      return `${event.task_id}: ${event.integrated ? `integrated as ${event.ref.slice(0, 12)}` : `not integrated, ${event.ref}`}`;
    case "conflict_found": {
      const again = event.round === 1 ? "" : ` again, for the ${event.round}. time`;
      return `${event.task_id}: conflict in ${event.paths.join(", ")} with ${event.onto.slice(0, 12)}${again}`;
    }
    case "conflict_resolved":
      return `${event.task_id}: conflict resolved, waits for its turn on the branch`;
    case "review_finished":
      return `${event.task_id}: ${event.accepted ? "accepted, done" : `not accepted, ${event.summary}`}`;
    case "brief_kept": {
      const { spec, documents } = event.brief;
      const what =
        spec === null ? "no Intent Spec" : `${spec.id} with ${count(spec.requirements.length, "requirement")}`;
      return `begun with ${what} and ${count(documents.length, "document")}`;
    }
    case "requirements_judged": {
      const held = event.results.filter(({ holds }) => holds === true).length;
      const others = event.results.filter(({ holds }) => holds !== true).map(({ id }) => id);
      const named = others.length === 0 ? "" : `; not ${others.join(", ")}`;
      return `requirements on ${event.commit.slice(0, 12)}: ${held} of ${event.results.length} hold${named}`;
    }
    case "gate_decided":
      return `gate of ${event.gate.phase}: ${event.gate.decision}, ${event.gate.reason}`;
    case "question_asked":
      return `${event.task_id ?? "the run"} asks ${event.question_id}: ${event.question}`;
    case "question_answered":
      return `${event.question_id} answered by ${describeDecider(event.decider)}${describeTime(event.answered_at)}: ${event.answer}`;
    case "escalation_raised":
      return `escalation ${event.escalation.escalation_id}, ${event.escalation.severity}: ${withoutProof(event.escalation.summary)}`;
    case "escalation_answered":
      return `${event.escalation_id} answered by ${describeDecider(event.decider)}: ${describeOrder(event.order)}`;
    case "scope_widened":
      return `${event.task_id}: scope widened by ${describeDecider(event.decider)}: ${describeAddition(event.addition)}`;
    case "scope_refused":
      return `${event.task_id}: a wider scope refused by ${describeDecider(event.decider)}: ${event.reason}`;
    case "budget_raised":
      return `budget raised by ${describeDecider(event.decider)} to ${describeAmounts(event.limits)}${event.note === undefined ? "" : `: ${event.note}`}`;
    case "change_proposed":
      return `${event.decider.by} wants to ${describeChange(event.task_id, event.change)} (${event.change_id})`;
    case "change_decided":
      return `${event.change_id} ${event.approved ? "approved" : "rejected"} by ${describeDecider(event.decider)}${event.reason === "" ? "" : `: ${event.reason}`}`;
    case "coordination_reserved":
      return `${event.purpose} may use ${event.tokens} tokens, $${event.cost_usd.toFixed(2)}`;
    case "coordination_used":
      return `${event.purpose} used ${event.tokens} tokens, $${event.cost_usd.toFixed(2)}`;
    case "sandbox_graded":
      return `sandbox: ${event.grade}${event.reason === "" ? "" : `, ${event.reason}`}${event.by_order ? ", by a person's order" : ""}${(event.logins ?? []).map(({ agent, files }) => `; ${agent} can read your ${files.map((file) => `~/${file}`).join(", ")}`).join("")}`;
    case "approval_given":
      return `${event.action.replaceAll("_", " ")} approved by ${describeDecider(event.decider)}: ${event.clause}`;
    case "notification_sent":
      return `${event.effect_id} told: ${event.ways.map(({ way, problem }) => `${way} ${problem === null ? "done" : `failed, ${problem}`}`).join("; ")}`;
    case "breaker_changed":
      return `breaker of ${event.agent} is ${event.to.replace("_", " ")}`;
    case "alternative_chosen":
      return `${event.task_id}: another approach after attempt ${event.attempt}, ${describeApproach(event)}`;
    case "dispatch_paused":
      return `nothing new starts: ${event.reason}`;
    case "wait_ended":
      return `waited for ${event.effect_id}`;
    case "run_cancelled":
      return `cancelled by ${describeDecider(event.decider)}: ${event.reason}`;
    case "run_finished":
      return `${event.status}: ${event.reason}`;
    case "run_merged":
      return `${event.how === "exported" ? "exported as" : "merged onto"} ${event.into} by ${describeDecider(event.decider)}: ${event.to.slice(0, 12)}`;
    default:
      return describeUnknown(event);
  }
}

function describeApproach({ how, agent }: EventOf<"alternative_chosen">): string {
  return how === "another_agent" ? `by ${agent}` : `by ${agent} with another prompt`;
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

/** Whether an event is a line of its own to anyone who watches. The status shows usage; of a tool use only its effect is shown. */
export function isLineOfItsOwn(event: RunEvent): boolean {
  if (event.type === "tool_judged") return event.use.stage === "deed" || event.judgement.decision !== "allow";
  return event.type !== "attempt_progressed" || event.note !== "";
}

/** One turn of an agent: what it promised, what fails, what follows. */
function describeIteration(event: EventOf<"iteration_finished">): string {
  const { iteration, limit, promised, checks, failing, next, reason, tokens, cost_usd, source } = event;
  const failed = checks.filter((check) => check.failing > 0);
  const judged =
    failed.length > 0
      ? `${failed.map(({ check, failing: many }) => `${check} fails (${many})`).join(", ")}, ${failing.slice(0, 2).join(", ")}`
      : checks.length === 0
        ? "no check ran"
        : `${checks.map(({ check }) => check).join(", ")} no worse than on the base`;
  const follows = { done: "the agent is done", again: "the agent is told what is missing", ask: `it ends: ${reason}` };
  const used = describeUsage({ amounts: { tokens, cost_usd }, source });
  return `iteration ${iteration} of ${limit}: ${promised ? "promise given" : "no promise"}, ${judged}; ${follows[next]} (${used})`;
}

function describeUsage({
  amounts,
  source,
}: Pick<Usage, "source"> & { readonly amounts: Pick<Usage["amounts"], "tokens" | "cost_usd"> }): string {
  const about = source === "estimated" ? "about " : "";
  return `${about}${amounts.tokens} tokens, $${amounts.cost_usd.toFixed(2)}`;
}

/** The checksum of the record behind a verdict is for programs. */
function withoutProof(text: string): string {
  return text.replace(/ \[sha256:[0-9a-f]{64}\]$/, "");
}

function describeAddition({ write, commands, network }: ScopeAddition): string {
  const parts = [
    ...write.map((path) => `write ${path}`),
    ...commands.map((command) => `run ${command}`),
    ...network.map((host) => `reach ${host}`),
  ];
  return parts.join(", ") || "nothing";
}

function describeDecider({ by, how, via }: Decider): string {
  if (how !== "person") return `${by} (${how.replace("_", " ")})`;
  return via === "yes" ? `${by}, beforehand with --yes` : via === "terminal" ? `${by}, when asked` : by;
}

function describeTime(at: string | undefined): string {
  return at === undefined ? "" : ` at ${at}`;
}

function describeOrder(order: EscalationOrder): string {
  switch (order.action) {
    case "retry":
      return `retry${order.agent === undefined ? "" : ` with ${order.agent}`}${order.note === undefined ? "" : ` (${order.note})`}`;
    case "raise_budget":
      return `raise the budget by ${describeAmounts(order.add) || "nothing"}`;
    case "lift": {
      const why = order.note === undefined ? "" : ` (${order.note})`;
      const what = [
        ...order.tests.map(({ name }) => `test ${name}`),
        ...order.guardrails.map(({ rule_id, path }) => `${rule_id} at ${path}`),
        ...(order.objections ?? []).map(({ kind, id }) => `${kind} ${id === "*" ? "result" : id}`),
      ];
      return `${order.not_applicable === true ? "count as not applicable:" : "waive"} ${what.join(", ")}${why}`;
    }
    case "widen": {
      const { write, commands, network } = order.addition;
      return `widen the scope by ${[...write, ...commands, ...network].join(", ")}`;
    }
    case "skip":
      return `skip the task: ${order.reason}`;
    case "recheck":
      return "judge the result once more";
    default:
      return order.action.replace("_", " ");
  }
}

function describeAmounts(amounts: BudgetLimits): string {
  return AMOUNTS.flatMap((name) => {
    const amount = amounts[name] ?? 0;
    return amount > 0 ? [`${amount} ${name}`] : [];
  }).join(", ");
}

/** Newer versions have more events than this one tells apart; each still says what it is and whom it concerns. */
function describeUnknown(event: object): string {
  const { type, task_id, ...rest } = event as { type?: unknown; task_id?: unknown } & Record<string, unknown>;
  const subject = typeof task_id === "string" ? `${task_id}: ` : "";
  const fields = Object.entries(rest)
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
  const text = `${subject}${String(type).replaceAll("_", " ")}${fields === "" ? "" : `, ${fields}`}`;
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}

function describeUse({ agent, model }: ModelUse): string {
  return model === null ? (agent ?? "no agent") : `${agent ?? "no agent"} with ${model}`;
}
