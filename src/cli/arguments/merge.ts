import { type Command, Option } from "commander";
import { once } from "node:events";
import { readGlobals } from "./globals.js";
import type { Launch } from "./program.js";
import { seconds } from "./runs.js";

interface MergeOptions {
  into?: string;
  ff: boolean;
  partial?: boolean;
  exportBranch?: string;
  by?: string;
  as: string[];
  unsafeNoSandbox?: boolean;
}

interface RetryOptions {
  approve?: boolean;
  agent?: string;
  note?: string;
  by?: string;
  wait: number;
}

const RUN = "the run's id, the beginning of it, or last";
const collect = (value: string, before: string[]) => [...before, value];

/** The commands by which a person takes over what a run made, or has it done again. */
export function addMerge(program: Command, launch: Launch, host: NodeJS.Process): void {
  program
    .command("diff")
    .summary("what a run changed, or one task of it")
    .description("Show the change of a run against its base, or of one task. To a file or a program it goes as it is.")
    .argument("<run>", RUN)
    .argument("[task]", "one task of it")
    .option("--stat", "only the files and how much of them")
    .addHelpText(
      "after",
      "\nExamples:\n  $ coordinator diff last\n  $ coordinator diff last csv-export --stat\n  $ coordinator diff last > change.patch",
    )
    .action((run: string, task: string | undefined, { stat }: { stat?: boolean }) =>
      launch(async (context) => {
        const { showDiff } = await import("../../app/merge/diff.js");
        const { json } = readGlobals(host.argv.slice(2), host);
        const write = async (bytes: Uint8Array) => {
          if (!host.stdout.write(bytes)) await once(host.stdout, "drain");
        };
        const raw = host.stdout.isTTY ? null : write;
        return showDiff({ run, task, stat: stat === true, json }, context, raw);
      }),
    );
  program
    .command("merge")
    .summary("take the work of a run onto a branch of yours")
    .description(
      "Move your branch to what a run made: forward where that is possible, else to a merge that is proven again. Only " +
        "by your order, and nothing is moved that does not merge cleanly and pass.",
    )
    .argument("<run>", RUN)
    .option("--into <branch>", "the branch; the one you stood on when the run began when absent")
    .option("--no-ff", "make a merge commit also where it could go forward")
    .option("--partial", "also when tasks failed or are still open")
    .option("--export-branch <name>", "make a new branch at the run's head, for a pull request, and move none")
    .option("--as <role>", "the reviewer you are, for reviews the plan asks for before the merge", collect, [])
    .option("--by <name>", "who orders it; your name in git when absent")
    .option("--unsafe-no-sandbox", "prove the merge where there is no sandbox")
    .addHelpText("after", MERGE)
    .action((run: string, options: MergeOptions) =>
      launch(async (context) => {
        const { mergeIntoBranch } = await import("../../app/merge/merge.js");
        const { into, ff, partial, exportBranch, by, as, unsafeNoSandbox } = options;
        const args = {
          run,
          into,
          noFastForward: !ff,
          partial: partial === true,
          exportBranch,
          by,
          as,
          unsafeNoSandbox: unsafeNoSandbox === true,
        };
        return mergeIntoBranch(args, context);
      }),
    );
  program
    .command("retry")
    .summary("have a task tried again")
    .description("Order another attempt at a task that is blocked on an escalation.")
    .argument("<run>", RUN)
    .argument("<task>", "the task")
    .option("--approve", "it is your decision; without it only what it waits on is said")
    .option("--agent <agent>", "another agent")
    .option("--note <text>", "what to do differently")
    .option("--by <name>", "who decides; your name in git when absent")
    .addOption(
      new Option("--wait <seconds>", "how long to wait for a process that works on the run")
        .argParser(seconds)
        .default(5000, "5"),
    )
    .addHelpText(
      "after",
      '\nExample:\n  $ coordinator retry last csv-export --approve --agent codex --note "use the existing writer"',
    )
    .action((run: string, task: string, { approve, agent, note, by, wait }: RetryOptions) =>
      launch(async (context) => {
        const { retryTask } = await import("../../app/run/retry.js");
        return retryTask({ run, task, approve: approve === true, agent, note, by, waitMs: wait }, context);
      }),
    );
}

const MERGE = `
Examples:
  $ coordinator merge last
  $ coordinator merge last --into main --no-ff
  $ coordinator merge last --export-branch report-export     a branch for a pull request

Exit codes: 0 merged, 4 refused (does not merge, local changes, reviews, open tasks), 5 the checks do not pass.`;
