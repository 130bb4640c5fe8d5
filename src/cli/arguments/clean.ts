import { type Command, InvalidArgumentError, Option } from "commander";
import type { Launch } from "./program.js";

interface Options {
  dryRun?: boolean;
  olderThan: number;
  salvaged?: boolean;
  repo?: string;
  state?: string;
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

export function addClean(program: Command, launch: Launch): void {
  program
    .command("clean")
    .summary("remove what runs have left behind")
    .description(
      "Remove workspaces and refs that nothing needs any more. Work is salvaged first; work that is on no branch stays.",
    )
    .option("--dry-run", "only say what would be done")
    .addOption(
      new Option("--older-than <age>", "only what is at least this old, such as 12h or 7d")
        .argParser(age)
        .default(7 * (UNITS["d"] ?? 0), "7d"),
    )
    .option("--salvaged", "also forget salvaged work of that age; it is gone then")
    .option("--repo <dir>", "the repository; the current directory when absent")
    .option("--state <dir>", "where the state of all projects is kept; that of the system when absent")
    .addHelpText("after", "\nExample:\n  $ coordinator clean --dry-run --older-than 1d")
    .action(({ dryRun, olderThan, salvaged, repo, state }: Options) =>
      launch(async (context) => {
        const { cleanRepository } = await import("../../app/doctor/clean.js");
        const args = {
          dryRun: dryRun === true,
          olderThanMs: olderThan,
          salvaged: salvaged === true,
          repo: repo ?? ".",
          state,
        };
        return cleanRepository(args, context);
      }),
    );
}

function age(text: string): number {
  const [, number = "", unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (number === "") throw new InvalidArgumentError("An age is a number and m, h, d or w, such as 12h or 7d.");
  return Number(number) * (UNITS[unit] ?? 0);
}
