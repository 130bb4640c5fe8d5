import { type Amounts, type AttemptOutcome, type Escalation, type Message, type Usage } from "../../model/run.js";
import { hash32 } from "./seeded.js";

/*
 * The messages between the tiers. Ids and times are passed in; given valid ones, every message built here is valid,
 * whatever the numbers are: where a message has room for whole numbers only, they are rounded up.
 */

const TIERS = { coordinator: "coordinator", planner: "planner", supervisor: "supervisor" } as const;

export interface Envelope {
  /** A UUID. */
  readonly message_id: string;
  /** RFC 3339. */
  readonly timestamp: string;
  /** The message_id this one answers. */
  readonly in_reply_to?: string;
}

type Of<T extends Message["type"]> = Extract<Message, { type: T }>;
type Payload<T extends Message["type"]> = Of<T>["payload"];

export function planningRequest(envelope: Envelope, payload: Payload<"planning_request">): Of<"planning_request"> {
  const { max_tokens, max_time_seconds, ...constraints } = payload.constraints;
  return {
    ...head(envelope, TIERS.coordinator, TIERS.planner),
    type: "planning_request",
    payload: {
      ...payload,
      constraints: { ...constraints, max_tokens: roundUp(max_tokens), max_time_seconds: roundUp(max_time_seconds) },
    },
  };
}

type PlanPhase = Payload<"planning_response">["plan"]["phases"][number];

/** The totals are the sums of the tasks, so that they cannot say anything else. */
export function planningResponse(
  envelope: Envelope & { readonly in_reply_to: string },
  payload: Pick<Payload<"planning_response">, "status" | "risks" | "recommendations"> & {
    readonly phases: readonly PlanPhase[];
  },
): Of<"planning_response"> {
  const phases = payload.phases.map(({ phase, tasks }) => ({
    phase,
    tasks: tasks.map((task) => ({
      ...task,
      estimated_tokens: roundUp(task.estimated_tokens),
      estimated_time_seconds: roundUp(task.estimated_time_seconds),
    })),
  }));
  const tasks = phases.flatMap((phase) => phase.tasks);
  return {
    ...head(envelope, TIERS.planner, TIERS.coordinator),
    in_reply_to: envelope.in_reply_to,
    type: "planning_response",
    payload: {
      status: payload.status,
      plan: {
        phases,
        total_estimated_tokens: roundUp(tasks.reduce((sum, task) => sum + task.estimated_tokens, 0)),
        total_estimated_time_seconds: roundUp(tasks.reduce((sum, task) => sum + task.estimated_time_seconds, 0)),
      },
      risks: [...payload.risks],
      recommendations: [...payload.recommendations],
    },
  };
}

/** The percentage is rounded down and held to 0–100: no run is said to be done before it is. */
export function progressUpdate(envelope: Envelope, payload: Payload<"progress_update">): Of<"progress_update"> {
  const percentage = Number.isNaN(payload.progress_percentage) ? 0 : Math.floor(payload.progress_percentage);
  return {
    ...head(envelope, TIERS.supervisor, TIERS.coordinator),
    type: "progress_update",
    payload: {
      ...payload,
      progress_percentage: Math.min(100, Math.max(0, percentage)),
      tasks_completed: roundUp(payload.tasks_completed),
      tasks_remaining: roundUp(payload.tasks_remaining),
    },
  };
}

export function escalationMessage(envelope: Envelope, escalation: Escalation): Of<"escalation"> {
  return { ...head(envelope, TIERS.supervisor, TIERS.coordinator), type: "escalation", payload: escalation };
}

export interface Assignment {
  readonly task_id: string;
  readonly attempt: number;
  readonly agent: string;
  readonly reserved: Amounts;
}

export function taskAssignment(envelope: Envelope, assignment: Assignment): Of<"task_assignment"> {
  return { ...head(envelope, TIERS.supervisor, assignment.agent), type: "task_assignment", payload: { ...assignment } };
}

export interface Result {
  readonly task_id: string;
  readonly attempt: number;
  readonly outcome: AttemptOutcome;
  readonly usage: Usage;
}

export function taskResult(envelope: Envelope, agent: string, result: Result): Of<"task_result"> {
  return { ...head(envelope, agent, TIERS.supervisor), type: "task_result", payload: { ...result } };
}

/**
 * The id of a message that follows from an event: the same whenever the log is read. A UUID of version 8, whose bits
 * are the maker's own.
 */
export function messageId(seed: number, sequence: number, type: Message["type"] | "response"): string {
  const bits = (n: number) => hash32(`${seed}/${sequence}/${type}`, n).toString(16).padStart(8, "0");
  const hex = [1, 2, 3, 4].map(bits).join("");
  const variant = "89ab".charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  const [a, b, c] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16)];
  return `${a}-${b}-8${c}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

function head({ message_id, timestamp, in_reply_to }: Envelope, from: string, to: string) {
  return { message_id, from, to, timestamp, ...(in_reply_to === undefined ? {} : { in_reply_to }) };
}

/** The whole number of something that a message has room for: rounded up, and nothing for what is not a number. */
function roundUp(amount: number): number {
  if (Number.isNaN(amount)) return 0;
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.ceil(amount)));
}
