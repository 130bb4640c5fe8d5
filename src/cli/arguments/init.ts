import type { Command } from "commander";
import { confirmation } from "../terminal/confirmation.js";
import { minutesOption, noChecksOption } from "./trial-options.js";
import type { Launch } from "./program.js";
import { stopSignal } from "../terminal/stop-signal.js";

interface Options {
  agent?: string;
  force?: boolean;
  dryRun?: boolean;
  board?: boolean;
  install?: boolean;
  checks: boolean;
  minutes?: number;
  mcp?: string[];
  remove?: boolean;
}

export function addInit(program: Command, launch: Launch, host: NodeJS.Process): void {
  program
    .command("init")
    .summary("look at this repository and write its coordinator.yaml and contract")
    .description(
      "Look for the repository's checks, its lockfile, the toolchains they need and the agents of this machine, run setup " +
        "and the checks once on HEAD in the sandbox, show the coordinator.yaml that follows, and write it, with a starter of " +
        "the contract in governance/contracts. No other file is touched.",
    )
    .option("--agent <preset>", "name this agent and no other, there or not")
    .option("--force", "write coordinator.yaml anew when it is there")
    .option("--dry-run", "only show what would be written")
    .option(
      "--install",
      "install missing packages outside of the sandbox, with the network, by the commands that are shown",
    )
    .option("--board", "have the queue, PROJECT_HQ.md and the handoffs in the working tree")
    .option(
      "--mcp <name...>",
      "only register coordinator mcp with claude, codex, cursor, vscode or opencode; shows the change first",
    )
    .option("--remove", "only take out again what --mcp wrote")
    .addOption(noChecksOption())
    .addOption(minutesOption())
    .addHelpText(
      "after",
      "\nExamples:\n  $ coordinator init\n  $ coordinator init --agent claude --yes\n  $ coordinator init --mcp claude codex",
    )
    .action(({ agent, force, dryRun, board, install, checks, minutes, mcp, remove }: Options) =>
      launch(async ({ project, progress }) => {
        const registering = confirmation(program.opts(), host, "Write this?", false);
        if (mcp !== undefined || remove === true) {
          const { registerMcp, unregisterMcp } = await import("../../app/init/register-mcp.js");
          const { at, environment } = project;
          const how = { at, environment, dryRun: dryRun === true, confirm: registering };
          return remove === true ? unregisterMcp(how) : registerMcp(mcp ?? [], how);
        }
        const { initialise } = await import("../../app/init/init.js");
        const { examineSandbox } = await import("../../app/doctor/doctor-checks.js");
        return initialise({
          project,
          agent,
          force: force === true,
          dryRun: dryRun === true,
          board: board === true,
          yes: program.opts<{ yes?: boolean }>().yes === true,
          confirm: confirmation(program.opts(), host, "Write this coordinator.yaml?"),
          doctor: { node: host.versions.node, sandbox: examineSandbox, progress, minutes },
          install: {
            agreed: install === true,
            confirm: confirmation(program.opts(), host, "Install them?", false),
          },
          registering,
          tries: checks,
          signal: stopSignal(host),
        });
      }),
    );
}
