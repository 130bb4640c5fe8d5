import type { Command } from "commander";
import type { Launch } from "../program.js";

interface PublishOptions {
  perTask?: boolean;
  ready?: boolean;
  dryRun?: boolean;
  partial?: boolean;
  into?: string;
  branch?: string;
}

/** The commands that work with a host of code. */
export function addHosts(program: Command, launch: Launch): void {
  program
    .command("publish")
    .summary("open a pull request with the work of a run")
    .description(
      "Push the work of a run to a branch of its own and open a draft pull request that says what was asked, who approved " +
        "the plan and what proves the result. Done again it changes what is there; it never opens a second one.",
    )
    .argument("<run>", "the run's id, the beginning of it, or last")
    .option("--per-task", "a pull request for each task, each on the branch of the one before")
    .option("--ready", "ready for review, not a draft")
    .option("--dry-run", "show what would be sent, and send nothing")
    .option("--partial", "also when tasks are open or requirements do not hold")
    .option("--into <branch>", "the branch it goes onto; the one you stood on when the run began when absent")
    .option("--branch <name>", "the branch to push to; by code_host.branch of your settings when absent")
    .addHelpText("after", PUBLISH)
    .action((run: string, { perTask, ready, dryRun, partial, into, branch }: PublishOptions) =>
      launch(async (context) => {
        const { publishRun } = await import("../../../app/hosts/publish.js");
        return publishRun(
          {
            run,
            perTask: perTask === true,
            ready: ready === true,
            dryRun: dryRun === true,
            partial: partial === true,
            into,
            branch,
          },
          context,
        );
      }),
    );
}

const PUBLISH = `
Examples:
  $ coordinator publish last --dry-run     what the pull request would say
  $ coordinator publish last
  $ coordinator publish last --per-task    one for each task, stacked

Exit codes: 0 published, 2 bad input or no login, 3 waits on the host or on a person, 4 refused.`;
