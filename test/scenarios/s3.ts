/** S3: ADR to tasks, work queue, builders, verdicts, PROJECT_HQ.md, handoffs, contract. */
import { notBuilt, replacedBy, requirementsOf, shown } from "./requirement.js";

const adrTasks = notBuilt("tasks from ADRs are not built yet");
const queue = notBuilt("the work queue is not built yet");
const builders = notBuilt("builders are not built yet");
const projectHq = notBuilt("PROJECT_HQ.md is not built yet");
const handoff = notBuilt("the session handoff is not built yet");
const contract = notBuilt("the contract is not built yet");
const wholeFlow = notBuilt("the flow from an ADR to the handoff is not built yet");

const baseline = replacedBy(
  "DESIGN §2: such a result is no failure: verdict PASS with the pre-existing failures listed, compared with the baseline",
);
const iterations = replacedBy(
  "DESIGN §2: within an attempt the builder iterates up to estimated_iterations × 2; a declared result that fails is escalated, not retried",
);

// One requirement, one line: the table is read by id, and its columns matter more than its width.
// oxfmt-ignore
export const s3 = requirementsOf([
  ["S3-001", "Overview", "behaviour", "must", "Automatically, ADRs are read and broken into tasks, builders assigned, PROJECT_HQ.md maintained and handoffs created.", wholeFlow],
  ["S3-002", "Identity", "field", "must", "It is identified by name coordinator, mode autonomous, domain project orchestration and autonomy_level L2.", contract],
  ["S3-003", "Core Responsibilities", "behaviour", "must", "An approved ADR gives tasks/work_queue.json.", adrTasks],
  ["S3-004", "Core Responsibilities", "behaviour", "must", "A ready task activates a builder.", shown],
  ["S3-005", "Core Responsibilities", "behaviour", "must", "Whatever changes about a task updates PROJECT_HQ.md.", projectHq],
  ["S3-006", "Core Responsibilities", "behaviour", "must", "The end of a session creates sessions/*.md.", handoff],
  ["S3-007", "Core Responsibilities", "behaviour", "must", "Tasks that depend on others come in the correct order.", shown],
  ["S3-008", "Core Responsibilities", "behaviour", "must", "A BLOCKED verdict puts a blocker into PROJECT_HQ.", projectHq],
  ["S3-009", "On ADR Approved", "behaviour", "must", "The creation of an ADR by the Advisor is the automatic trigger.", adrTasks],
  ["S3-010", "On ADR Approved", "algorithm", "must", "On approval, 1–2: the ADR is parsed, its implementation_notes are taken out.", shown],
  ["S3-011", "On ADR Approved", "algorithm", "must", "On approval, 3–4: the breakdown into tasks is generated, dependencies are resolved.", shown],
  ["S3-012", "On ADR Approved", "algorithm", "must", "On approval, 5: the work queue gets the tasks.", queue],
  ["S3-013", "On ADR Approved", "algorithm", "must", "On approval, 6: PROJECT_HQ is updated with new_tasks, from_adr and the status queued.", projectHq],
  ["S3-014", "On ADR Approved", "algorithm", "must", "On approval, 7: unless there are blockers, the first task is assigned.", queue],
  ["S3-015", "On Task Complete", "algorithm", "must", "The finished task is marked complete.", shown],
  ["S3-016", "On Task Complete", "algorithm", "must", "PROJECT_HQ gets the task, the status completed and the result's summary.", projectHq],
  ["S3-017", "On Task Complete", "algorithm", "must", "Dependents that this unblocks are found, and the next task is assigned.", shown],
  ["S3-018", "On Session End", "behaviour", "must", "The end of the session is itself the automatic trigger.", handoff],
  ["S3-019", "On Session End", "algorithm", "must", "The tasks are gathered as completed, in_progress, blocked and queued.", handoff],
  ["S3-020", "On Session End", "algorithm", "must", "A handoff document is created, and PROJECT_HQ notes session_ended together with its path.", handoff],
  ["S3-021", "On Session End", "algorithm", "must", "The work queue is persisted.", queue],
  ["S3-022", "On BLOCKED Verdict", "algorithm", "must", "A BLOCKED from the verifier (Ralph) adds to PROJECT_HQ the blocker {task, reason, details = evidence}.", projectHq],
  ["S3-023", "On BLOCKED Verdict", "algorithm", "must", "The blocked task is paused.", shown],
  ["S3-024", "On BLOCKED Verdict", "algorithm", "must", "Work goes on with the other tasks, the blocked one excluded.", shown],
  ["S3-025", "From ADR to Tasks", "algorithm", "must", "A task's id has the form TASK-<adr>-<nnn>.", shown],
  ["S3-026", "From ADR to Tasks", "algorithm", "must", "Out of each implementation note comes a task with its type, agent and dependencies.", shown],
  ["S3-027", "From ADR to Tasks", "algorithm", "must", "A note about tests becomes a task of type test for the agent TestWriter, dependent on the tasks under test.", shown],
  ["S3-028", "From ADR to Tasks", "test", "must", "Out of ADR-023 come four tasks, whose dependencies are none, [001], [002] and [001,002,003].", shown],
  ["S3-029", "Task Structure", "field", "must", "A task has id, adr, title, description, agent and dependencies.", shown],
  ["S3-030", "Task Structure", "enum", "must", "Its type is one of feature | bugfix | test | quality.", shown],
  ["S3-031", "Task Structure", "enum", "must", "Its status is one of pending | in_progress | completed | blocked.", shown],
  ["S3-032", "Task Structure", "field", "must", "It has a priority, P1 and so on.", shown],
  ["S3-033", "Task Structure", "field", "must", "It has estimated_iterations, for example 5.", shown],
  ["S3-034", "Task Structure", "field", "must", "It has a completion_promise, for example FEATURE_COMPLETE.", shown],
  ["S3-035", "Task Structure", "field", "must", "It has files[] and tests[], each of paths or globs.", shown],
  ["S3-036", "Update Triggers", "artefact", "must", "When an ADR is approved, Roadmap and Recent Decisions change.", projectHq],
  ["S3-037", "Update Triggers", "artefact", "must", "When a task is created, Status Dashboard changes.", projectHq],
  ["S3-038", "Update Triggers", "artefact", "must", "When a task is started, Status Dashboard and Current Focus change.", projectHq],
  ["S3-039", "Update Triggers", "artefact", "must", "When a task is completed, Status Dashboard changes.", projectHq],
  ["S3-040", "Update Triggers", "artefact", "must", "When a task is blocked, Blockers changes.", projectHq],
  ["S3-041", "Update Triggers", "artefact", "must", "When a session ends, Session History changes.", projectHq],
  ["S3-042", "Update Format", "behaviour", "must", "PROJECT_HQ.md is loaded, changed and saved as one atomic update.", projectHq],
  ["S3-043", "Update Format", "field", "must", "last_updated and updated_by are set by every update.", projectHq],
  ["S3-044", "Update Format", "algorithm", "must", "By key: new_tasks extend the dashboard, task_status changes one task, and blocker and decision are appended.", projectHq],
  ["S3-045", "Queue File", "artefact", "must", "The file tasks/work_queue.json has project, last_updated and tasks[].", queue],
  ["S3-046", "Queue File", "field", "must", "An entry of it has id, adr, title, type, agent, status, dependencies, started_at and completed_at.", queue],
  ["S3-047", "Assignment Logic", "algorithm", "must", "Candidates are the pending tasks that have their dependencies satisfied.", queue],
  ["S3-048", "Assignment Logic", "algorithm", "must", "The excluded id is dropped, and with nothing ready the answer is none.", queue],
  ["S3-049", "Assignment Logic", "algorithm", "must", "They are sorted by priority, and the first is taken.", queue],
  ["S3-050", "Assignment Logic", "algorithm", "must", "The task becomes in_progress with its started_at, the builder for its agent type is activated, and the task is returned.", queue],
  ["S3-051", "Session Handoff Generation", "artefact", "must", "The heading reads \"Session Handoff: YYYY-MM-DD-SEQ\", followed by Project, Created and Created By.", handoff],
  ["S3-052", "Session Handoff Generation", "artefact", "must", "Section Session Summary gives Duration, Tasks Completed, Tasks In Progress and Blockers.", handoff],
  ["S3-053", "Session Handoff Generation", "artefact", "must", "Section Completed This Session has the columns Task, Description and Agent.", handoff],
  ["S3-054", "Session Handoff Generation", "artefact", "must", "Section Still In Progress has the columns Task, Status and Notes.", handoff],
  ["S3-055", "Session Handoff Generation", "artefact", "must", "Section Blocked (Need Human) has the columns Task, Blocker and Details.", handoff],
  ["S3-056", "Session Handoff Generation", "artefact", "must", "Section Next Session Should is a list in order.", handoff],
  ["S3-057", "Session Handoff Generation", "artefact", "must", "Section Files Changed has the columns File, +/- and Agent.", handoff],
  ["S3-058", "Session Handoff Generation", "artefact", "must", "The last sections are ADRs Referenced and Notes.", handoff],
  ["S3-059", "Contract", "artefact", "must", "The file governance/contracts/coordinator.yaml has name, version \"1.0\", mode and autonomy_level.", contract],
  ["S3-060", "Contract", "enum", "must", "Its triggers are adr_approved, task_complete, task_blocked, session_end and resume_session.", contract],
  ["S3-061", "Contract", "behaviour", "must", "The Coordinator does react to resume_session as a trigger.", contract],
  ["S3-062", "Contract", "enum", "must", "Its allowed_actions are read_adr, create_task, assign_task, update_project_hq, create_handoff, manage_queue and read_codebase.", contract],
  ["S3-063", "Contract", "prohibition", "must", "write_code is forbidden: builders do that.", contract],
  ["S3-064", "Contract", "prohibition", "must", "make_decisions is forbidden: advisors do that.", contract],
  ["S3-065", "Contract", "prohibition", "must", "modify_adr is forbidden: an ADR is immutable.", shown],
  ["S3-066", "Contract", "prohibition", "must", "bypass_ralph is forbidden: verification is never bypassed.", shown],
  ["S3-067", "Contract", "prohibition", "must", "delete_without_approval is forbidden: what destroys has to be approved.", shown],
  ["S3-068", "Contract", "behaviour", "must", "Without approval there is no delete_task, change_priority, reassign_task or skip_task.", contract],
  ["S3-069", "Contract", "limit", "must", "max_concurrent_tasks is 3.", contract],
  ["S3-070", "Contract", "limit", "must", "max_queue_size is 50.", contract],
  ["S3-071", "Contract", "behaviour", "must", "These behaviours are true by default: auto_update_project_hq, auto_create_handoff, auto_assign_tasks and respect_dependencies.", contract],
  ["S3-072", "Builder Notification", "behaviour", "must", "A builder is created according to its type and given task_id, completion_promise, files and tests.", builders],
  ["S3-073", "Builder Notification", "limit", "must", "Its max_iterations is estimated_iterations × 2.", builders],
  ["S3-074", "Builder Notification", "algorithm", "must", "From the result COMPLETED follows on_task_complete, from BLOCKED follows on_blocked with the verdict.", builders],
  ["S3-075", "Result Handling", "behaviour", "must", "After COMPLETED the task is marked complete, PROJECT_HQ updated and the next one assigned.", builders],
  ["S3-076", "Result Handling", "behaviour", "must", "After BLOCKED the blockers grow by one, PROJECT_HQ is updated and the others go on.", builders],
  ["S3-077", "Result Handling", "algorithm", "must", "After FAILED it is examined whether this is a regression.", shown],
  ["S3-078", "Result Handling", "algorithm", "must", "After FAILED by a regression it is retried within the budget.", iterations],
  ["S3-079", "Result Handling", "algorithm", "must", "After FAILED by pre-existing failures the task is marked complete all the same.", baseline],
  ["S3-080", "Example Flow", "test", "must", "The flow of ten runs through: ADR-023, four tasks, HQ, 001 assigned, PASS of the verifier, 002 and so on, a handoff when the session ends.", wholeFlow],
]);
