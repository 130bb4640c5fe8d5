import type { Command } from "commander";
import type { Launch } from "./program.js";

export function addDoctor(program: Command, launch: Launch, host: NodeJS.Process): void {
  program
    .command("doctor")
    .summary("what is here, what is missing, how to fix it")
    .description(
      "Look for git, the store, the settings, the sandbox, the programs of the checks inside of it and the agents, and " +
        "say how to fix what is missing. Every agent of coordinator.yaml is started in a sandbox and asked for a " +
        "session; no model is asked.",
    )
    .option("--agent <name>", "start only this agent: one of coordinator.yaml or a preset")
    .addHelpText("after", EXAMPLES)
    .action(({ agent }: { agent?: string }) =>
      launch(async ({ progress }) => {
        const { examine } = await import("../commands/doctor.js");
        const { examineSandbox } = await import("../commands/doctor-checks.js");
        return examine({
          cwd: host.cwd(),
          env: host.env,
          node: host.versions.node,
          sandbox: examineSandbox,
          progress,
          ...(agent === undefined ? {} : { agent }),
        });
      }),
    );
}

const EXAMPLES = `
Examples:
  $ coordinator doctor
  $ coordinator doctor --agent claude      does this one work in the sandbox?

Exit codes: 0 ready, 1 something must be fixed first.`;
