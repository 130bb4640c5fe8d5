import type { EventOf } from "../../model/event.js";
import type { CoordinatorResponse } from "../../model/request.js";
import type { RunChange } from "../../model/run-change.js";
import { messageId } from "../run/messages.js";
import { type ProjectState, projectState } from "./project-state/project-state.js";
import type { ProjectNotes } from "./project-state/project-notes.js";
import type { RunState } from "../run/state.js";
import { deliverablesOf } from "./deliverables.js";
import { mergeCommand } from "./merge-command.js";
import { type ProvenTasks, listProvenTasks, describeAll, describeTasks } from "./proof.js";

/** Parts of a response that the log does not have. */
export interface ResponseParts {
  readonly run_id: string;
  /** The change on the run's branch, as git counts it; null when it is empty or cannot be read. */
  readonly code: RunChange | null;
  /** Steps that wait on a person, oldest first, with the command to type. */
  readonly open: readonly OpenStep[];
}

export interface OpenStep {
  readonly id: string;
  readonly commands: readonly string[];
  /** How many tasks have to be done before it matters. */
  readonly tasks_before: number;
}

type Intake = EventOf<"intake_decided">;

/**
 * Builds the response to the person who asked, at any point of a run. Null before anything was decided.
 *
 * Contract: pure. `state` is the fold of a log and `notes` are its notes. Ids and times come from the log: the same log and
 * parts give the same bytes, no matter who asks and when.
 */
export function respond(state: RunState, notes: ProjectNotes, parts: ResponseParts): CoordinatorResponse | null {
  const { first, lastOfRun: last, intake: decided, answered, proofs, merges } = notes.told;
  const project = projectState(notes, { status: state.status, phase: state.phase });
  if (first === null || last === null || project === null || decided === null) return null;
  const proven = listProvenTasks(state, proofs);
  const told: Told = { state, project, decided, parts, answered, proven, merges };
  return {
    response_id: messageId(state.seed, last.sequence, "response"),
    request_id: project.request_id,
    timestamp: last.at,
    status: statusOf(told),
    decision: decided.decision,
    message: messageOf(told),
    deliverables: deliverablesOf(project, parts),
    ...(proven.tasks.length === 0 ? {} : { proof: describeTasks(proven) }),
    project_state: {
      phase: project.phase,
      progress_percentage: project.progress_percentage,
      tasks_completed: project.tasks_completed,
      tasks_remaining: project.tasks_remaining,
    },
    resource_usage: {
      tokens_used: project.tokens_used,
      api_calls: project.api_calls,
      time_elapsed_seconds: Math.ceil((last.clock_ms - first.clock_ms) / 1000),
      cost_usd: project.cost_usd,
    },
    next_steps: nextSteps(told),
    blockers: blockersOf(told),
  };
}

interface Told {
  readonly state: RunState;
  readonly project: ProjectState;
  readonly decided: Intake;
  readonly parts: ResponseParts;
  /** Somebody has answered a question of it. */
  readonly answered: boolean;
  readonly proven: ProvenTasks;
  /** Who took the work where, since it was over. */
  readonly merges: readonly EventOf<"run_merged">[];
}

/** A response has no word for pending: a request that waits for its clarification is blocked. */
function statusOf(told: Told): CoordinatorResponse["status"] {
  const { state, decided, answered } = told;
  if (state.status !== "pending") return state.status;
  const isSettled = answered && openQuestions(told).length === 0;
  return decided.decision === "needs_clarification" && !isSettled ? "blocked" : "in_progress";
}

/** Lists unanswered questions that must be answered before there can be a plan. */
function openQuestions({ state, decided, answered }: Told): string[] {
  const open = state.inbox.flatMap((entry) => (entry.kind === "question" ? [entry.question] : []));
  // A log of an earlier version has its questions in the decision and nowhere else.
  return open.length > 0 || answered ? open : [...(decided.questions ?? [])];
}

function messageOf(told: Told): string {
  const { state, project, decided } = told;
  const total = project.tasks_completed + project.tasks_remaining;
  const done = `${project.tasks_completed} of ${total} ${total === 1 ? "task" : "tasks"} ${project.tasks_completed === 1 || total === 1 ? "is" : "are"} done`;
  const where = describeLocation(told);
  switch (statusOf(told)) {
    case "completed":
      // A request that went on as a run has nothing to show itself.
      if (state.layout === null) return `Answered, and ${sentence(state.reason)}`;
      return `Completed: ${done}${describeAll(told.proven)}.${where}`;
    case "failed":
      return decided.decision === "rejected"
        ? `Rejected: ${sentence(decided.reason)}`
        : `Failed: ${sentence(state.reason)} ${capital(done)}.${where}`;
    case "blocked":
      return decided.decision === "needs_clarification"
        ? `The request needs clarification: ${sentence(decided.reason)}`
        : `Waiting on you: ${things(project.blockers.length)} to decide. ${capital(done)}.`;
    case "in_progress":
      if (decided.decision === "needs_clarification") return "Everything that was asked is answered.";
      return total === 0 ? `Approved: ${sentence(decided.reason)}` : `In progress: ${done}.`;
  }
}

/** Where the work stands: on the run's own branch, and on every branch somebody took it to since. */
function describeLocation({ parts, merges }: Told): string {
  const taken = merges.map(({ how, into, to, decider }) =>
    how === "exported"
      ? `${decider.by} made the branch ${into} of it, at ${to.slice(0, 12)}`
      : `${decider.by} merged it into ${into}, which is at ${to.slice(0, 12)} since`,
  );
  if (taken.length > 0) return ` ${taken.join("; ")}.`;
  if (parts.code === null) return "";
  const { ref, merge_as: roles = [] } = parts.code;
  const review = roles.length === 0 ? "" : ` Before it is merged it is reviewed by ${roles.join(" and ")}.`;
  return ` The work is on ${ref}; your branches are as they were.${review}`;
}

function nextSteps(told: Told): string[] {
  const { decided, parts, state } = told;
  const run = parts.run_id;
  const look = parts.code === null ? [] : [`coordinator diff ${run}`];
  switch (statusOf(told)) {
    case "completed":
      if (state.layout === null) return [];
      return [
        ...look,
        ...(parts.code === null || told.merges.length > 0 ? [] : [mergeCommand(run)]),
        `coordinator verify ${run}`,
      ];
    case "failed":
      if (decided.decision === "rejected") return [`coordinator replay ${run} --events`];
      return [
        ...look,
        `coordinator replay ${run} --events`,
        ...(state.layout === null ? [] : ['coordinator run "what you want"']),
      ];
    case "blocked":
      if (decided.decision !== "needs_clarification") return answers(parts.open);
      return [
        ...openQuestions(told),
        ...answers(parts.open),
        ...(parts.open.length === 0 ? [] : [`coordinator run --resume ${run}`]),
      ];
    case "in_progress":
      if (state.status === "pending") return [`coordinator run --resume ${run}`];
      return [...answers(parts.open), `coordinator watch ${run}`];
  }
}

/** The likeliest answer to each, what holds somebody up now before what can wait. */
function answers(open: readonly OpenStep[]): string[] {
  const pressing = open.toSorted((a, b) => Number(a.tasks_before > 0) - Number(b.tasks_before > 0));
  return pressing.flatMap(({ commands }) => commands.slice(0, 1));
}

/** Lists what a run waits for; and for a run that ended without its result, what stopped it. */
function blockersOf(told: Told): CoordinatorResponse["blockers"] {
  const { state, project, decided } = told;
  const isAsked = decided.questions !== undefined || state.inbox.length > 0;
  if (state.status === "pending" && decided.decision === "needs_clarification" && isAsked)
    return openQuestions(told).map((question) => ({
      severity: "medium",
      description: question,
      resolution_required: true,
    }));
  if (state.status !== "failed") return project.blockers;
  const description = decided.decision === "rejected" ? decided.reason : state.reason;
  return [{ severity: decided.unsafe ? "critical" : "high", description, resolution_required: !decided.unsafe }];
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function things(count: number): string {
  return count === 1 ? "one thing" : `${count} things`;
}
