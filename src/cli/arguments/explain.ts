import type { Command } from "commander";
import type { Launch } from "./program.js";

export function addExplain(program: Command, launch: Launch): void {
  program
    .command("explain")
    .summary("say why something is in a plan")
    .description("Say why a node, task, rule, question, model choice, guard, edge or lane is in a plan the way it is.")
    .argument("<id>", "the id, as the plan shows it")
    .requiredOption("--plan <dir>", "the folder of the plan")
    .addHelpText(
      "after",
      "\nExamples:\n  $ coordinator explain run_tests --plan plan\n  $ coordinator explain q_reviewer_data --plan plan",
    )
    .action((id: string, { plan }: { plan: string }) =>
      launch(async (surroundings) => {
        const { explainId } = await import("../commands/explain.js");
        return explainId(id, plan, surroundings);
      }),
    );
}
