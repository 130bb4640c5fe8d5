import { type Command, InvalidArgumentError, Option } from "commander";
import type { Launch } from "./program.js";

interface Options {
  batch?: boolean;
  policy?: string;
  context?: string;
  id?: string;
  explain?: boolean;
}

export function addRoute(program: Command, launch: Launch, host: NodeJS.Process): void {
  program
    .command("route")
    .summary("decide where a request goes and what may be seen there")
    .description("Decide by policy whether a request goes to product or to dev, with which context and in which scope.")
    .argument("<file>", "a request in plain words, a routing input or {id, text} as JSON or YAML; - is stdin")
    .option("--batch", "read JSON lines, write one decision a line")
    .option("--policy <file>", "the routing policy; governance/policy.yaml when it is there, else the shipped one")
    .option(
      "--context <file>",
      "the context registry, JSON or YAML; governance/context.yaml when it is there; `none` for no documents",
    )
    .addOption(
      new Option("--id <id>", "the task's id, for plain words; a new one when absent")
        .argParser(taskId)
        .conflicts("batch"),
    )
    .addOption(new Option("--explain", "show which words fired which rule, and what was near").conflicts("batch"))
    .addHelpText("after", EXAMPLE)
    .action((file: string, { batch, policy, context, id, explain }: Options) =>
      launch(async ({ cwd }) => {
        const { routeRequest } = await import("../../app/request/route.js");
        const { streamsOf } = await import("../terminal/process-streams.js");
        const args = { file, batch: batch === true, policy, context, id, explain: explain === true };
        return routeRequest(args, cwd, streamsOf(host));
      }),
    );
}

function taskId(value: string): string {
  if (value === "" || value.length > 256) throw new InvalidArgumentError("It must have 1 to 256 characters.");
  return value;
}

const EXAMPLE = `
Examples:
  $ coordinator route request.txt                            where it goes, and why
  $ echo "Rename parseDate in src/dates.ts" | coordinator route - --explain
  $ coordinator route request.txt --policy my-policy.yaml --context registry.yaml
  $ coordinator route requests.jsonl --batch > decisions.jsonl

Exit codes: 0 routed, 1 failed, 2 invalid, 3 escalated to a person. With --batch 0, or 2 when a line was bad.`;
