import type { Command } from "commander";
import type { Launch } from "./program.js";

interface Options {
  repo?: string;
  project?: string;
  out?: string;
}

export function addFacts(program: Command, launch: Launch): void {
  const facts = program
    .command("facts")
    .description("Collect what can be seen of a repository.")
    .addHelpText("after", "\nExample:\n  $ coordinator facts collect");
  facts
    .command("collect")
    .summary("write the fact pack of a repository")
    .description("Look at a repository and write its fact pack. Facts that cannot be seen in it are kept as they were.")
    .option("--repo <dir>", "the repository; the current directory when absent")
    .option("--project <id>", "the project's id, as intents name it; the directory's name when absent")
    .option("--out <file>", "where to write; .coordinator/facts.json when absent")
    .addHelpText("after", "\nExample:\n  $ coordinator facts collect --project shop")
    .action(({ repo, project, out }: Options) =>
      launch(async (context) => {
        const { collectToFile } = await import("../../app/project/facts-collect.js");
        return collectToFile({ repo: repo ?? ".", project, out }, context);
      }),
    );
}
