import { type Command, InvalidArgumentError, Option } from "commander";
import { isDateTime } from "../../model/date-time.js";
import type { Launch } from "./program.js";

interface Options {
  batch?: boolean;
  policy?: string;
  answers?: string;
  repo?: string;
  id?: string;
  now?: string;
  explain?: boolean;
}

export function addIntake(program: Command, launch: Launch, host: NodeJS.Process): void {
  program
    .command("intake")
    .summary("accept, refuse or question a request")
    .description("Decide by policy whether a request is accepted, refused or questioned, and what it would take.")
    .argument("<file>", "a request in plain words, a user request or {id, text} as JSON or YAML; - is stdin")
    .option("--batch", "read JSON lines, write one decision a line")
    .option(
      "--policy <file>",
      "the intake policy; governance/intake-policy.yaml when it is there, else the shipped one",
    )
    .addOption(new Option("--answers <file>", "answers to the questions, JSON or YAML").conflicts("batch"))
    .option("--repo <dir>", "the repository it is about; context.project_path of the request when absent")
    .addOption(
      new Option("--id <uuid>", "the request's id, for plain words; a new one when absent")
        .argParser(uuid)
        .conflicts("batch"),
    )
    .addOption(new Option("--now <time>", "when the request is judged, for output to the byte").argParser(dateTime))
    .addOption(new Option("--explain", "show each judgement with the words behind it").conflicts("batch"))
    .addHelpText("after", EXAMPLE)
    .action((file: string, { batch, policy, answers, repo, id, now, explain }: Options) =>
      launch(async (context) => {
        const { takeIn } = await import("../../app/request/intake.js");
        const { streamsOf } = await import("../terminal/process-streams.js");
        const args = { file, batch: batch === true, policy, answers, repo, id, now, explain: explain === true };
        return takeIn(args, context, streamsOf(host));
      }),
    );
}

function uuid(value: string): string {
  if (!/^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i.test(value))
    throw new InvalidArgumentError("It must be a UUID.");
  return value;
}

function dateTime(value: string): string {
  if (!isDateTime(value)) throw new InvalidArgumentError("It must be like 2026-01-25T11:00:00Z.");
  return value;
}

const EXAMPLE = `
Examples:
  $ coordinator intake request.txt                           the decision, and why
  $ echo "Make it better" | coordinator intake -             the questions that are open
  $ coordinator intake request.txt --answers answers.yaml    judge it again with the answers
  $ coordinator intake requests.jsonl --batch > decisions.jsonl

Exit codes: 0 approved, 2 invalid, 3 needs clarification, 4 rejected. With --batch 0, or 2 when a line was bad.`;
