import { type Mutant, mutantsOf } from "./mutant.js";

/** S4: intents, rules, graphs, questions, models, frozen plans. */
// One mutant, one line: the table is read by id.
// oxfmt-ignore
export const s4: readonly Mutant[] = [
  ...mutantsOf("src/mind/plan/transition.ts", [
    ["S4-007 S4-008", "guards do not hold a move", `const failed = move.guards.filter((guard) => !guard.passed);`, `const failed = move.guards.filter((guard) => !guard.passed && guard.guard_name === "");`],
    ["S4-016", "BLOCKED wins over ABORTED", `const worst = failed.find((guard) => guard.onFail?.state === "ABORTED") ?? failed[0];`, `const worst = failed.find((guard) => guard.onFail?.state === "BLOCKED") ?? failed[0];`],
    ["S4-009", "planning may move anywhere", `if (!MOVES[from].includes(to)) throw`, `if (!MOVES[from].includes(to) && from === to) throw`],
    ["S4-008", "the reason of a guard is not recorded", `reason: clip(reason, 1000),`, `reason: "",`],
    ["S4-016", "a failure gives no reason", `failure_message: clip(guard.reason, 4000),`, `failure_message: "",`],
  ]),
  ...mutantsOf("src/mind/plan/rules/adjudicate.ts", [
    ["S4-028", "the laxest rule decides", `STRICTNESS[next.decision] > STRICTNESS[worst.decision] ? next : worst,`, `STRICTNESS[next.decision] < STRICTNESS[worst.decision] ? next : worst,`],
    ["S4-033", "a rule that cannot decide lets the action pass", `evaluations.push(heldEvaluation(id, outcome));`, ``],
    ["S4-029", "a command no rule speaks of is allowed", `decision: policy.undecided,`, `decision: "allow",`],
    ["S4-031", "the rules that fired are not evidence", "refs.push(`rule://${rule.id}@${rule.version}`);", ``],
    ["S4-031", "the facts a rule read are not evidence", "refs.push(`fact://${name}`, ...sources.map((source) => source.evidence_ref));", ``],
    ["S4-033", "forbidden effects are not denied", `if (forbidden.length > 0)`, `if (forbidden.length < 0)`],
    ["S4-075", "a rule that demands what another denies is not a conflict", `return demanding === undefined ? [] : [{ target, demanding: demanding.rule_id, denying: rule_id }];`, `return [];`],
  ]),
  ...mutantsOf("src/mind/plan/assess-risk.ts", [
    ["S4-030", "what rules say does not raise the risk", `for (const { level } of factors.values()) overall_risk = higherRisk(overall_risk, level);`, ``],
    ["S4-030", "a rule's own level is ignored", "if (level !== undefined) add(`Rule ${evaluation.rule_id}`, level, `command://${key}`);", ``],
  ]),
  ...mutantsOf("src/mind/plan/rules/rule-guards.ts", [
    ["S4-080", "full_auto may carry high risk", `if (mode !== "full_auto" || overall_risk === "low" || overall_risk === "medium")`, `if (mode !== "full_auto" || overall_risk !== "critical")`],
    ["S4-078", "a rule that cannot be decided is left out of account", `if (undecidable.length === 0) return passGuard(name,`, `if (undecidable.length >= 0) return passGuard(name,`],
    ["S4-079 S4-016", "a denied action does not abort", `if (denied.length === 0) return passGuard(name,`, `if (denied.length >= 0) return passGuard(name,`],
  ]),
  ...mutantsOf("src/mind/plan/rules/red-lines.ts", [
    ["S4-077", "something to execute in an intent is not found", `if (payload)`, `if (payload && key === "")`],
    ["S4-053 S4-079", "full_auto may have a question budget", `if (interaction["question_budget"] !== 0)`, `if (interaction["question_budget"] === null)`],
    ["S4-079", "a command needs no evidence", `if (!Array.isArray(refs) || refs.every((ref) => typeof ref !== "string" || ref.trim() === ""))`, `if (refs === null)`],
  ]),
  ...mutantsOf("src/mind/plan/rules/precheck.ts", [
    ["S4-023", "drift of the registry is not looked for", `const drift = checkVersionDrift(recorded, inputs.registry.index);`, `const drift = checkVersionDrift(undefined, inputs.registry.index);`],
    ["S4-080", "the policy's most autonomous mode is not kept", `AUTONOMY.indexOf(interaction.mode) > AUTONOMY.indexOf(policy.most_autonomy)`, `AUTONOMY.indexOf(interaction.mode) > 99`],
  ]),
  ...mutantsOf("src/mind/plan/inputs/registry-references.ts", [
    ["S4-022", "a command that does not exist is not named", `for (const { command_id } of commands) look("command", command_id, registry.commands.get(command_id));`, ``],
    ["S4-022", "an agent that does not exist is not named", `for (const { agent_id } of agents) look("agent", agent_id, registry.agents.get(agent_id));`, ``],
    ["S4-023", "only rules drift", `for (const kind of ["workflows", "agents", "commands", "rules"] as const) {`, `for (const kind of ["rules"] as const) {`],
  ]),
  ...mutantsOf("src/mind/plan/inputs/intent-problems.ts", [
    ["S4-093", "an intent may name any number of files", `["max_files", "scope.targets.files", intent.scope.targets.files.length],`, `["max_files", "scope.targets.files", 0],`],
  ]),
  ...mutantsOf("src/mind/plan/rules/context-guards.ts", [
    ["S4-072", "a missing pack does not block", "if (pack === null) return blockGuard(name, `There is no ${what}`, { type: \"constraint_violation\", recovery });", `if (pack === null) return passGuard(name, what);`],
  ]),
  ...mutantsOf("src/mind/plan/parse-intent.ts", [
    ["S4-021 S4-026", "budgets are not among the constraints", `constraints: { ...intent.constraints, budgets: intent.budgets },`, `constraints: { ...intent.constraints } as never,`],
    ["S4-027", "an unknown version is read as the newest", `if (declared !== undefined && declared !== "1.0.0") {`, `if (declared === null) {`],
  ]),
  ...mutantsOf("src/mind/plan/rules/compile-rules.ts", [
    ["S4-032", "a rule that does not load is skipped in silence", `for (const { message, line, column, kind } of result.problems)`, `for (const { message, line, column, kind } of result.problems.slice(0, 0))`],
  ]),
  ...mutantsOf("src/mind/plan/graph/graph-guards.ts", [
    ["S4-091", "the limit of nodes is not kept", "if (nodes.length <= max_nodes) return passGuard(\"node_limit_kept\",", `if (nodes.length <= Infinity) return passGuard("node_limit_kept",`],
    ["S4-042 S4-074", "a cycle is not refused", `  if (cycle === null)`, `  if (cycle === null || cycle.length > 0)`],
    ["S4-008 S4-036", "an action without evidence is drafted", `const bare = draft.nodes.find((node) => node.node_type === "action_proposal" && node.evidence_refs.length === 0);`, `const bare = draft.nodes.find((node) => node.node_type === "action_proposal" && node.evidence_refs.length < 0);`],
  ]),
  ...mutantsOf("src/mind/plan/graph/topology.ts", [
    ["S4-042", "a cycle is not found", `cycle: end === size ? null : findCycle(rows, waiting) };`, `cycle: null };`],
    ["S4-043", "a node comes before what it depends on", `if (add(waiting, target, -1) === 0) order[end++] = target;`, `if (add(waiting, target, -1) >= 0 && end < size) order[end++] = target;`],
  ]),
  ...mutantsOf("src/mind/plan/graph/build-graph.ts", [
    ["S4-037", "judgements have no node", `{ name: "decision points", apply: addDecisionPoints },`, `{ name: "decision points", apply: (draft, source) => { addDecisionPoints(draft, source); for (const node of draft.nodes) if (node.node_type === "decision_point") (node as { node_type: string }).node_type = "phase"; } },`],
    ["S4-038", "questions have no placeholder", `{ name: "question placeholders", apply: addQuestionPlaceholders },`, `{ name: "question placeholders", apply: () => addQuestionPlaceholders.length },`],
  ]),
  ...mutantsOf("src/mind/plan/graph/transforms/add-dependencies.ts", [
    ["S4-044", "a task does not wait for what it depends on", `for (let left = (tasks[t] as IntentTask).dependencies.length; left > 0; left--) {`, `for (let left = 0; left > 0; left--) {`],
    ["S4-040 S4-101", "actions of a phase follow each other", `hasPredecessor[i] === 0 && roots > 1 ? "parallel" : "sequential");`, `"sequential");`],
  ]),
  ...mutantsOf("src/mind/plan/graph/transforms/add-predicted-conflicts.ts", [
    ["S4-101", "two actions that write the same files may run at once", `if (writing < 2) return;`, `if (writing >= 0) return;`],
  ]),
  ...mutantsOf("src/mind/plan/graph/transforms/add-review-gates.ts", [
    ["S4-039", "what needs a review has no gate", `if (decision !== "require_review") {`, `if (decision !== "deny") {`],
  ]),
  ...mutantsOf("src/mind/plan/graph/transforms/assign-lanes.ts", [
    ["S4-041", "the agent that a task names is ignored", `const lane = named ?? laneOf.get(entry.owner) ?? covering.get(phase) ?? -1;`, `const lane = laneOf.get(entry.owner) ?? covering.get(phase) ?? -1;`],
  ]),
  ...mutantsOf("src/mind/plan/questions/govern.ts", [
    ["S4-053", "full_auto asks", `mode === "full_auto" || question_policy === "never"`, `question_policy === "never"`],
    ["S4-045", "the larger question budget holds", `budget: Math.min(question_budget, policy.question_budget),`, `budget: Math.max(question_budget, policy.question_budget),`],
    ["S4-067", "semi_auto asks everything", `: mode === "semi_auto" || question_policy === "blockers_only"`, `: question_policy === "blockers_only"`],
    ["S4-092", "a pack may have any number of questions", `let left = Math.max(0, Math.min(rules.budget - alreadyAsked, rules.max));`, `let left = Math.max(0, rules.budget - alreadyAsked);`],
    ["S4-046", "the pack does not say what is left of the budget", `budget_remaining: Math.max(0, rules.budget - alreadyAsked - ask.length),`, `budget_remaining: rules.budget,`],
    ["S4-048", "a question has no evidence", `evidence_refs: uncertainty.evidence.map((ref) => clip(ref, 512)),`, `evidence_refs: [],`],
    ["S4-049", "a question names no affected node", `return { scope, description: \`It decides \${what}: \${count}.\`, affected_nodes: nodes };`, `return { scope, description: \`It decides \${what}: \${count}.\`, affected_nodes: [] };`],
    ["S4-050", "a question has no fallback", `...(uncertainty.fallback === null ? {} : { default_strategy: clip(uncertainty.fallback.strategy, 1000) }),`, ``],
  ]),
  ...mutantsOf("src/mind/plan/questions/weigh-answers.ts", [
    ["S4-052 S4-084", "answers never conflict with rules", `return STRICTNESS[decision] > STRICTNESS[was] ?`, `return STRICTNESS[decision] > 9 ?`],
  ]),
  ...mutantsOf("src/mind/plan/questions/integrate-answers.ts", [
    ["S4-051 S4-014", "an answer about a fact changes nothing", `if (value !== undefined) facts.set(subject.fact, value);`, ``],
    ["S4-051", "an answer to no open question is taken", `if (pack.question_pack_id !== questions.pack_id)`, `if (pack.question_pack_id === "")`],
  ]),
  ...mutantsOf("src/mind/plan/models/rank-models.ts", [
    ["S4-055", "restricted data may go to the cloud", `if (sensitivity === "confidential" || sensitivity === "restricted")`, `if (sensitivity === "confidential")`],
    ["S4-055", "a denied model is compliant", `if (policy.models.denied.includes(model.id))`, `if (policy.models.denied.includes(""))`],
  ]),
  ...mutantsOf("src/mind/plan/review-pack.ts", [
    ["S4-073", "a plan over its budget passes", `.filter((what) => planned[what] > budget[what]);`, `.filter((what) => planned[what] > budget[what] && budget[what] < 0);`],
  ]),
  ...mutantsOf("src/mind/plan/models/savings.ts", [
    ["S4-102", "dearer commands are suggested", `if (saves <= 0) continue;`, `if (saves > 0) continue;`],
  ]),
  ...mutantsOf("src/mind/plan/freeze.ts", [
    ["S4-061", "a lineage without agents is complete", `...(Object.keys(registry_versions.agents).length === 0 ? ["the agents' versions"] : []),`, ``],
  ]),
  ...mutantsOf("src/mind/plan/verify-plan.ts", [
    ["S4-064", "a plan is not derived again", `const difference = again.files === null ? null : firstDifference(found, again.files);`, `const difference = null as ReturnType<typeof firstDifference>;`],
    ["S4-062 S4-064", "a changed file is not found by its bytes", `if (file.sha256 !== file_checksum)`, `if (file.sha256 === "")`],
  ]),
  ...mutantsOf("src/mind/plan/audit.ts", [
    ["S4-099 S4-068", "judgements are not in the audit log", `if (i === judgedLast) yield* judgementDetails(outcome, state.timestamp);`, ``],
    ["S4-099", "checks of red lines are not in the audit log", `if (guard_name.startsWith("red_line_"))`, `if (guard_name === "red_line_")`],
  ]),
  ...mutantsOf("src/mind/plan/render/mermaid.ts", [
    ["S4-104", "conditions are not drawn", `const arrow = edge_type === "conditional" || edge_type === "fallback" ? "-.->" : "-->";`, `const arrow = "-->";`],
  ]),
  ...mutantsOf("src/mind/run/decide/fallback.ts", [
    ["S4-058", "a fallback that was tried is tried again", `return fallbacks.find((use) => !tried.some((one) => isSame(one, use))) ?? null;`, `return fallbacks[0] ?? null;`],
    ["S4-058", "a model that is missing is waited for", `if (error === "rate_limit" || error === "usage_limit" || error === "model_unavailable") return true;`, `if (error === "rate_limit" || error === "usage_limit") return true;`],
  ]),
  ...mutantsOf("src/app/run/session-orders.ts", [
    ["S4-055", "who reviews is shown files of any class", `const all = [...found, dataOf({ files: [...paths] }, [], configuration)];`, `const all = [...found, dataOf({ files: paths.slice(0, 0) }, [], configuration)];`],
  ]),
  ...mutantsOf("src/app/run/execute-run.ts", [
    ["S4-055 S0-044", "documents that routing gives later have no class", `return holdAttemptForData(options, layout, effect, [...(brief?.documents ?? []), ...later]);`, `return holdAttemptForData(options, layout, effect, [...(brief?.documents ?? []), ...later.slice(9)]);`],
  ]),
];
