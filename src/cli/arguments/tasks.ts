import { type Command, Option } from "commander";
import type { TaskChange } from "../../model/run.js";
import { QUEUE_STATUSES } from "../../model/queue-statuses.js";
import type { QueueStatus } from "../../model/work-queue.js";
import type { CommandContext } from "../../app/command-context.js";
import type { Launch } from "./program.js";
import { seconds } from "./runs.js";

const RUN = "the run's id, the beginning of it, or last";
const PRIORITIES = ["P0", "P1", "P2", "P3"] as const;

interface ChangeOptions {
  approve?: boolean;
  by?: string;
  wait: number;
}

interface ReasonOptions extends ChangeOptions {
  reason: string;
}

/** The queue, and what people change in it. */
export function addTasks(program: Command, launch: Launch): void {
  const tasks = program
    .command("tasks")
    .summary("the queue; skip, reprioritise, reassign, delete")
    .description("List the tasks of all runs, or change one. By the contract a change waits for approval in the inbox.")
    .option("--run <run>", `one run only: ${RUN}`)
    .addOption(new Option("--status <status>", "only those").choices(QUEUE_STATUSES))
    .option("--proposed", "what somebody wrote into the work queue by hand")
    .addHelpText("after", TASKS)
    .action(({ run, status, proposed }: { run?: string; status?: QueueStatus; proposed?: boolean }) =>
      launch(async (context) => {
        const { listTasks } = await import("../../app/run/tasks.js");
        return listTasks({ run, status, proposed: proposed === true }, context);
      }),
    );
  const change = async (
    run: string,
    task: string,
    wanted: TaskChange,
    options: ChangeOptions,
    with_: CommandContext,
  ) => {
    const { changeTask } = await import("../../app/run/change-task.js");
    const { approve = false, by, wait } = options;
    return changeTask({ run, task, change: wanted, approve, by, waitMs: wait }, with_);
  };
  common(tasks.command("skip").argument("<run>", RUN).argument("<task>", "the task"))
    .summary("skip a task and continue with what builds on it")
    .option("--reason <text>", "why", "not needed")
    .addHelpText("after", '\nExample:\n  $ coordinator tasks skip last TASK-023-003 --reason "done by hand"')
    .action((run: string, task: string, options: ReasonOptions) =>
      launch((with_) => change(run, task, { action: "skip_task", reason: options.reason }, options, with_)),
    );
  common(tasks.command("delete").argument("<run>", RUN).argument("<task>", "the task"))
    .summary("leave a task undone, and what builds on it too")
    .option("--reason <text>", "why", "not needed")
    .addHelpText("after", "\nExample:\n  $ coordinator tasks delete last TASK-023-003 --approve")
    .action((run: string, task: string, options: ReasonOptions) =>
      launch((with_) => change(run, task, { action: "delete_task", reason: options.reason }, options, with_)),
    );
  common(tasks.command("reassign").argument("<run>", RUN).argument("<task>", "the task"))
    .summary("give a task to another agent")
    .argument("<agent>", "an agent of coordinator.yaml")
    .addHelpText("after", "\nExample:\n  $ coordinator tasks reassign last TASK-023-003 codex")
    .action((run: string, task: string, agent: string, options: ChangeOptions) =>
      launch((with_) => change(run, task, { action: "reassign_task", agent }, options, with_)),
    );
  common(tasks.command("reprioritise").argument("<run>", RUN).argument("<task>", "the task"))
    .alias("reprioritize")
    .summary("change what comes first")
    .addArgument(tasks.createArgument("<priority>", "P0 comes first, P3 last").choices(PRIORITIES))
    .addHelpText("after", "\nExample:\n  $ coordinator tasks reprioritise last TASK-023-003 P0")
    .action((run: string, task: string, priority: (typeof PRIORITIES)[number], options: ChangeOptions) =>
      launch((with_) => change(run, task, { action: "change_priority", priority }, options, with_)),
    );
  common(tasks.command("adopt").argument("[id]", "one of them; all when absent"))
    .summary("ask for what somebody wrote into the work queue by hand")
    .addHelpText("after", "\nExample:\n  $ coordinator tasks adopt chg_1a2b3c4d5e")
    .action((id: string | undefined, { approve = false, by, wait }: ChangeOptions) =>
      launch(async (context) => {
        const { settleEdits } = await import("../../app/run/change-task.js");
        const args = { id: id ?? null, what: "adopt", approve, by, waitMs: wait } as const;
        return settleEdits(args, context);
      }),
    );
  tasks
    .command("discard")
    .argument("[id]", "one of them; all when absent")
    .summary("forget what somebody wrote into the work queue by hand")
    .addHelpText("after", "\nExample:\n  $ coordinator tasks discard")
    .action((id: string | undefined) =>
      launch(async (context) => {
        const { settleEdits } = await import("../../app/run/change-task.js");
        const args = { id: id ?? null, what: "discard", approve: false, by: undefined, waitMs: 0 } as const;
        return settleEdits(args, context);
      }),
    );
}

export function addHandoff(program: Command, launch: Launch): void {
  program
    .command("handoff")
    .summary("write the session's handoff, or read the last one")
    .description(
      "Write what the next session needs to know into the folder of sessions, or read what the last one left.",
    )
    .argument("[run]", RUN, "last")
    .option("--read", "print the last handoff, and note that it was read")
    .option("--by <name>", "who reads; your name in git when absent")
    .addHelpText("after", "\nExamples:\n  $ coordinator handoff\n  $ coordinator handoff --read")
    .action((run: string, { read, by }: { read?: boolean; by?: string }) =>
      launch(async (context) => {
        const { handOffSession } = await import("../../app/inspect/handoff.js");
        return handOffSession({ run, read: read === true, by }, context);
      }),
    );
}

function common(command: Command): Command {
  return command
    .option("--approve", "approve it too: it is yours to decide")
    .option("--by <name>", "who asks; your name in git when absent")
    .addOption(
      new Option("--wait <seconds>", "how long to wait for a process that works on the run")
        .argParser(seconds)
        .default(5000, "5"),
    );
}

const TASKS = `
Examples:
  $ coordinator tasks --status blocked
  $ coordinator tasks skip last TASK-023-003 --reason "done by hand"
  $ coordinator tasks reprioritise last TASK-023-003 P0 --approve
  $ coordinator tasks --proposed

A task that is being worked on is not changed. Exit codes of a change: 0 done, 3 waits for approval, 4 refused.`;
