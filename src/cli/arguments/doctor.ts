import type { Command } from "commander";
import { minutesOption, noChecksOption } from "./trial-options.js";
import type { Launch } from "./program.js";
import { stopSignal } from "../terminal/stop-signal.js";

export function addDoctor(program: Command, launch: Launch, host: NodeJS.Process): void {
  program
    .command("doctor")
    .summary("what is here, what is missing, how to fix it")
    .description(
      "Look for git, the store, room on the disk, the settings, the toolchains, the sandbox and the agents, run setup and " +
        "every check once on HEAD in the sandbox as a run would, and say how to fix what is missing. Every agent of " +
        "coordinator.yaml is started in a sandbox and asked for a session; no model is asked.",
    )
    .option("--agent <name>", "start only this agent, one of coordinator.yaml or a preset, and run no check")
    .addOption(noChecksOption())
    .addOption(minutesOption())
    .addHelpText("after", EXAMPLES)
    .action(({ agent, checks, minutes }: { agent?: string; checks: boolean; minutes?: number }) =>
      launch(async ({ project, progress }) => {
        const { examine } = await import("../../app/doctor/doctor.js");
        const { examineSandbox } = await import("../../app/doctor/doctor-checks.js");
        return examine({
          project,
          node: host.versions.node,
          sandbox: examineSandbox,
          progress,
          minutes,
          signal: stopSignal(host),
          ...(checks ? {} : { tried: false as const }),
          ...(agent === undefined ? {} : { agent }),
        });
      }),
    );
}

const EXAMPLES = `
Examples:
  $ coordinator doctor
  $ coordinator doctor --no-checks         only look, which takes two seconds
  $ coordinator doctor --agent claude      does this one work in the sandbox?

Exit codes: 0 ready, 1 something must be fixed first, 130 interrupted.`;
