import type { Command } from "commander";
import type { ExplainArguments } from "../../app/inspect/explain.js";
import type { Launch } from "./program.js";

export function addExplain(program: Command, launch: Launch): void {
  program
    .command("explain")
    .summary("say why something is in a plan, or why a run did it")
    .description(
      "Say why a node, task, rule, question, model choice, guard, edge or lane is in a plan the way it is; or, from the log " +
        "of a run, why a task, attempt (TASK#2), tool use, verdict, retry, gate (gate:execution), model choice (model:TASK) or escalation is as it is: " +
        "the rule, the evidence and the alternatives.",
    )
    .argument(
      "[id]",
      "the id, as the plan or the run shows it, or the number of an event; without one, what a run can be asked for",
    )
    .option("--plan <dir>", "the folder of the plan")
    .option("--run <run>", "the run, or last")
    .addHelpText(
      "after",
      "\nExamples:\n  $ coordinator explain run_tests --plan plan\n  $ coordinator explain q_reviewer_data --plan plan\n  $ coordinator explain --run last\n  $ coordinator explain fix-rounding#2 --run last",
    )
    .action((id: string | undefined, from: ExplainArguments) =>
      launch(async (context) => {
        const { explainId } = await import("../../app/inspect/explain.js");
        return explainId(id, from, context);
      }),
    );
}
