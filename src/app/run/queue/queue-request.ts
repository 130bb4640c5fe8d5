import { relative } from "node:path";
import { readDocument } from "../../../foundation/documents/read-document.js";
import { reactsTo } from "../../../mind/contract/permit.js";
import { pathInside } from "../../../foundation/files/project-bounds.js";
import { withoutSecrets } from "../../../foundation/files/known-secrets.js";
import type { Configuration } from "../../../model/settings/configuration.js";
import { MOST_GIVEN_TASKS, MOST_QUEUE_BYTES } from "../../../model/given-queue.js";
import { type CutTask, proposeCutTasks } from "../../../mind/propose/adr-proposal.js";
import {
  isOpen,
  type KnownTasks,
  type TakenQueue,
  type TakenTask,
  takeQueue,
} from "../../../mind/report/queue/take-queue.js";
import { readRuns } from "../../project/open-runs.js";
import type { StateFolder } from "../../project/state-folder.js";
import { EXIT } from "../../exit-codes.js";
import { fail, type Finished } from "../../report.js";
import type { CommandContext } from "../../command-context.js";
import type { RequestOptions } from "../../request/request-options.js";
import { inputFailure } from "../../project/input-failure.js";
import { foldAll } from "../../inspect/runs-at.js";

const QUEUE_FILE = "tasks/work_queue.json";

/** Where the project's queue lies when nobody names a file: where the board writes it, if that is in the tree. */
export function queueFileOf(root: string, { board }: Configuration): string {
  const named = board === undefined || board === false || board.queue === false ? QUEUE_FILE : board.queue;
  return pathInside(root, named);
}

export interface GivenWork {
  readonly file: string;
  readonly taken: TakenQueue;
  /** Tasks that are not carried out, one line each with the place in the file. */
  readonly told: readonly string[];
}

/** Read a queue that another program left. Contract: only read; null comes with what is wrong. */
export async function readQueue(
  file: string,
  { approved, project }: Pick<CommandContext, "approved" | "project">,
): Promise<GivenWork | Finished> {
  const { at } = project;
  const document = await readDocument(file, { maxBytes: MOST_QUEUE_BYTES });
  if (!document.ok) return inputFailure(document.diagnostics);
  const { contract } = await project.contractInForce(approved);
  const taken = takeQueue(document.value, await findKnownTasks(at, reactsTo(contract, "resume_session")));
  if (taken === null)
    return inputFailure([
      {
        code: "DOCUMENT_INVALID",
        path: "tasks",
        file,
        ...document.locate(["tasks"]),
        message: `is not a list of at most ${MOST_GIVEN_TASKS} tasks`,
        fix: 'Write {"project": …, "tasks": [{"id", "title", "status", "dependencies", …}]}.',
      },
    ]);
  const shown = relative(at.root, file) || file;
  const told = taken.left.map(({ index, field, id, reason }) => {
    const path = ["tasks", index, ...(field === "" ? [] : field.split("."))];
    return `${shown}:${document.locate(path).line} ${id ?? `task ${index + 1}`}${field === "" ? "" : `, ${field}`}: ${reason}`;
  });
  return { file: shown, taken, told };
}

/** The task of these that a run of the project carries out or has done, if any. Contract: only reads. */
export async function findTaken(
  ids: readonly string[],
  at: StateFolder,
): Promise<{ readonly id: string; readonly run: string } | null> {
  const { inRun } = await findKnownTasks(at, false);
  for (const id of ids) {
    const known = inRun(id);
    if (known !== undefined && (isOpen(known.status) || known.status === "completed" || known.status === "skipped"))
      return { id, run: known.run };
  }
  return null;
}

async function findKnownTasks(at: StateFolder, resumes: boolean): Promise<KnownTasks> {
  const reader = await readRuns(at);
  if (reader === null) return { inRun: () => undefined, resumes };
  try {
    const found = new Map<string, NonNullable<ReturnType<KnownTasks["inRun"]>>>();
    // Newest first: what became of a task last counts.
    for (const each of await foldAll(reader, "all")) {
      if ("problem" in each) continue;
      const { state } = each.run;
      const over = state.status === "completed" || state.status === "failed";
      for (const [i, { task_id }] of (state.layout?.plan.tasks ?? []).entries()) {
        const { status } = state.tasks.get(i).state;
        if (!found.has(task_id))
          found.set(task_id, { run: each.run_id, status: over && isOpen(status) ? "cancelled" : status });
      }
    }
    return { inRun: (id) => found.get(id), resumes };
  } finally {
    await reader.close();
  }
}

export type QueueRequest =
  | { readonly ok: true; readonly asking: Omit<RequestOptions, "out"> }
  | { readonly ok: false; readonly finished: Finished };

/**
 * The requests of the open tasks of a queue. They are judged like the words of any request: title and description of each go
 * through intake, and rules decide on what they become.
 */
export function queueRequest({ file, taken, told }: GivenWork, asking: Omit<RequestOptions, "out">): QueueRequest {
  const { tasks, done } = taken;
  if (tasks.length === 0)
    return {
      ok: false,
      finished: fail(EXIT.refused, "QUEUE_WITHOUT_TASKS", `${file} has no task that can be carried out`, {
        fix: told[0] ?? `${done.length} of its tasks are done. A task with the status pending is carried out.`,
      }),
    };
  const cut = withoutSecrets(tasks.map(cutTask));
  const words = [
    `Carry out the open tasks of ${file}.`,
    "",
    ...cut.map(({ title, description }) => `- ${title}${description === "" ? "" : `: ${description}`}`),
  ].join("\n");
  return {
    ok: true,
    asking: {
      ...asking,
      words,
      queue: {
        file,
        type: "technical",
        planner: {
          name: "queue",
          plan: ({ facts }) =>
            Promise.resolve({
              status: "success",
              proposal: proposeCutTasks(`${file} lists this work.`, cut, facts),
              usage: null,
            }),
        },
      },
    },
  };
}

/** Rounds a builder is given for a task that says nothing of them. */
const USUAL_ITERATIONS = 5;

function cutTask({ waits_for, estimated_iterations, ...task }: TakenTask): CutTask {
  const { id, adr, title, description, type, priority, files, tests } = task;
  return {
    id,
    adr,
    title,
    description,
    type,
    priority,
    files,
    tests,
    estimated_iterations: estimated_iterations ?? USUAL_ITERATIONS,
    dependencies: waits_for.map((on) => ({ task: on, reason: "the work queue says so" })),
  };
}
