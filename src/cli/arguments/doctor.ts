import type { Command } from "commander";
import type { Launch } from "./program.js";

export function addDoctor(program: Command, launch: Launch, host: NodeJS.Process): void {
  program
    .command("doctor")
    .summary("what is here, what is missing, how to fix it")
    .description("Look for git, the store, the sandbox and the agents, and say how to fix what is missing.")
    .addHelpText("after", "\nExample:\n  $ coordinator doctor")
    .action(() =>
      launch(async () => {
        const { examine } = await import("../commands/doctor.js");
        return examine({ cwd: host.cwd(), env: host.env, node: host.versions.node });
      }),
    );
}
