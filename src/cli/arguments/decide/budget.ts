import { type Command, Option } from "commander";
import type { BudgetLimits } from "../../../model/run.js";
import { namedAmounts } from "./amounts.js";
import { BY, waitOption } from "./decision-options.js";
import type { Launch } from "../program.js";

interface BudgetOptions {
  add?: BudgetLimits;
  to?: BudgetLimits;
  note?: string;
  by?: string;
  wait: number;
}

export function addBudget(program: Command, launch: Launch): void {
  program
    .command("budget")
    .summary("raise the budget of a run before it reaches its limit")
    .description(
      "Allow a run more before it asks. The log keeps it with your name; attempts that start from then on use the new limit.",
    )
    .argument("<run>", "the run's id, the beginning of it, or last")
    .addOption(new Option("--add <amounts>", "how much more, like cost_usd=5").argParser(namedAmounts))
    .addOption(new Option("--to <amounts>", "the new limit, like cost_usd=20,tokens=500000").argParser(namedAmounts))
    .option("--note <text>", "why")
    .option("--by <name>", BY)
    .addOption(waitOption())
    .addHelpText("after", BUDGET)
    .action((run: string, { add, to, note, by, wait }: BudgetOptions) =>
      launch(async (context) => {
        const { raiseBudget } = await import("../../../app/decide/raise-budget.js");
        return raiseBudget({ run, add, to, note, by, waitMs: wait }, context);
      }),
    );
}

const BUDGET = `
Examples:
  $ coordinator budget last --add cost_usd=5
  $ coordinator budget run_1a2b --to cost_usd=20,tokens=500000 --note "the second half is larger than thought"

A limit that is lower than the present one, or than what is used, is refused. At its limit a run asks by itself:
coordinator inbox shows it.`;
