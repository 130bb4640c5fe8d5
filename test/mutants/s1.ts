import { type Mutant, mutantsOf } from "./mutant.js";

/** S1: requests, gates, escalations, messages, the state of a project, faults, figures. */
// One mutant, one line: the table is read by id.
// oxfmt-ignore
export const s1: readonly Mutant[] = [
  ...mutantsOf("src/mind/intake/intake.ts", [
    ["S1-052 S1-091", "what is unsafe is asked about instead of rejected", `if (safety.verdict === "refuse") return decide("rejected", safety.step);`, `if (safety.verdict === "refuse") return decide("needs_clarification", safety.step);`],
    ["S1-047 S1-048", "what is unsafe is taken on", `if (safety.verdict === "refuse") return decide("rejected", safety.step);`, ``],
    ["S1-049 S1-053", "what is unclear is rejected instead of asked about", `return decide("needs_clarification", clarity.step, { questions: [...clarity.questions] });`, `return decide("rejected", clarity.step, { questions: [...clarity.questions] });`],
    ["S1-053", "no question comes with what is unclear", `return decide("needs_clarification", clarity.step, { questions: [...clarity.questions] });`, `return decide("needs_clarification", clarity.step);`],
    ["S1-054", "what exceeds the budget is taken on", `if (step.outcome === "failed") return decide("rejected", step, { estimate });`, ``],
    ["S1-055", "a type that is not supported is taken on", `if (support.outcome === "failed") return decide("rejected", support, { estimate });`, ``],
    ["S1-132", "the strategy of the project's type is ignored", `return { ...policy.default_strategy, ...own };`, `return { ...own, ...policy.default_strategy };`],
    ["S1-084", "a malformed request is rejected instead of asked about", `    decision: "needs_clarification",`, `    decision: "rejected",`],
  ]),
  ...mutantsOf("src/mind/intake/check-feasibility.ts", [
    ["S1-048 S1-086", "the time limit is not checked", `if (max_time_seconds !== null && estimate.time_seconds > max_time_seconds)`, `if (max_time_seconds !== null && estimate.time_seconds > Infinity)`],
    ["S1-021", "the larger of two limits holds", `return b === undefined ? a : Math.min(a, b);`, `return b === undefined ? a : Math.max(a, b);`],
    ["S1-003", "every request counts as small", `complexity: tokens >= rates.large_from_tokens ? "large" : tokens >= rates.medium_from_tokens ? "medium" : "small",`, `complexity: "small",`],
  ]),
  ...mutantsOf("src/mind/intake/check-clarity.ts", [
    ["S1-050", "two readings of a request are not asked about", `if (choice !== null) {`, `if (choice !== null && choice.text === "") {`],
  ]),
  ...mutantsOf("src/mind/intake/choose-approach.ts", [
    ["S1-005", "the approach is always the last of the policy", `if (best === undefined || entry === undefined) continue;`, `if (best !== undefined || entry === undefined) continue;`],
  ]),
  ...mutantsOf("src/mind/intake/detect-project-type.ts", [
    ["S1-018", "the declared type is ignored", `if (declared !== undefined) {`, `if (declared === "") {`],
  ]),
  ...mutantsOf("src/mind/intake/respond.ts", [
    ["S1-025", "a rejected request is said to be blocked", `rejected: "failed",`, `rejected: "blocked",`],
    ["S1-026", "the response always says approved", `    decision: decision.decision,`, `    decision: "approved",`],
  ]),
  ...mutantsOf("src/mind/gate/gate.ts", [
    ["S1-059", "an incomplete deliverable counts as complete", `for (const { name, complete: done } of deliverables) if (done === true) complete.add(name);`, `for (const { name } of deliverables) complete.add(name);`],
    ["S1-060", "a score at the threshold is too low", `if (score < quality_threshold)`, `if (score <= quality_threshold)`],
    ["S1-060 S1-058", "quality is not held against the threshold", `if (score < quality_threshold)`, `if (score < 0)`],
    ["S1-061", "a critical risk passes", `listed.map(({ risk, severity }) => ({ what: risk, severity })),`, `listed.map(({ risk }) => ({ what: risk, severity: "low" as const })),`],
    ["S1-062", "a critical blocker passes", `listed.map(({ description, severity }) => ({ what: description, severity })),`, `listed.map(({ description }) => ({ what: description, severity: "low" as const })),`],
    ["S1-063", "tokens that just suffice count as too few", `return tokens_remaining < min_tokens_for_next_phase`, `return tokens_remaining <= min_tokens_for_next_phase`],
    ["S1-057 S1-119", "GO takes only the first criterion", `const failed = criteria.find((criterion) => !criterion.passed);`, `const failed = criteria.slice(0, 1).find((criterion) => !criterion.passed);`],
  ]),
  ...mutantsOf("src/mind/run/decide/phase-gates.ts", [
    ["S1-010 S1-079", "the gate of planning is not asked", `if (layout === null || policy === null || !isGated(state, "planning")) return [];`, `if (layout !== null || policy === null || !isGated(state, "planning")) return [];`],
    ["S1-062", "open escalations do not reach a gate", `entry.kind === "escalation" ? [{ description`, `entry.kind === "escalation" && entry.id === "" ? [{ description`],
    ["S1-010", "a NO_GO of planning holds nothing up", `if (other === undefined) return [];`, `if (other !== undefined) return [];`],
  ]),
  ...mutantsOf("src/mind/run/decide/breaker.ts", [
    ["S1-102", "the probe's success keeps the count", `return breaker.state === "half_open" && isProbe(breaker, attempt) ? CLOSED_BREAKER : breaker;`, `return breaker.state === "half_open" && isProbe(breaker, attempt) ? { ...CLOSED_BREAKER, failures: breaker.failures } : breaker;`],
    ["S1-099 S1-102", "the breaker opens one failure late", `return failures >= policy.breaker_failures ?`, `return failures > policy.breaker_failures ?`],
    ["S1-101", "an open breaker stays open when its time has passed", `return now >= retryAt ? { answer: "probe" }`, `return now < 0 ? { answer: "probe" }`],
    ["S1-100 S1-101", "several probes go out at once", `if (breaker.probe !== null) return { answer: "no", retry_at_ms: null };`, ``],
    ["S1-102", "a probe that fails closes the breaker", `return isProbe(breaker, attempt) ? { ...failed, state: "open", opened_at_ms: now, probe: null } : failed;`, `return isProbe(breaker, attempt) ? CLOSED_BREAKER : failed;`],
  ]),
  ...mutantsOf("src/mind/run/dispatch.ts", [
    ["S1-099 S1-101", "dispatch does not ask the breaker", `if (mayStart(breakerOf(state, agent), state.clock_ms, policy.failure).answer === "no") return null;`, ``],
  ]),
  ...mutantsOf("src/mind/run/decide/after-attempt.ts", [
    ["S1-070", "a safety concern does not end the run", `{ type: "run_finished", status: "failed", reason: \`stopped for safety: \${outcome.message}\` },`, ``],
    ["S1-068", "a question of an agent is not asked", `if (blocked && outcome.kind === "clarification")`, `if (!blocked && outcome.kind === "clarification")`],
  ]),
  ...mutantsOf("src/mind/run/consequences.ts", [
    ["S1-099 S1-100", "a change of the breaker is not logged", `return was === is ? NO_EVENT : [{ type: "breaker_changed", agent, to: is }];`, `return NO_EVENT;`],
  ]),
  ...mutantsOf("src/mind/run/messages.ts", [
    ["S1-043", "the plan's total time is not the sum of its tasks", `total_estimated_time_seconds: roundUp(tasks.reduce((sum, task) => sum + task.estimated_time_seconds, 0)),`, `total_estimated_time_seconds: 0,`],
    ["S1-040", "a response of the planner does not say what it answers", `in_reply_to: envelope.in_reply_to,`, `in_reply_to: envelope.message_id,`],
    ["S1-045", "progress may exceed a hundred", `progress_percentage: Math.min(100, Math.max(0, percentage)),`, `progress_percentage: percentage,`],
    ["S1-035", "a request for a plan comes from the supervisor", `...head(envelope, TIERS.coordinator, TIERS.planner),`, `...head(envelope, TIERS.supervisor, TIERS.planner),`],
  ]),
  ...mutantsOf("src/mind/report/project-state/project-state.ts", [
    ["S1-074", "an unfinished project may stand at a hundred", `return total === 0 ? 0 : Math.min(99, Math.floor((run.completed / total) * 100));`, `return total === 0 ? 0 : 100;`],
    ["S1-075", "used tokens do not lessen those that remain", `tokens_remaining: Math.max(0, budget - tokens),`, `tokens_remaining: budget,`],
    ["S1-078", "agents at work are not named", `active_agents: isOver(run) ? [] : activeAgents(notes.usage),`, `active_agents: [],`],
    ["S1-079", "decisions of gates are not kept", `go_decisions: notes.go_decisions,`, `go_decisions: {},`],
    ["S1-076", "work on the branch is not a deliverable", `if (integrated === undefined || !isCompleted(notes.run, task_id)) continue;`, `if (integrated !== undefined || !isCompleted(notes.run, task_id)) continue;`],
    ["S1-077", "blockers are left out", `blockers: listWaiting(notes).on.map((blocker) => ({ ...blocker, resolution_required: true })),`, `blockers: [],`],
    ["S1-117", "the share of coordination is never remarked on", `if (usage.ended === 0 || share < COORDINATION_LIMIT) return [];`, `if (usage.ended === 0 || share < Infinity) return [];`],
  ]),
  ...mutantsOf("src/mind/report/project-state/project-status.ts", [
    ["S1-083 S1-073", "a project that waits for a person is in progress", `if (on.length > 0 && !can_go_on) return "blocked";`, `if (on.length < 0 && !can_go_on) return "blocked";`],
    ["S1-081", "a request that was just received is in progress", `return notes.begun ? "in_progress" : "pending";`, `return "in_progress";`],
  ]),
  ...mutantsOf("src/mind/report/progress.ts", [
    ["S1-011 S1-133", "progress is told at every event", `return before !== this.#notes.phase || matters(logged.event) ? this.#update(logged) : null;`, `return this.#update(logged);`],
    ["S1-046", "no blocker requires a decision", `requires_coordinator_decision: true,`, `requires_coordinator_decision: false,`],
  ]),
  ...mutantsOf("src/mind/report/run-figures.ts", [
    ["S1-107", "a GO stays right though the budget did not suffice", `else if (event.escalation.type === "resource_exhaustion")`, `else if (event.escalation.type === "safety_concern")`],
    ["S1-110", "every response is immediate", `this.#responseMs ??= this.#first === null ? null : logged.clock_ms - this.#first.clock_ms;`, `this.#responseMs ??= this.#first === null ? null : 0;`],
    ["S1-111", "every structural failure counts as made good", `if (event.escalation.task_id !== null) this.#failing.delete(event.escalation.task_id);`, `if (event.escalation.task_id === "") this.#failing.delete(event.escalation.task_id);`],
    ["S1-106", "a plan that a person rejected counts as understood", `if (event.decider.how === "person") this.#overruled = true;`, ``],
    ["S1-117", "coordination costs no tokens", `this.#coordination += event.tokens;`, ``],
  ]),
  ...mutantsOf("src/mind/report/respond.ts", [
    ["S1-033", "an unsafe request is a blocker like any other", `return [{ severity: decided.unsafe ? "critical" : "high", description, resolution_required: !decided.unsafe }];`, `return [{ severity: "high", description, resolution_required: true }];`],
    ["S1-024", "a response refers to another request", `    request_id: project.request_id,`, `    request_id: messageId(state.seed, 0, "response"),`],
  ]),
  ...mutantsOf("src/mind/plan/models/learn.ts", [
    ["S1-141 S1-142", "nothing is learnt from what tasks used", `return ratio > 0 && Number.isFinite(ratio) ? [ratio] : [];`, `return ratio > 0 && Number.isFinite(ratio) ? [1] : [];`],
    ["S1-144", "answers that nobody gave are learnt", `if (node.node_type !== "question" || node.metadata.status !== "answered" || node.metadata.provided_by !== "human")`, `if (node.node_type !== "question" || node.metadata.status !== "answered")`],
  ]),
  ...mutantsOf("src/mind/run/decide/retry.ts", [
    ["S1-098", "a delay does not grow", `base_delay_ms * backoff_multiplier ** Math.max(0, retry)`, `base_delay_ms * backoff_multiplier`],
    ["S1-098", "a delay has no longest", `** Math.max(0, retry), max_delay_ms);`, `** Math.max(0, retry), Infinity);`],
    ["S1-095 S0-049", "one retry more than the policy allows", `retriesSoFar < policy.max_retries &&`, `retriesSoFar <= policy.max_retries &&`],
    ["S1-097 S0-057 S0-064", "failures of content are retried", `outcome.kind === "structural" &&`, `outcome.kind !== "completed" &&`],
    ["S1-095 S1-096", "nothing is retried", `outcome.kind === "structural" &&`, `outcome.kind === "completed" &&`],
  ]),
  ...mutantsOf("src/mind/run/decide/escalate.ts", [
    ["S1-065", "a critical blocker is not paused for", `return severity === "critical" ? "pause_and_ask_user" : "alternative_approach";`, `return "alternative_approach";`],
    ["S1-066", "every blocker pauses for a person", `return severity === "critical" ? "pause_and_ask_user" : "alternative_approach";`, `return "pause_and_ask_user";`],
    ["S1-067", "nobody is asked for more budget", `return "budget_increase_or_terminate";`, `return "ask_user";`],
    ["S1-068", "a question gets no answer", `case "clarification_needed":`, `case "never" as never:`],
    ["S1-070", "a safety concern does not end the run", `return "terminate_and_report";`, `return "ask_user";`],
    ["S0-058", "an escalation loses the context that was given", `package: { input, injected_context: [...injected_context], output, violation },`, `package: { input, injected_context: [], output, violation },`],
    ["S0-058", "an escalation loses what was violated", `package: { input, injected_context: [...injected_context], output, violation },`, `package: { input, injected_context: [...injected_context], output, violation: "" },`],
  ]),
  ...mutantsOf("src/mind/report/project-state/project-messages.ts", [
    ["S1-009 S1-139", "progress names no blocker", `blockers: [...open, ...asked].map(`, `blockers: [...open, ...asked].slice(9).map(`],
    ["S1-139", "progress does not count what is done", `progress_percentage: total === 0 ? 0 : (done / total) * 100,`, `progress_percentage: 0,`],
  ]),
  ...mutantsOf("src/mind/report/stats.ts", [
    ["S1-108", "how far runs were off is never counted", `estimated > 0 ? [(Math.abs(used - estimated) / estimated) * 100] : [];`, `estimated > 0 ? [0] : [];`],
    ["S1-109", "a run that failed counts as completed", `const completed = ended.filter((run) => run.ended === "completed").length;`, `const completed = ended.length;`],
  ]),
  ...mutantsOf("src/hands/providers/choose-models.ts", [
    ["S1-020", "other models are asked beside the one that the request names", `const names = preference === undefined ? [...new Set(order)] : [preference];`, `const names = [...new Set([...(preference === undefined ? [] : [preference]), ...order])];`],
  ]),
  ...mutantsOf("src/hands/attempts/configured-workers.ts", [
    ["S1-020", "the model that a request names does not choose the worker", `const choices = model === undefined ? all : all.filter((worker) => serves(worker, model, configuration, models));`, `const choices = all;`],
  ]),
  ...mutantsOf("src/hands/agents/acp/turn-record.ts", [
    ["S1-092", "a destructive act is a violation like any other", `if (decision === "safety") return { kind: "safety", message };`, ``],
    ["S1-148 S4-058", "an agent may go to another model while it works", `if (!this.prompted || model === null || now === null || isModel(now, model)) return;`, `if (this.prompted || model === null || now === null || isModel(now, model)) return;`],
  ]),
  ...mutantsOf("src/foundation/files/own-places.ts", [
    ["S1-014 S1-015 S3-063", "the Coordinator writes source", `if (SOURCE.test(name) || BUILD_FILE.test(name))`, `if (BUILD_FILE.test(name))`],
  ]),
  ...mutantsOf("src/app/inspect/explain/explain-end.ts", [
    ["S1-146", "a semantic violation is explained as an end that may be retried", `rule: \`A \${outcome.violation} violation, \${outcome.message}. A semantic failure is never retried, however many retries are left.\`,`, `rule: "It is tried again.",`],
  ]),
  ...mutantsOf("src/app/inspect/explain/explain-begin.ts", [
    ["S1-146", "a plan that does not verify is explained as one that may be carried out", `        ? "The plan was made again from its own inputs and is the same to the byte, so it may be carried out."`, `        || verified === false ? "The plan was made again from its own inputs and is the same to the byte, so it may be carried out."`],
    ["S1-146", "a sandbox that lacks something is explained as whole", `reduced: "The sandbox was tried on this machine when the process began, and a part of it does not work.",`, `reduced: "All of them work.",`],
  ]),
  ...mutantsOf("src/app/inspect/explain/explain-start.ts", [
    ["S1-146", "an attempt after a wider scope is explained as a retry", `      case "scope_widened":`, ``],
  ]),
  ...mutantsOf("src/app/inspect/explain/explain-result.ts", [
    ["S1-146", "work that a review refused is explained as accepted", `        : "The reviewer named a defect with its place, so its task is not done and a person decides.",`, `        : "It is done.",`],
  ]),
];
