import { Argument, type Command } from "commander";
import { SHELLS, type Shell } from "../completion.js";
import { EXIT } from "../../app/exit-codes.js";
import { finish } from "../../app/report.js";
import type { Launch } from "./program.js";

export function addCompletion(program: Command, launch: Launch): void {
  program
    .command("completion")
    .summary("a script that completes commands in your shell")
    .description("Print the script with which a shell completes commands, options and their words.")
    .addArgument(new Argument("<shell>", "your shell").choices([...SHELLS]))
    .addHelpText("after", EXAMPLES)
    .action((shell: Shell) =>
      launch(async () => {
        const { completionFor } = await import("../completion.js");
        return finish(EXIT.done, { type: "completion", shell, script: completionFor(shell, program) });
      }),
    );
}

const EXAMPLES = `
Examples:
  $ source <(coordinator completion bash)                 for this shell; put it into ~/.bashrc to keep it
  $ source <(coordinator completion zsh)
  $ coordinator completion fish > ~/.config/fish/completions/coordinator.fish`;
