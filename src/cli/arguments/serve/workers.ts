import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { oneLine } from "../../../foundation/text/one-line.js";
import type { Launch } from "../program.js";

interface WorkerOptions {
  postgres: string;
  git: string;
  labels?: string[];
  capacity: number;
  folder?: string;
  unsafeNoSandbox?: boolean;
}

/** The commands of a machine that does work for runs of others. */
export function addWorkers(program: Command, launch: Launch, host: NodeJS.Process): void {
  program
    .command("worker")
    .summary("do work for runs of a team on this machine")
    .description(
      "Take attempts and checks of all runs of a store, as far as this machine fits them, and do them here, each in a workspace and a " +
        "sandbox of its own. It needs no clone: what it works on it fetches from the git remote, and results are pushed to refs/coord/* there.",
    )
    .requiredOption("--postgres <address>", "the store: postgres://USER@HOST:PORT/DATABASE?schema=NAME")
    .requiredOption("--git <remote>", "the git remote of the project")
    .addOption(new Option("--labels <list>", "labels it has, such as java-21,gpu").argParser(labels))
    .addOption(new Option("--capacity <n>", "how much it does at once").argParser(capacity).default(2))
    .addOption(
      new Option("--folder <dir>", "where it keeps its files; below your state directory when absent").argParser(
        (named: string) => resolve(host.cwd(), named),
      ),
    )
    .addOption(new Option("--unsafe-no-sandbox", "also do what was ordered to go on without a sandbox"))
    .addHelpText("after", EXAMPLES)
    // It works on no project: where it happens to be started, nothing is one.
    .hook("preAction", () => host.chdir("/"))
    .action(({ postgres, git, labels: given, capacity: most, folder, unsafeNoSandbox }: WorkerOptions) =>
      launch(async (context) => {
        const { runWorker } = await import("../../../app/workers/run-worker.js");
        const wanted = { postgres, remote: git, labels: given ?? [], capacity: most, folder };
        return runWorker({ ...wanted, unsafeNoSandbox: unsafeNoSandbox === true }, context, {
          ...endings(host),
          say: (line) => void host.stderr.write(`${oneLine(line)}\n`),
        });
      }),
    );
  program
    .command("workers")
    .summary("the workers of the store, and what waits for one")
    .description(
      "Show every worker of the store: what it has, what it does and what it lacks; and what waits for a worker, and why.",
    )
    .option("--postgres <address>", "the store; that of this clone when absent")
    .addHelpText("after", "\nExample:\n  $ coordinator workers --json")
    .action(({ postgres }: { postgres?: string }) =>
      launch(async (context) => {
        const { listWorkers } = await import("../../../app/workers/list-workers.js");
        return listWorkers(postgres, context);
      }),
    );
}

/** The first signal lets it finish what it has, the second does not, the third ends the process. */
function endings(host: NodeJS.Process): { readonly drain: AbortSignal; readonly end: AbortSignal } {
  const [drain, end] = [new AbortController(), new AbortController()];
  host.removeAllListeners("SIGINT");
  const next = () => {
    if (end.signal.aborted) host.exit(130);
    if (drain.signal.aborted) end.abort();
    else {
      host.stderr.write("Ending: it takes nothing more and finishes what it has. Once more ends that, too.\n");
      drain.abort();
    }
  };
  for (const ending of ["SIGINT", "SIGTERM"] as const) host.on(ending, next);
  return { drain: drain.signal, end: end.signal };
}

function labels(value: string): string[] {
  const all = value.split(",").filter((label) => label !== "");
  const wrong = all.find((label) => !/^[a-z0-9][a-z0-9._-]{0,62}$/.test(label));
  if (wrong !== undefined)
    throw new InvalidArgumentError(
      `${JSON.stringify(wrong)} is not a label: use small letters, digits, dots, - and _.`,
    );
  return all;
}

function capacity(value: string): number {
  if (!/^[1-9]\d{0,2}$/.test(value)) throw new InvalidArgumentError("It must be a number from 1 to 999.");
  return Number(value);
}

const EXAMPLES = `
Examples:
  $ coordinator worker --postgres 'postgres://ada@db.example/team?schema=shop' --git git@host.example:shop.git
  $ coordinator worker --postgres 'postgres://ada@db.example/team?schema=shop' --git ssh://host.example/shop \\
      --labels java-21,gpu --capacity 4

The password is COORDINATOR_STORE_PASSWORD, or in the file that COORDINATOR_STORE_PASSWORD_FILE names. Confidential data needs
worker: {accepts: [confidential]} in your own settings on this machine, ~/.config/coordinator/config.yaml. SIGTERM lets it finish what it has.

Exit codes: 0 ended by order, 1 the store or the remote cannot be reached, 2 invalid input, 4 refused, or another version.`;
