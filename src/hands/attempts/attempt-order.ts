import { z } from "zod";
import { AttachedImage } from "../../model/attached-image.js";
import type { AgentEvent } from "../agents/agent.js";
import { Check } from "../../model/settings/check.js";
import { AgentSettings, ModelPrice } from "../../model/settings/agent-config.js";
import { Configuration, WorkspaceSettings } from "../../model/settings/configuration.js";
import { Change, DiffDecision, GuardrailOverride } from "../../model/diff-gate.js";
import { GuardrailEntry } from "../../model/plan/registry.js";
import { Amounts, AttemptOutcome, Iteration, Promised, Usage } from "../../model/run.js";
import { Refusal, SandboxGrade, Scope } from "../../model/scope.js";
import type { NewShimOrder } from "./shim/instance-folder.js";

/*
 * One attempt as it is ordered from the shim, and what comes back. Everything the shim needs is in the order: it may
 * live on when anyone who gave it has died. Keys of models are not in it; their variables are named and handed over apart.
 */

export const AttemptOrder = z.strictObject({
  repository: z.string(),
  state_directory: z.string().optional(),
  /** The folder workspaces are made in, when a person named one. */
  workspaces: z.string().optional(),
  name: z.strictObject({ runId: z.string(), taskId: z.string(), attemptId: z.string() }),
  base: z.string(),
  /** Documents and files that are not in the workspace at all. */
  hidden: z.array(z.string()),
  /** These files by their names, which are not patterns. */
  withheld: z.array(z.string()).default([]),
  agent: z.strictObject({ name: z.string(), settings: AgentSettings, price: ModelPrice.optional() }),
  prompt: z.string(),
  context: z.array(z.strictObject({ ref: z.string(), text: z.string(), image: AttachedImage.optional() })),
  scope: Scope,
  /** Addresses of this machine and its neighbours that the person's own settings list. */
  inner_hosts: z.array(z.string()).default([]),
  /** An earlier attempt at the same task, whose scope a person widened: its work, its session, and where that is kept. */
  goes_on: z
    .strictObject({ commit: z.string().nullable(), session_id: z.string().nullable(), home: z.string().nullable() })
    .optional(),
  budget: Amounts,
  /** By what the agent's turns are judged until it is done. Absent for sessions that only answer: they have one turn. */
  loop: z
    .strictObject({
      promise: z.string().min(1),
      iterations: z.int().min(1),
      checks: z.array(Check),
      /** The commit the run began with: no agent has touched it. */
      pristine: z.string(),
      state_folder: z.string(),
      /** Variables of checks beside the usual. */
      env: z.record(z.string(), z.string()),
    })
    .optional(),
  output_schema: z.record(z.string(), z.unknown()).optional(),
  message: z.string(),
  /** The commands of the project's checks: anyone who ran one of them has seen what a refused test would have shown. */
  checks: z.array(z.string()).default([]),
  /** The person whose work it is, beside the agent's. */
  author: z.strictObject({ name: z.string(), email: z.string() }).optional(),
  guardrails: z.array(GuardrailEntry),
  overrides: z.array(GuardrailOverride),
  /** Variables of programs in the workspace beside the usual: the names of run and task, and its ports. */
  env: z.record(z.string(), z.string()),
  setup: WorkspaceSettings.shape.setup,
  setup_cache: z.string(),
  tools: WorkspaceSettings.shape.tools,
  sandbox: Configuration.shape.sandbox,
  unsafe_no_sandbox: z.boolean(),
  cage_records: z.string(),
  /** The run's clock minus the wall clock: in which waits are told. */
  clock_offset_ms: z.number(),
});
export type AttemptOrder = z.infer<typeof AttemptOrder>;

export const AttemptResult = z.strictObject({
  outcome: AttemptOutcome,
  usage: Usage,
  /** The last words of the agent. */
  output: z.string(),
  structured: z.unknown().optional(),
  session_id: z.string().nullable(),
  /** The agent's home, which outlives the attempt. Attempts of earlier versions did not say. */
  home: z.string().nullable().default(null),
  grade: SandboxGrade,
  base: z.string(),
  /** The change, when one was taken over; it stands on `ref`. */
  commit: z.string().nullable(),
  ref: z.string().nullable(),
  changes: z.array(Change),
  gate: DiffDecision.nullable(),
  /** Paths the agent said that it changed: kept, and compared with what it did. */
  reported: z.array(z.string()),
  /** The files among them that it never changed. Attempts of earlier versions did not look. */
  unmade: z.array(z.string()).default([]),
  /** The uses that it was refused, in words. */
  refused: z.array(z.string()).default([]),
  /** The refused uses, each with whether the work may still depend on it. Attempts of earlier versions did not keep it. */
  refusals: z.array(Refusal).default([]),
  /** Where the work is that was not taken over. */
  salvage: z.string().nullable(),
  notices: z.array(z.string()),
  /** Whether the agent gave its completion promise, and each of its turns. Absent where none was asked for. */
  promise: Promised.optional(),
  iterations: z.array(Iteration).default([]),
});
export type AttemptResult = z.infer<typeof AttemptResult>;

/** A note of an attempt that runs. */
export type AttemptNote =
  | { readonly type: "agent"; readonly event: AgentEvent }
  | { readonly type: "stage"; readonly stage: string }
  | { readonly type: "iteration"; readonly iteration: Iteration }
  /** A step that takes long, in words. */
  | { readonly type: "busy"; readonly text: string };

/** The step that a note names, if it is such a note. */
export function readBusy(note: unknown): string | null {
  const told = note as Partial<Extract<AttemptNote, { type: "busy" }>> | null;
  return told?.type === "busy" && typeof told.text === "string" ? told.text : null;
}

/** The agent's action that a note tells of, if it is such a note. */
export function agentEventIn(note: unknown): AgentEvent | null {
  const told = note as Partial<Extract<AttemptNote, { type: "agent" }>> | null;
  return told?.type === "agent" && told.event !== undefined ? told.event : null;
}

/** The end of a turn that a note tells of, if it is such a note. */
export function iterationIn(note: unknown): Iteration | null {
  const told = note as Partial<Extract<AttemptNote, { type: "iteration" }>> | null;
  const read = told?.type === "iteration" ? Iteration.safeParse(told.iteration) : null;
  return read?.success === true ? read.data : null;
}

/** How long the checks between the turns of an agent may take together: on the whole tree and on what it sees, each twice. */
export function minutesOfChecks(loop: AttemptOrder["loop"]): number {
  if (loop === undefined) return 0;
  const once = loop.checks.reduce((sum, { minutes }) => sum + minutes, 0);
  return Math.min(MOST_CHECK_MINUTES, once * (4 * loop.iterations + 2));
}

const MOST_CHECK_MINUTES = 24 * 60;

/** How long after its own limit an attempt is waited for: it has to be taken over, too. */
const TAKE_OVER_MINUTES = 30;
const GRACE_MS = 15_000;

/** An attempt as a shim is ordered to make it. */
export function shimOrder(order: AttemptOrder): NewShimOrder {
  return {
    body: "attempt",
    input: order,
    limit_ms: Math.min(2 ** 31 - 1, (order.scope.minutes + minutesOfChecks(order.loop) + TAKE_OVER_MINUTES) * 60_000),
    grace_ms: GRACE_MS,
  };
}
