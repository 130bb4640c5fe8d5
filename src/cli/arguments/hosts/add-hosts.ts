import { type Command, InvalidArgumentError } from "commander";
import type { Launch } from "../program.js";
import { requestOptionsOf } from "../request-options.js";
import { requestContextOf } from "../run.js";

interface PublishOptions {
  perTask?: boolean;
  ready?: boolean;
  dryRun?: boolean;
  partial?: boolean;
  into?: string;
  branch?: string;
}

interface SyncOptions {
  watch?: boolean;
  every?: number;
  unsafeNoSandbox?: boolean;
}

function seconds(value: string): number {
  if (!/^[1-9]\d{0,4}$/.test(value))
    throw new InvalidArgumentError("It must be a whole number of seconds, at least 1.");
  return Number(value);
}

/** The commands that work with a host of code. */
export function addHosts(program: Command, launch: Launch, host: NodeJS.Process): void {
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
  program
    .command("sync")
    .summary("read approvals, remarks and red checks from the host of code")
    .description(
      "Read what people and checks said there: a plan that somebody who may has approved by a comment is approved, and remarks and " +
        "red checks on heads that were published go into the inbox. With code_host.follow_up: plan in your settings they are planned, and " +
        "what is approved of that becomes a commit on the same pull request.",
    )
    .option("--watch", "keep looking until Ctrl-C")
    .option("--every <seconds>", "with --watch: how long between two looks; 60 when absent", seconds)
    .option("--unsafe-no-sandbox", "carry out approved plans where there is no sandbox; it is logged")
    .addHelpText("after", SYNC)
    .action(({ watch, every, unsafeNoSandbox }: SyncOptions) =>
      launch(async (context) => {
        const { syncHost } = await import("../../../app/hosts/sync.js");
        const asked = {
          asking: requestOptionsOf([], {}, "coordinator sync"),
          run: unsafeNoSandbox === true ? { unsafeNoSandbox } : {},
          around: await requestContextOf(context, host),
        };
        return syncHost({ watch: watch === true, everySeconds: every ?? 60 }, asked);
      }),
    );
}

const SYNC = `
Example:
  $ coordinator sync                       approvals by comment; remarks and red checks on your pull requests
  $ coordinator sync --watch --every 120

Exit codes: 0 nothing waits, 3 a plan waits for its approval.`;

const PUBLISH = `
Examples:
  $ coordinator publish last --dry-run     what the pull request would say
  $ coordinator publish last
  $ coordinator publish last --per-task    one for each task, stacked

Exit codes: 0 published, 2 bad input or no login, 3 waits on the host or on a person, 4 refused.`;
