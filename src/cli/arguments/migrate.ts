import type { Command } from "commander";
import type { Launch } from "./program.js";

export function addMigrate(program: Command, launch: Launch): void {
  program
    .command("migrate")
    .summary("move the runs of this project to another store")
    .description(
      "Copy the log of every run to another store, compare all hashes, and use that store from now on. A project without runs " +
        "only begins to use it, also when it holds runs of others. Records, results and keys stay where they are.",
    )
    .requiredOption("--to <store>", "sqlite, or postgres://USER@HOST:PORT/DATABASE?schema=NAME")
    .addHelpText("after", EXAMPLES)
    .action(({ to }: { to: string }) =>
      launch(async (context) => {
        const { migrateStore } = await import("../../app/store/migrate-store.js");
        return migrateStore(to, context);
      }),
    );
}

const EXAMPLES = `
Examples:
  $ coordinator migrate --to 'postgres://ada@db.example/team?schema=shop'
  $ coordinator migrate --to sqlite        back to this machine

The password is not part of the address: COORDINATOR_STORE_PASSWORD holds it, or COORDINATOR_STORE_PASSWORD_FILE names a file
with it that only you can read.

Exit codes: 0 moved, 1 the server cannot be reached or somebody works on a run, 2 a wrong address, 4 the server refused the
user, 5 a log does not verify.`;
