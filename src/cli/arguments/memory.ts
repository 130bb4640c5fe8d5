import type { Command } from "commander";
import type { Launch } from "./program.js";

interface Options {
  project?: string;
  fromPlans?: string[];
  observations?: string;
  out?: string;
}

export function addMemory(program: Command, launch: Launch): void {
  const memory = program
    .command("memory")
    .description("Build what is remembered of a project.")
    .addHelpText("after", "\nExample:\n  $ coordinator memory build");
  memory
    .command("build")
    .summary("write the memory pack of a project")
    .description("Add what plans and runs taught to the memory pack; the first time, make an empty one.")
    .option("--project <id>", "the project's id, as intents name it; the directory's name when absent")
    .option("--from-plans <dir...>", "folders of plans whose answers are worth suggesting again")
    .option(
      "--observations <file>",
      "JSON lines, one for each attempt: command_id, tokens_in, tokens_out, minutes, failed",
    )
    .option("--out <file>", "where to write; .coordinator/memory.json when absent")
    .addHelpText(
      "after",
      "\nExamples:\n  $ coordinator memory build --project shop\n  $ coordinator memory build --from-plans plans/2026-01 --observations attempts.jsonl",
    )
    .action(({ project, fromPlans, observations, out }: Options) =>
      launch(async (context) => {
        const { buildMemory } = await import("../../app/memory/memory-build.js");
        return buildMemory({ project, plans: fromPlans ?? [], observations, out }, context);
      }),
    );
}
