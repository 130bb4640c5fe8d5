import { z } from "zod";
import { useCases } from "../../app/coordinator.js";
import { text } from "../../model/primitives.js";
import { toJson } from "../../app/json/to-json.js";
import { QueueStatus } from "../../model/work-queue.js";
import { NextStep, QUOTED, expectReport, RunId, shorten } from "../shared.js";
import { READS, tool, type Tool, WRITES } from "../tool.js";

/* Why something was decided, what changed, the work queue, and handoffs. */

export const RESULTS: readonly Tool[] = [
  tool({
    name: "explain",
    title: "Why",
    description:
      "Why a run did something: the rule that decided, its evidence and its alternatives. Without id: the ids that can be asked for.",
    command: "explain",
    input: z.strictObject({
      run_id: RunId.default("last"),
      id: text(1, 400).optional().describe("The id of a task, an event, an attempt, an entry or a rule."),
    }),
    output: z.object({
      run_id: z.string(),
      id: z.string().nullable(),
      ids: z.array(z.string()),
      explanation: z.string().nullable().describe("As JSON, quoted."),
      shortened: z.boolean(),
      note: z.string(),
      next_step: NextStep,
    }),
    annotations: READS,
    handle: async ({ run_id, id }, { context }) => {
      const finished = await useCases.explainId(id, { run: run_id }, context);
      if (id === undefined) {
        const { run_id: run, ids } = expectReport(finished, "explainable");
        const next_step = "Call explain again with one of these ids.";
        return { run_id: run, id: null, ids: [...ids], explanation: null, shortened: false, note: QUOTED, next_step };
      }
      const report = expectReport(finished, "explanation");
      const { text: explanation, shortened } = shorten(JSON.stringify(toJson(report), null, 1));
      const next_step = "Tell the person in a sentence which rule decided and why.";
      return { run_id, id, ids: [], explanation, shortened, note: QUOTED, next_step };
    },
  }),
  tool({
    name: "diff",
    title: "What changed",
    description: "The change of a run, or of one task of it, as a patch or as a list of files.",
    command: "diff",
    input: z.strictObject({
      run_id: RunId.default("last"),
      task_id: text(1, 400).optional(),
      stat: z.boolean().default(false).describe("Only which files changed, and by how much."),
    }),
    output: z.object({
      run_id: z.string(),
      task_id: z.string().nullable(),
      from: z.string(),
      to: z.string(),
      files: z.int(),
      patch: z.string().describe("Quoted."),
      shortened: z.boolean().describe("It was too long to be given whole: ask task by task."),
      note: z.string(),
      next_step: NextStep,
    }),
    annotations: READS,
    handle: async ({ run_id: run, task_id: task, stat }, { context }) => {
      const found = expectReport(await useCases.showDiff({ run, task, stat, json: true }, context, null), "diff");
      const { run_id, task_id, from, to, files } = found;
      const { text: patch, shortened } = shorten(found.text ?? "");
      const next_step = `A person takes it onto their branch: coordinator merge ${run_id}. No tool does.`;
      return { run_id, task_id, from, to, files: files.length, patch, shortened, note: QUOTED, next_step };
    },
  }),
  tool({
    name: "tasks",
    title: "The work queue",
    description: "The tasks of all runs, or of one, as the logs give them.",
    command: "tasks",
    input: z.strictObject({ run_id: RunId.optional(), status: QueueStatus.optional() }),
    output: z.object({
      total: z.int(),
      tasks: z.array(
        z.object({
          run_id: z.string(),
          task_id: z.string(),
          title: z.string(),
          status: z.string(),
          agent: z.string(),
          attempts: z.int(),
          reason: z.string().nullable(),
        }),
      ),
      note: z.string(),
      next_step: NextStep,
    }),
    annotations: READS,
    handle: async ({ run_id: run, status }, { context }) => {
      const found = expectReport(await useCases.listTasks({ run, status, proposed: false }, context), "tasks");
      const tasks = found.tasks.slice(0, MOST_TASKS).map((task) => ({
        run_id: task.run,
        task_id: task.id,
        title: task.title,
        status: task.status,
        agent: task.assigned_to,
        attempts: task.attempts,
        reason: task.reason ?? null,
      }));
      const next_step = "Call status with the run_id of a task's run, or explain with a task's id.";
      return { total: found.tasks.length, tasks, note: QUOTED, next_step };
    },
  }),
  tool({
    name: "handoff",
    title: "Handoff",
    description:
      "What the next session has to know about a run. With write: a new handoff is written, as before a conversation is " +
      "compacted or ends. Without: the newest one is read.",
    command: "handoff",
    input: z.strictObject({ run_id: RunId.default("last"), write: z.boolean().default(false) }),
    output: z.object({
      run_id: z.string(),
      path: z.string(),
      created_at: z.string(),
      text: z.string().nullable().describe("The handoff, quoted."),
      events_since: z.int().describe("Events logged after it: above 0, some of it may not hold any more."),
      note: z.string(),
      next_step: NextStep,
    }),
    annotations: WRITES,
    handle: async ({ run_id: run, write }, { context }) => {
      if (write) expectReport(await useCases.handOffSession({ run, read: false, by: undefined }, context), "handoff");
      const { record, text: whole, events_since } = await useCases.showHandoff(run, context);
      const { text: shown } = shorten(whole ?? "");
      return {
        run_id: record.run_id,
        path: record.path,
        created_at: record.created_at,
        text: whole === null ? null : shown,
        events_since,
        note: QUOTED,
        next_step: `Call status with run_id ${record.run_id} for how it stands now.`,
      };
    },
  }),
];

const MOST_TASKS = 200;
