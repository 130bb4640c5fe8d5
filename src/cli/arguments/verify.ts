import type { Command } from "commander";
import type { Launch } from "./program.js";

export function addVerify(program: Command, launch: Launch): void {
  program
    .command("verify")
    .summary("prove a plan")
    .description("Check every checksum of a plan, make it again from the inputs saved in it, and compare the bytes.")
    .argument("<dir>", "the folder of the plan")
    .addHelpText("after", "\nExample:\n  $ coordinator verify plan")
    .action((folder: string) =>
      launch(async (surroundings) => {
        const { verifyFolder } = await import("../commands/verify.js");
        return verifyFolder(folder, surroundings);
      }),
    );
}
