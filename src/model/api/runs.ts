import { z } from "zod";
import { AmountsJson, Document, EntryKind, ProjectKey, RunStatusName, Time, TroubleJson } from "./shared.js";

/* Projects, runs and what waits on people, as the API and `--json` of the commands say it. */

export const ProjectsJson = z.looseObject({
  type: z.literal("projects"),
  projects: z.array(
    z.looseObject({ id: ProjectKey, name: z.string(), root: z.string(), problem: TroubleJson.nullable() }),
  ),
});

const EntryJson = z.looseObject({
  run_id: z.string(),
  id: z.string(),
  kind: EntryKind,
  asked: z.string().describe("The words its run was asked for with."),
  about: z.string().describe("What it is about, in one sentence."),
  opened_at: Time,
  sequence: z.int(),
  task_id: z.string().nullable(),
  reviewers: z.array(z.string()),
  guards: z.array(z.string()),
  tasks_before: z.int(),
  options: z.array(z.string()),
  escalation: Document,
  request: Document,
  said: z.string().nullable(),
  refused: z.array(Document),
  commands: z.array(z.string()),
});

const RemarkJson = z.looseObject({
  by: z.string(),
  path: z.string(),
  line: z.int().nullable(),
  text: z.string(),
  address: z.string(),
});
const RedCheckJson = z.looseObject({ name: z.string(), conclusion: z.string(), address: z.string() });

export const InboxJson = z.looseObject({
  type: z.literal("inbox"),
  open: z.int(),
  entries: z.array(EntryJson.extend({ project: ProjectKey })),
  standing: z.array(
    z.looseObject({
      project: ProjectKey,
      run_id: z.string(),
      since: Time.nullable(),
      done: z.int(),
      total: z.int(),
      command: z.string(),
    }),
  ),
  on_host: z
    .array(
      z.looseObject({
        project: ProjectKey,
        run_id: z.string(),
        pull: z.int(),
        address: z.string(),
        remarks: z.array(RemarkJson),
        checks: z.array(RedCheckJson),
      }),
    )
    .describe("Remarks and red checks on pull requests of ours, when somebody last looked at the host."),
  to_send: z
    .array(
      z.looseObject({
        project: ProjectKey,
        run_id: z.string(),
        repository: z.string(),
        reason: z.string(),
        until: Time.nullable(),
        command: z.string(),
      }),
    )
    .describe("Pull requests that could not be sent yet."),
  problems: z.array(z.string()),
});

const TaskCounts = z.looseObject({
  total: z.int(),
  done: z.int(),
  running: z.int(),
  waiting: z.int(),
  blocked: z.int(),
  failed: z.int(),
  dropped: z.int(),
});

const SpendJson = z.looseObject({
  used: AmountsJson,
  reserved: AmountsJson,
  estimated: AmountsJson,
  budget: AmountsJson.nullable(),
});

const RunLineJson = z.looseObject({
  run_id: z.string(),
  status: RunStatusName,
  worker: z.int().nullable(),
  phase: z.string(),
  reason: z.string(),
  request: z.string(),
  plan_id: z.string().nullable(),
  started_at: Time.nullable(),
  updated_at: Time.nullable(),
  events: z.int(),
  tasks: TaskCounts,
  needs_you: z.int(),
  spend: SpendJson,
});

export const RunsJson = z.looseObject({
  type: z.literal("runs"),
  project: ProjectKey,
  total: z.int(),
  /** The id of the run to ask behind for more; null at the end. */
  next: z.string().nullable(),
  runs: z.array(z.union([RunLineJson, z.looseObject({ run_id: z.string(), problem: z.string() })])),
});

export const RunJson = z.looseObject({
  type: z.literal("run_status"),
  project: ProjectKey,
  run_id: z.string(),
  request_id: z.string(),
  request: z.string(),
  status: RunStatusName,
  phase: z.string(),
  reason: z.string(),
  paused: z.string().nullable(),
  can_go_on: z.boolean(),
  plan_id: z.string().nullable(),
  plan_checksum: z.string().nullable(),
  started_at: Time.nullable(),
  updated_at: Time.nullable(),
  events: z.int(),
  tasks: TaskCounts,
  levels: z.array(z.looseObject({ level: z.int(), total: z.int(), done: z.int(), running: z.int() })),
  running: z.array(
    z.looseObject({ task_id: z.string(), title: z.string(), agent: z.string(), attempt: z.int(), stage: z.string() }),
  ),
  needs_you: z.array(EntryJson),
  failed: z.array(z.looseObject({ task_id: z.string(), title: z.string(), reason: z.string() })),
  spend: SpendJson,
  requirements: Document,
  critical_path: z.looseObject({ minutes: z.number(), tasks: z.array(z.string()) }),
  worker: z.int().nullable().describe("The process that works on it."),
  served: z.boolean().describe("This server works on it."),
  trouble: TroubleJson.nullable().describe("Why this server could not work on it the last time."),
  activity: z
    .array(
      z.looseObject({
        id: z.string(),
        what: z.string(),
        on: z.string(),
        task_id: z.string().nullable(),
        since: Time,
        passed: z.int(),
        failed: z.int(),
        last: z.string(),
        ended: Time.nullable(),
        outcome: z.string(),
      }),
    )
    .describe("The checks and setups that are under way, or have just ended. They stand in no log."),
  next: z.array(z.string()),
  response: Document,
});

export const SubmittedJson = z.looseObject({
  type: z.literal("request"),
  request_id: z.uuid(),
  project: ProjectKey,
  submitted_at: Time,
  text: z.string(),
  state: z.enum(["working", "ended"]),
  run_id: z.string().nullable().describe("The run it became, or the log of a request that is not a run yet."),
  progress: z.array(z.string()),
  exit_code: z.int().nullable(),
  report: Document,
});

export const DecisionJson = z.looseObject({
  type: z.literal("decision"),
  project: ProjectKey,
  run_id: z.string(),
  id: z.string(),
  decided: z.string(),
  by: z.string(),
  status: z.enum(["taken", "left"]),
  sequence: z.int().nullable(),
  next: z.array(z.string()),
});

export const BatchJson = z.looseObject({
  type: z.literal("decisions"),
  taken: z.int(),
  refused: z.int(),
  results: z.array(
    z.looseObject({
      project: ProjectKey,
      run_id: z.string(),
      entry_id: z.string(),
      decision: DecisionJson.nullable(),
      problem: z
        .looseObject({ status: z.int(), code: z.string(), detail: z.string(), fix: z.string().nullable() })
        .nullable()
        .describe("Why it was not taken; null when it was."),
    }),
  ),
});

export const PreviewJson = z.looseObject({
  type: z.literal("preview"),
  project: ProjectKey,
  intake: z.looseObject({ type: z.literal("intake"), decision: z.string() }),
  route: z.looseObject({ type: z.literal("route"), status: z.string() }),
});

export const EventJson = z.looseObject({
  type: z.literal("event"),
  project: ProjectKey,
  run_id: z.string(),
  sequence: z.int(),
  at: Time,
  clock_ms: z.number(),
  event: z.looseObject({ type: z.string() }),
  previous_hash: z.string(),
  hash: z.string(),
});
