import { type Command, InvalidArgumentError, Option } from "commander";
import type { RunArguments } from "../commands/run.js";
import type { Launch } from "./program.js";
import { watcherFor } from "./watcher.js";

/** The command that carries out a plan. */
export function addRun(program: Command, launch: Launch, host: NodeJS.Process): void {
  program
    .command("run")
    .summary("carry out a frozen plan")
    .description(
      "Carry out a frozen plan with agents in parallel, each in a workspace of its own, and prove every result. Your " +
        "branches and files are not touched: the work stands on refs/coord/RUN/head until you merge it.",
    )
    .option("--plan <dir>", "the folder of a frozen plan; running it is your approval of it")
    .option("--resume <run>", "go on with a run: its id or the beginning of it")
    .option("--last", "go on with the newest run")
    .option("--agent <name>", "who plays every builder of this run")
    .addOption(new Option("--max-concurrent <n>", "tasks at once").argParser(positive))
    .addOption(new Option("--schedule <how>", "when a task may start").choices(["dataflow", "levels"]))
    .addOption(
      new Option("--coordinator-mode <when>", "when an agent reviews the work of a level").choices([
        "conflicts",
        "always",
        "off",
      ]),
    )
    .option("--unsafe-no-sandbox", "go on where there is no sandbox; for this run only, and it is logged")
    .addHelpText("after", EXAMPLES)
    .action((options: RunArguments) =>
      launch(async (surroundings) => {
        const { carryOutPlan } = await import("../commands/run.js");
        return carryOutPlan(options, surroundings, await watcherFor(host), interruption(host), host.env);
      }),
    );
}

/** The first Ctrl-C stops cleanly, the second at once: the log makes both safe. */
function interruption(host: NodeJS.Process): AbortSignal {
  const stop = new AbortController();
  host.removeAllListeners("SIGINT");
  host.on("SIGINT", () => {
    if (stop.signal.aborted) host.exit(130);
    host.stderr.write(
      "Stopping. What runs is ended and its work is kept. Ctrl-C again ends at once; nothing is lost.\n",
    );
    stop.abort();
  });
  return stop.signal;
}

function positive(value: string): number {
  if (!/^[1-9]\d{0,3}$/.test(value)) throw new InvalidArgumentError("It must be a number from 1 to 9999.");
  return Number(value);
}

const EXAMPLES = `
Examples:
  $ coordinator run --plan plan                    with the agents of coordinator.yaml
  $ coordinator run --plan plan --agent scripted   with one agent for everything
  $ coordinator run --last                         go on with the newest run

Exit codes: 0 completed, 1 failed, 3 waits on a person, 130 interrupted; a run that stopped goes on with --resume.`;
