import { z } from "zod";
import { Decider, RunGate, RunTask } from "../run.js";
import { AmountsJson, Document, EntryKind, RunStatusName, Time } from "./shared.js";

/* One run in every detail, as the API says it. */

export const GraphJson = z.looseObject({
  type: z.literal("run_graph"),
  run_id: z.string(),
  sequence: z.int(),
  status: RunStatusName,
  tasks: z.array(
    z.looseObject({
      task_id: z.string(),
      title: z.string(),
      description: z.string().nullable(),
      type: z.string().nullable(),
      phase: z.string(),
      level: z.int(),
      agent: z.string(),
      model: z.string().nullable(),
      priority: z.string(),
      dependencies: z.array(z.string()),
      gates: z.array(z.string()),
      status: z.string(),
      stage: z.string().nullable(),
      ready: z.boolean(),
      reason: z.string().nullable().describe("Why it does not go on, in words."),
      waits_on: z.string().nullable().describe("The entry of the inbox that it waits on."),
      attempts: z.int(),
      retries: z.int(),
      since: Time.nullable(),
      doing: z.string().nullable(),
      estimate: AmountsJson,
      used: AmountsJson,
      files: z.array(z.string()),
    }),
  ),
  work: z.array(
    z.looseObject({
      task_id: z.string(),
      attempt: z.int(),
      stage: z.enum(["attempt", "verify", "integrate", "resolve", "review"]),
      agent: z.string(),
      from: Time,
      to: Time.nullable(),
      outcome: z.string().nullable(),
      sequence: z.int(),
    }),
  ),
  waits: z.array(
    z.looseObject({
      entry_id: z.string(),
      kind: EntryKind,
      task_id: z.string().nullable(),
      from: Time,
      to: Time.nullable(),
      by: z.string().nullable(),
      sequence: z.int(),
    }),
  ),
  critical_path: z.looseObject({ minutes: z.number(), tasks: z.array(z.string()) }),
});

export const PlanJson = z.looseObject({
  type: z.literal("run_plan"),
  run_id: z.string(),
  request: z.string(),
  plan_id: z.string(),
  plan_checksum: z.string(),
  approved: z.boolean(),
  tasks: z.array(z.looseObject({ ...RunTask.shape, level: z.int() })),
  gates: z.array(RunGate),
  graph: Document,
  review: Document,
  manifest: Document,
  questions: Document,
  asked: z.array(
    z.looseObject({ id: z.string(), question: z.string(), answer: z.string().nullable(), by: z.string().nullable() }),
  ),
  text: z.string().nullable(),
  others: z.array(
    z.looseObject({ run_id: z.string(), plan_id: z.string(), at: Time.nullable(), status: RunStatusName }),
  ),
});

export const PlansComparedJson = z.looseObject({
  type: z.literal("plans_compared"),
  run_id: z.string(),
  with: z.string(),
  added: z.array(z.string()),
  removed: z.array(z.string()),
  changed: z.array(
    z.looseObject({
      task_id: z.string(),
      fields: z.array(z.looseObject({ name: z.string(), before: Document, after: Document })),
    }),
  ),
  unchanged: z.array(z.string()),
});

export const TaskJson = z.looseObject({
  type: z.literal("run_task"),
  run_id: z.string(),
  task: z.looseObject(RunTask.shape),
  status: z.string(),
  attempts: z.array(
    z.looseObject({
      attempt: z.int(),
      agent: z.string(),
      started_at: Time,
      ended_at: Time.nullable(),
      given: z
        .looseObject({
          prompt: z.string(),
          context: z.array(z.looseObject({ ref: z.string(), text: z.string() })),
          withheld: z.array(z.string()),
          hidden: z.array(z.string()),
          scope: Document,
          budget: AmountsJson,
          base: z.string(),
          checks: z.array(z.string()),
        })
        .nullable(),
      tool_uses: z.array(z.looseObject({ sequence: z.int(), at: Time, use: Document, judgement: Document })),
      iterations: z.array(Document),
      outcome: Document,
      said: z.string().nullable(),
      refused: z.array(Document),
      usage: Document,
      verdict: Document,
      integration: Document,
      review: Document,
      records: z.looseObject({
        result: Document,
        verdict: Document,
        integration: Document,
        resolution: Document,
        later_context: Document,
      }),
    }),
  ),
  timeline: z.array(z.looseObject({ sequence: z.int(), at: Time, type: z.string(), told: z.string() })),
});

export const OutputJson = z.looseObject({
  type: z.literal("attempt_output"),
  run_id: z.string(),
  task_id: z.string(),
  attempt: z.int(),
  lines: z.array(z.looseObject({ kind: z.enum(["message", "tool", "stage"]), text: z.string() })),
  next: z.string().describe("Sent as `after`, it asks for what came since."),
  cut: z.boolean().describe("Something earlier than the first line was left out."),
  live: z.boolean().describe("The agent still works."),
});

const Side = z.string().nullable();
export const ConflictJson = z.looseObject({
  type: z.literal("conflict"),
  run_id: z.string(),
  task_id: z.string(),
  attempt: z.int(),
  others: z.array(z.string()),
  taken: z.boolean().nullable(),
  objections: z.array(z.string()),
  files: z.array(z.looseObject({ path: z.string(), base: Side, branch: Side, task: Side, result: Side })),
});

export const TimelineJson = z.looseObject({
  type: z.literal("timeline"),
  run_id: z.string(),
  last: z.int(),
  next: z.int().nullable(),
  lines: z.array(
    z.looseObject({
      sequence: z.int(),
      at: Time,
      type: z.string(),
      told: z.string(),
      task_id: z.string().nullable(),
      decider: z.looseObject(Decider.shape).nullable(),
      hash: z.string(),
    }),
  ),
});

export const RecordsJson = z.looseObject({
  type: z.literal("records"),
  run_id: z.string(),
  records: z.array(z.looseObject({ name: z.string(), ref: z.string(), sequence: z.int() })),
});

export const RecordJson = z.looseObject({
  type: z.literal("record"),
  run_id: z.string(),
  name: z.string(),
  ref: z.string(),
  value: Document,
});

export const DiffJson = z.looseObject({
  type: z.literal("diff"),
  run_id: z.string(),
  task_id: z.string().nullable(),
  from: z.string(),
  to: z.string(),
  files: z.array(z.looseObject({ path: z.string(), added: z.int().nullable(), removed: z.int().nullable() })),
  patch: z.string(),
  truncated: z.boolean(),
});

export const VerificationJson = z.looseObject({ type: z.literal("run_verification"), passed: z.boolean() });
export const MergeJson = z.looseObject({
  type: z.literal("merge"),
  run_id: z.string(),
  by: z.string(),
  status: z.string(),
});

export const HandoffJson = z.looseObject({
  type: z.literal("handoff"),
  record: z.looseObject({
    id: z.string(),
    key: z.string(),
    path: z.string(),
    run_id: z.string(),
    created_at: Time,
    summary: z.string(),
    status: z.enum(["drafting", "written"]),
    read: z.looseObject({ at: Time, by: z.string() }).nullable(),
  }),
  text: z.string().nullable().describe("The handoff as Markdown; null where the file is gone or was not asked for."),
  events_since: z.int().optional().describe("How many events the run has logged since it was written."),
});

const AdrJson = z.looseObject({
  type: z.enum(["adr", "error"]),
  file: z.string().describe("What a request names in `adr`."),
  id: z.string().nullable(),
  title: z.string().nullable(),
  status: z.string().nullable(),
  held: z.string().nullable().optional().describe("Why it cannot be carried out; null when it can."),
  tasks: z.array(Document),
  taken: z.looseObject({ run_id: z.string(), changed: z.boolean() }).nullable().optional(),
});

export const AdrsJson = z.looseObject({
  type: z.literal("adr_list"),
  folders: z.array(z.string()),
  records: z.array(AdrJson),
});
