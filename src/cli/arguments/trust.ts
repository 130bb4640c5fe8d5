import type { Command } from "commander";
import { confirmation } from "../terminal/confirmation.js";
import type { Launch } from "./program.js";

export const TRUST_QUESTION = "Do you agree to all of it, for this project and exactly this content?";

export function addTrust(program: Command, launch: Launch, host: NodeJS.Process): void {
  program
    .command("trust")
    .summary("see what this project reaches beyond itself, and agree to it")
    .description(
      "Show line by line what coordinator.yaml, governance/ and the registry of this project ask for beyond the project: " +
        "programs of agents, folders of your machine, hosts, files that are written elsewhere. Nothing of it has effect " +
        "until you agree at a terminal. It is remembered outside of the repository, for this folder and exactly this " +
        "content; when something changes, you are shown the difference and asked again. --yes does not agree.",
    )
    .option("--show", "only show it, with the hash for pipelines")
    .option("--revoke", "take back what you agreed to")
    .addHelpText("after", EXAMPLES)
    .action(({ show, revoke }: { show?: boolean; revoke?: boolean }) =>
      launch(async ({ project }) => {
        const { trustProject } = await import("../../app/project/trust.js");
        return trustProject({
          project,
          show: show === true,
          revoke: revoke === true,
          ask: confirmation(program.opts(), host, TRUST_QUESTION, false),
        });
      }),
    );
}

const EXAMPLES = `
Examples:
  $ coordinator trust               look at it and answer
  $ coordinator trust --show        only look
  $ coordinator trust --revoke      take it back

In a pipeline, COORDINATOR_TRUST_FILE names a file outside of the repository with the hashes that are trusted, one on
each line.

Exit codes: 0 nothing waits or you agreed, 2 invalid settings, 4 you did not agree or nobody could be asked.`;
