import { type Mutant, mutantsOf } from "./mutant.js";

/** S0: policy routing, curated context, structural and semantic failure policy. */
// One mutant, one line: the table is read by id.
// oxfmt-ignore
export const s0: readonly Mutant[] = [
  ...mutantsOf("src/mind/route/route.ts", [
    ["S0-022", "a typed technical input goes to product", `technical: { target: "dev", category: "technical_explicit" },`, `technical: { target: "product", category: "technical_explicit" },`],
    ["S0-023", "a typed product input goes to dev", `product: { target: "product", category: "business" },`, `product: { target: "dev", category: "business" },`],
    ["S0-024", "a typed ambiguous input goes to dev", `ambiguous: { target: "product", category: "ambiguous" },`, `ambiguous: { target: "dev", category: "ambiguous" },`],
    ["S0-016", "a typed input counts as classified by a pattern", `const classification = { category, confidence: "deterministic", rule_id: explicit[type] } as const;`, `const classification = { category, confidence: "heuristic", rule_id: explicit[type] } as const;`],
    ["S0-008 S0-025", "a missing type is taken for ambiguous", `const { type } = task.input;`, `const { type = "ambiguous" } = task.input;`],
    ["S0-020", "rules are tried from the last to the first", `for (const { rule, condition, asksLearned } of policy.rules) {`, `for (const { rule, condition, asksLearned } of policy.rules.toReversed()) {`],
    ["S0-031", "a rule in error is skipped", `return refuseRoute("escalated", input, reason, { task_id: task.task_id, explanation });`, `continue;`],
    ["S0-031", "a policy that does not compile fails instead of being escalated", `return refuseRoute("escalated", input, { code: "policy_error", message: problems.join("; "), rule_id: null });`, `return unrouted("failed", input, { code: "policy_error", message: problems.join("; "), rule_id: null });`],
    ["S0-030", "a malformed input fails instead of being escalated", `return refuseRoute("escalated", input, { code: "malformed_input", message: problems.join("; "), rule_id: null });`, `return unrouted("failed", input, { code: "malformed_input", message: problems.join("; "), rule_id: null });`],
    ["S0-021 S0-030", "an input that no rule matches goes to product", `const message = "no rule of the policy matches this input";`, `return dispatch(policy, input, task, reading, "product", { category: "ambiguous", confidence: "heuristic", rule_id: "none" }, explanation, documents); const message = "";`],
    ["S0-017", "the decision names no rule of the policy", `const classification = { category: rule.category, confidence: rule.confidence, rule_id: rule.id };`, `const classification = { category: rule.category, confidence: rule.confidence, rule_id: "policy" };`],
    ["S0-014 S0-035", "what was selected is not injected", `injected_context: [...selection.injected],`, `injected_context: [],`],
    ["S0-018", "a child gets the scope of product, whatever its target", `child_scope: childScope(policy.policy, target),`, `child_scope: childScope(policy.policy, "product"),`],
    ["S0-060", "the input is changed", `const registry = task.context_registry;`, `const registry = task.context_registry; Object.assign(input as object, { task_id: "t" });`],
    ["S0-032", "the input is not given back", `returned_input: input,`, `returned_input: null,`],
  ]),
  ...mutantsOf("src/mind/route/select-context.ts", [
    ["S0-042", "an excluded document is not logged", `log.push({ ref, decision: "excluded", rule_id, reason });`, `rule_id.concat(reason);`],
    ["S0-042", "the log of a dropped document says that it was included", `log[document.place] = { ref: document.ref, decision: "excluded", rule_id, reason };`, `log[document.place] = { ref: document.ref, decision: "included", rule_id, reason };`],
    ["S0-034", "context rules of the other target apply too", `if (rule.target !== target) continue;`, ``],
    ["S0-036 S0-033", "a document that no rule matches is shown", `if (verdict === null) exclude("no_context_rule", `, `if (verdict === null) chosen.push({ place: log.length, ref, rule_id: "none", mandatory: false, named: false, size: 0 }), exclude("no_context_rule", `],
    ["S0-041", "the whole registry may be injected", `if (kept.length === registrySize && registrySize > limits.whole_registry_above) {`, `if (kept.length > registrySize) {`],
    ["S0-040", "every task counts as one that modifies existing components", `const taskFacts = { category: task.category, modifies_existing: modifies };`, `const taskFacts = { category: task.category, modifies_existing: true || modifies };`],
    ["S0-039", "an Intent Spec is never the one of the task", `for_task: tags.includes(taskId) || ref.includes(taskId),`, `for_task: false,`],
    ["S0-037", "no document is related to the task", `related: isRelated(document, mentions),`, `related: false,`],
    ["S0-039", "a standard of the whole project does not apply", `project_wide: domain === "",`, `project_wide: false,`],
  ]),
  ...mutantsOf("src/mind/route/relate-document.ts", [
    ["S0-038", "every document is related to the task", `if (document.domain !== "" && says(document.domain, mentions)) return true;`, `if (document.domain !== "") return true;`],
  ]),
  ...mutantsOf("src/hands/workspace/view.ts", [
    ["S0-036 S0-041", "what is hidden is in the workspace", `return (path) => matchers.some((matches) => matches(path)) && !isHidden(path);`, `return (path) => matchers.some((matches) => matches(path));`],
    ["S0-036 S0-041", "what the read scope leaves out is in the workspace", `return (path) => matchers.some((matches) => matches(path)) && !isHidden(path);`, `return (path) => !isHidden(path);`],
  ]),
  ...mutantsOf("src/mind/scope/diff-gate.ts", [
    ["S0-056", "a result may change what its scope does not name", `if (!write.has(path)) return violation("scope_write", "The path is not among those the attempt may write.");`, ``],
    ["S0-056", "a result may change what is below .git", `if (isGitPath(path)) return violation("scope_git_internals", "Only git itself writes below .git.");`, ``],
  ]),
  ...mutantsOf("src/mind/scope/judge.ts", [
    ["S0-056", "an effect outside of the scope is only denied", `if (use.stage === "deed") return { decision: DEED_OF[severity], rule_id, reason };`, ``],
  ]),
  ...mutantsOf("src/app/run/orders.ts", [
    ["S0-036", "builders are shown withheld documents", `withheld: describeWithheld(options.withheld ?? []),`, `withheld: describeWithheld([]),`],
    ["S0-018", "what people add to a scope passes the routing policy", `const scope = bounds === undefined ? wanted : narrowScope(wanted, bounds.child_scope);`, `const scope = wanted;`],
    ["S3-073", "the turns of an attempt are not limited by its task", `iterations: iterationsOf(task),`, `iterations: 100,`],
    ["S4-055", "files of a class an agent is not accepted for are in its workspace", `hidden: [...configuration.workspace.hidden, ...unseenPaths(worker, configuration)],`, `hidden: [...configuration.workspace.hidden],`],
  ]),
  ...mutantsOf("src/mind/scope/narrow-bounds.ts", [
    ["S0-001 S0-018", "a policy that is tightened after planning does not bind paths", `write: sharedPaths(was.write, is.write),`, `write: was.write,`],
    ["S0-018", "a policy that is tightened after planning does not bind time", `time_limit_ms: Math.min(was.time_limit_ms, is.time_limit_ms),`, `time_limit_ms: was.time_limit_ms,`],
    ["S0-018", "a policy that is loosened widens a plan", `max_retries: Math.min(planned.failure.max_retries, now.failure.max_retries),`, `max_retries: now.failure.max_retries,`],
  ]),
  ...mutantsOf("src/mind/route/reevaluate.ts", [
    ["S0-043 S0-044", "a child is given the same documents again instead of a person being asked", `if (added.length > 0) return`, `if (added.length >= 0) return`],
    ["S0-044", "only what a child was given already counts as more", `filter((ref) => !given.includes(ref));`, `filter((ref) => given.includes(ref));`],
  ]),
  ...mutantsOf("src/mind/run/decide/requirements.ts", [
    ["S0-055", "what was not evaluated holds", `found.get(id) ?? { holds: null, evidence: "it was not evaluated" };`, `found.get(id) ?? { holds: true, evidence: "it was not evaluated" };`],
    ["S0-055", "a requirement that does not hold is no reason to stop", `filter(({ priority, holds }) => priority === "must_have" && holds !== true);`, `filter(({ priority, holds }) => priority === "must_have" && holds === null);`],
  ]),
  ...mutantsOf("src/hands/attempts/iterate/iterations.ts", [
    ["S0-033 S0-036 S0-041", "checks tell an agent what files say that it must not see", `return { failing: regressions.map(failingCheck), unseen };`, `return { failing: seen.regressions.map(failingCheck), unseen: unseen.slice(regressions.length * 0) };`],
  ]),
];
