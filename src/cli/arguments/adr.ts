import type { Command } from "commander";
import type { Launch } from "./program.js";

export function addAdr(program: Command, launch: Launch, host: NodeJS.Process): void {
  const adr = program
    .command("adr")
    .description("Read decision records and the tasks they give.")
    .addHelpText(
      "after",
      "\nExamples:\n  $ coordinator adr list\n  $ coordinator adr check docs/adr/0007-rate-limits.md",
    );
  adr
    .command("list")
    .summary("list the decision records of a project")
    .description("Find the decision records of a project and say where each stands and how many tasks it gives.")
    .argument("[dir]", "the folder of records, or the project they are looked for in", ".")
    .addHelpText("after", LIST)
    .action((dir: string) =>
      launch(async () => {
        const { listAdrs } = await import("../commands/adr-list.js");
        return listAdrs(dir);
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
      launch(async () => {
        const { checkAdrs } = await import("../commands/adr-check.js");
        const { streamsOf } = await import("../commands/streams.js");
        return checkAdrs({ files, batch: batch === true }, streamsOf(host));
      }),
    );
}

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
