import { type Command, InvalidArgumentError, Option } from "commander";
import { addRequestOptions, requestOptionsOf } from "./request-options.js";
import type { Launch } from "./program.js";
import { addRunOptions, approvalOf, requestContextOf, type RunOptions } from "./run.js";

export function addAdr(program: Command, launch: Launch, host: NodeJS.Process): void {
  const adr = program
    .command("adr")
    .description("Read decision records, the tasks they give, and carry them out.")
    .addHelpText(
      "after",
      "\nExamples:\n  $ coordinator adr list\n  $ coordinator adr check docs/adr/0007-rate-limits.md" +
        "\n  $ coordinator adr approve docs/adr/0007-rate-limits.md",
    );
  adr
    .command("list")
    .summary("list the decision records of a project")
    .description("Find the decision records of a project and show the state of each and how many tasks it gives.")
    .argument("[dir]", "the folder of records, or the project they are looked for in", ".")
    .addHelpText("after", LIST)
    .action((dir: string) =>
      launch(async (context) => {
        const { listAdrs } = await import("../../app/adr/adr-list.js");
        return listAdrs(dir, context);
      }),
    );
  adr
    .command("check")
    .summary("read decision records and break them into tasks")
    .description("Read decision records: status, relations, consequences, and the tasks they give with the reasons.")
    .argument("<files...>", "decision records in Markdown; with --batch JSON lines, - is stdin")
    .option("--batch", "read JSON lines {file, text}, write one record a line; text is read from the file when absent")
    .addHelpText("after", CHECK)
    .action((files: string[], { batch }: { batch?: boolean }) =>
      launch(async ({ project }) => {
        const { checkAdrs } = await import("../../app/adr/adr-check.js");
        const { streamsOf } = await import("../terminal/process-streams.js");
        return checkAdrs({ files, batch: batch === true }, project, streamsOf(host));
      }),
    );
  addCarryingOut(adr, program, launch, host);
}

/** The commands that carry a record out. */
function addCarryingOut(adr: Command, program: Command, launch: Launch, host: NodeJS.Process): void {
  const approve = adr
    .command("approve")
    .summary("approve a decision record and carry it out")
    .description(
      "Approve a decision record, plan the tasks it gives, and carry them out. Your approval is kept in the run's log with " +
        "your name and covers a plan of low or medium risk; the record itself is never changed.",
    )
    .argument("<file>", "the record, accepted or still proposed: its file, or what it is cited by, like ADR-023")
    .option("--again", "carry out a record once more that was carried out unchanged");
  addRequestOptions(addRunOptions(approve))
    .addHelpText("after", APPROVE)
    .action((file: string, options: RunOptions) =>
      launch(async (context) => {
        const { runAdr } = await import("../../app/adr/adr-approve.js");
        const asking = requestOptionsOf([], options, `coordinator adr approve ${file}`);
        const around = await requestContextOf(context, host);
        return runAdr({ file, approve: true }, asking, options, approvalOf(program, host), around);
      }),
    );
  const watch = adr
    .command("watch")
    .summary("carry out decision records as they are accepted")
    .description(
      "Look for decision records that have been accepted and carry out each of them once. Records accepted before the " +
        "first time are left alone. With a contract of the project that assigns tasks by itself, so are open tasks of its " +
        "work queue.",
    )
    .argument("[dir]", "the folder of records, or the project they are looked for in", ".")
    .option("--once", "look once and stop")
    .option("--all", "also take records that were accepted before the first watch")
    .addOption(new Option("--every <seconds>", "how often to look").default("2").argParser(seconds));
  addRequestOptions(addRunOptions(watch))
    .addHelpText("after", WATCH)
    .action((dir: string, options: RunOptions & { once?: boolean; all?: boolean; every: number | string }) =>
      launch(async (context) => {
        const { watchAdrs } = await import("../../app/adr/adr-watch.js");
        const { once, all, every } = options;
        const args = { dir, once: once === true, all: all === true, everyMs: Number(every) * 1000 };
        const around = await requestContextOf(context, host);
        return watchAdrs(args, requestOptionsOf([], options, ""), options, approvalOf(program, host), around);
      }),
    );
}

function seconds(value: string): number {
  if (!/^\d{1,5}(?:\.\d)?$/.test(value) || Number(value) < 0.1)
    throw new InvalidArgumentError("It must be a number of seconds, at least 0.1.");
  return Number(value);
}

const APPROVE = `
Examples:
  $ coordinator adr approve decisions/ADR-023.md          plan it and carry it out
  $ coordinator adr approve decisions/ADR-023.md --yes    your approval covers a plan of high risk too

Exit codes: 0 completed, 1 failed, 3 waits on a person, 4 the record gives no work or rules refuse it.`;

const WATCH = `
Examples:
  $ coordinator adr watch                  carried out, if the contract assigns tasks by itself; else it waits for you
  $ coordinator adr watch --yes            carried out at once, whatever the contract says of that
  $ coordinator adr watch --once --yes     for a timer or a pipeline`;

const LIST = `
Examples:
  $ coordinator adr list                       looks where .adr-dir says and in docs/adr, docs/decisions, doc/adr, adr …
  $ coordinator adr list docs/decisions

Tasks in brackets are held: only an accepted record gives work.`;

const CHECK = `
Examples:
  $ coordinator adr check docs/adr/0007-rate-limits.md
  $ coordinator adr check docs/adr/*.md --json          one JSON object a record, one a line
  $ coordinator adr check records.jsonl --batch > tasks.jsonl

Exit codes: 0 read, 2 a file could not be read. A record is never changed.`;
