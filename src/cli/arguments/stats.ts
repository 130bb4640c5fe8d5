import type { Command } from "commander";
import { EXIT } from "../../app/exit-codes.js";
import { fail } from "../../app/report.js";
import type { Launch } from "./program.js";

export function addStats(program: Command, launch: Launch): void {
  program
    .command("stats")
    .summary("how well requests are handled here")
    .description(
      "Compute the success criteria from the logs of all runs: estimates beside what was used, completion, recovery, " +
        "response time, decisions that held. Each with its target and its number of cases.",
    )
    .option("--since <date>", "only runs that began then or later, like 2026-01-25")
    .addHelpText("after", "\nExamples:\n  $ coordinator stats\n  $ coordinator stats --since 2026-01-01 --json")
    .action(({ since }: { since?: string }) =>
      launch(async (context) => {
        const { isDateTime } = await import("../../model/date-time.js");
        // A day begins at midnight, UTC.
        const from = since !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(since) ? `${since}T00:00:00Z` : since;
        if (from !== undefined && !isDateTime(from))
          return fail(EXIT.invalid, "USAGE", `--since ${from} is not a date`, {
            fix: "Write it like 2026-01-25, or with a time: 2026-01-25T11:00:00Z.",
          });
        const { showStats } = await import("../../app/inspect/stats.js");
        return showStats(from, context);
      }),
    );
}
