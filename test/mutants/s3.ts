import { type Mutant, mutantsOf } from "./mutant.js";

/** S3: decision records, tasks, the work queue, PROJECT_HQ.md and handoffs. */
// One mutant, one line: the table is read by id.
// oxfmt-ignore
export const s3: readonly Mutant[] = [
  ...mutantsOf("src/mind/adr/break-down.ts", [
    ["S3-025", "a task is not named after its record", `\`TASK-\${adr.label.replace(/^ADR-/, "")}-\${String(at + 1).padStart(3, "0")}\``, `\`TASK-\${String(at + 1).padStart(3, "0")}\``],
    ["S3-026 S3-029", "every task is FeatureBuilder's", `agent: BUILDER_OF[type],`, `agent: "FeatureBuilder",`],
    ["S3-032", "everything is of the lowest priority", `test(fold(text)) ? "P2" : "P1";`, `test(fold(text)) ? "P2" : "P3";`],
    ["S3-033", "what stands under a task does not count for its iterations", `estimated_iterations: Math.min(MOST_ITERATIONS, ITERATIONS[type] + work.details.length),`, `estimated_iterations: ITERATIONS[type],`],
    ["S3-034", "a task promises nothing", `completion_promise: PROMISE[type],`, `completion_promise: "DONE",`],
    ["S3-035", "test files count as files of the task", `files: paths.filter((path) => !isTestPath(path)),`, `files: [...paths],`],
    ["S3-028 S3-011", "dependencies are left out", `dependencies: known.dependencies,`, `dependencies: [],`],
  ]),
  ...mutantsOf("src/mind/adr/dependencies.ts", [
    ["S3-027 S3-028", "tests wait for the first task only", `for (const on of named.length > 0 ? named : work)`, `for (const on of (named.length > 0 ? named : work).slice(0, 1))`],
    ["S3-028", "the flow of data makes no dependency", `for (const [at, task] of tasks.entries()) dataFlow(tasks, at, task, add);`, ``],
  ]),
  ...mutantsOf("src/mind/adr/parse-adr.ts", [
    ["S3-010", "the status of a record is not read", `const status = reading.status ?? (relations.declared ? "superseded" : null);`, `const status = relations.declared ? "superseded" : null;`],
  ]),
  ...mutantsOf("src/mind/run/layout.ts", [
    ["S3-049", "the least urgent task is taken first", `(urgency[a] as number) - (urgency[b] as number)`, `(urgency[b] as number) - (urgency[a] as number)`],
  ]),
  ...mutantsOf("src/mind/run/decide/changes.ts", [
    ["S3-050", "a task stays with its agent when it is reassigned", `return withTask(state, index, { agent: change.agent`, `return withTask(state, index, { agent: state.tasks.get(index).agent`],
    ["S3-048", "what was asked about a dropped task stays open", `inbox: asked.length === 0 ? state.inbox : state.inbox.filter((entry) => !asked.includes(entry)),`, `inbox: state.inbox,`],
    ["S3-047 S3-049", "a new priority does not count", `return inNewOrder(withTask(state, index, { priority: change.priority }));`, `return withTask(state, index, { priority: change.priority });`],
    ["S3-048", "what builds on a deleted task stays", `for (const dependent of state.layout?.dependents[i] ?? []) queue.push({ index: dependent, reason: cause });`, ``],
  ]),
  ...mutantsOf("src/mind/run/apply.ts", [
    ["S3-066", "a result that failed its checks is integrated", `isProven(state, event) ? "integrate" : null,`, `isProven(state, event) ? "integrate" : "integrate",`],
  ]),
  ...mutantsOf("src/mind/scope/diff-gate.ts", [
    ["S3-065 S3-067", "no path is protected in a result", `if (rule.protects) found.push(findingOf(rule, change.path));`, `if (rule.protects) continue;`],
    ["S3-067", "a removal counts as named by any pattern", `if (entry.unless_named && write.names(change.path)) continue;`, `if (entry.unless_named && write.has(change.path)) continue;`],
  ]),
  ...mutantsOf("src/mind/report/queue/fold-board.ts", [
    ["S3-022", "a blocker loses its evidence", `: { ...known, trouble: { reason: \`verdict \${event.verdict}\`, details } };`, `: { ...known, trouble: { reason: \`verdict \${event.verdict}\`, details: "" } };`],
    ["S3-076 S3-074", "a blocked task gives no reason", `return trouble === undefined ? "waits on a person" : \`\${trouble.reason}: \${trouble.details}\`;`, `return null;`],
    ["S3-046", "the start of a task is not noted", `return { ...known, started_at: known.started_at ?? at };`, `return known;`],
    ["S3-046", "the end of a task is not noted", `? { ...known, completed_at: at }`, `? known`],
    ["S3-019", "a session does not know what it completed", `if (event.type === "review_finished" && event.accepted) session.completed = [...session.completed, event.task_id];`, ``],
    ["S3-019", "a session lasts as long as people decide", `if (BY_HANDS.has(event.type)) session.last_at = at;`, `session.last_at = at;`],
    ["S3-012", "the builder of a task is the agent that runs", `agent: type === undefined ? (task.builder ?? task.agent) : BUILDER_OF[type],`, `agent: task.agent,`],
  ]),
  ...mutantsOf("src/mind/report/queue/work-queue.ts", [
    ["S3-045", "the queue does not name its project", `return { project, last_updated: last, tasks:`, `return { project: "", last_updated: last, tasks:`],
    ["S3-021 S3-045", "the queue holds no task", `tasks: runs.flatMap(({ tasks }) => tasks.map(entryOf)) };`, `tasks: runs.flatMap(() => []) };`],
  ]),
  ...mutantsOf("src/mind/report/queue/decisions.ts", [
    ["S3-036", "the approval of a record is not a decision", `if (!event.verified || adrs.length === 0) return null;`, `if (!event.verified || adrs.length > 0) return null;`],
  ]),
  ...mutantsOf("src/mind/report/project-hq.ts", [
    ["S3-008 S3-022", "a blocker is shown without its reason", `      plain(reason),`, `      "",`],
    ["S3-013 S3-037", "a queued task is said to be in progress", `pending: "queued",`, `pending: "in progress",`],
    ["S3-016 S3-039", "the result of a task is not shown", `plain(task.result ?? task.reason ?? "", 120),`, `"",`],
    ["S3-038", "what is in progress is not shown as the focus", `const active = runs.flatMap(({ tasks }) => tasks.filter(({ status }) => status === "in_progress"));`, `const active = runs.flatMap(({ tasks }) => tasks.filter(({ status }) => status === "blocked"));`],
    ["S3-041", "ended sessions are not listed", `if (handoffs.length === 0) return ["No session has ended yet."];`, `if (handoffs.length >= 0) return ["No session has ended yet."];`],
    ["S3-043", "the board does not say who updated it", `by \${plain(updated_by)}\`,`, `\`,`],
  ]),
  ...mutantsOf("src/mind/report/handoff.ts", [
    ["S3-052", "the summary counts no blockers", `blockers: run.blockers.length };`, `blockers: 0 };`],
    ["S3-053", "nothing is listed as completed", `const done = session.completed.flatMap((task) => byId.get(task) ?? []);`, `const done: BoardTask[] = [];`],
    ["S3-056", "what is ready does not come first", `.toSorted((a, b) => Number(b.ready) - Number(a.ready) || a.place - b.place)`, `.toSorted((a, b) => Number(a.ready) - Number(b.ready) || a.place - b.place)`],
    ["S3-057", "changed files are not listed", `...table(["File", "+/-", "Agent"], files.map(fileRow)),`, `...table(["File", "+/-", "Agent"], []),`],
  ]),
  ...mutantsOf("src/mind/report/marked-sections.ts", [
    ["S3-042", "what people wrote behind a section is lost", `all.slice(0, from) + new_ + all.slice(to), text),`, `all.slice(0, from) + new_, text),`],
  ]),
  ...mutantsOf("src/hands/board/open-board.ts", [
    ["S3-018 S3-006", "the end of a session leaves no handoff", `if (how === "ended" && !(wantsHandoffs && reactsTo(contract, "session_end"))) {`, `if (how === "ended") {`],
    ["S3-071", "PROJECT_HQ.md is written though the contract switches it off", `if (hq !== false && contract.behaviors.auto_update_project_hq && may("update_project_hq")) {`, `if (hq !== false && may("update_project_hq")) {`],
    ["S3-061", "a session does not read the last handoff", `const read = resumes ? await markRead(memory, parts.now(), \`session of \${runId}\`) : null;`, `const read = null;`],
  ]),
  ...mutantsOf("src/mind/contract/permit.ts", [
    ["S3-068", "what no list names is allowed", `return { status: "needs_approval", clause: \`\${action} is in none of its lists\${why}\` };`, `return { status: "allowed" };`],
    ["S3-062", "a person may approve what is forbidden", `return { status: "forbidden", clause };`, `return { status: "needs_approval", clause };`],
    ["S3-068", "what needs approval is done without", `return { status: "needs_approval", clause };`, `return { status: "allowed" };`],
    ["S3-067", "a contract may allow deletions that nobody approves", `if (action !== "delete_task" || found.status !== "allowed") return found;`, `if (action !== null) return found;`],
    ["S3-062 S3-068", "approval is asked for where it was given", `if (found.status === "needs_approval" && !approved)`, `if (found.status === "needs_approval" && approved)`],
    ["S3-060", "the triggers of a contract decide nothing", `return triggers.includes(trigger);`, `return triggers.length > 0;`],
    ["S3-062", "a name of ours is not part of a wider action", `for (const name of [action, specifiedAction(action)]) {`, `for (const name of [action]) {`],
    ["S3-062", "looking needs approval", `if (isLooking(action)) return { status: "allowed" };`, ``],
  ]),
  ...mutantsOf("src/mind/run/decide/forbidden.ts", [
    ["S3-064", "a rule approves reviews", `  "review_approved",`, ``],
    ["S3-064", "a clock answers for a person", `  "question_answered",`, ``],
  ]),
];
