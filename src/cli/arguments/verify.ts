import type { Command } from "commander";
import type { Launch } from "./program.js";

interface Options {
  anchor?: string[];
  key?: string[];
}

export function addVerify(program: Command, launch: Launch, host: NodeJS.Process): void {
  program
    .command("verify")
    .summary("prove a plan, a run or a tape")
    .description(
      "A plan: check every checksum, make it again from the inputs saved in it, compare the bytes.\n" +
        "A run or its tape: fold the log again, check the chain, the checkpoints and the anchors.",
    )
    .argument("<what>", "the folder of a plan, the file of a tape, or a run")
    .option(
      "--anchor <place...>",
      "where checkpoints of the run were kept: a file, git: or git:REF; what record.anchor names when absent",
    )
    .option(
      "--key <place>",
      "a public key that counts, as PEM: a file, or a folder of *.pem; may be given several times. " +
        "Those of this clone and of ~/.config/coordinator/team-keys when absent",
      (place: string, before: string[] | undefined) => [...(before ?? []), place],
    )
    .addHelpText("after", EXAMPLE)
    .action((what: string, { anchor, key }: Options) =>
      launch(async (context) => {
        const { verify } = await import("../../app/prove/verify.js");
        return verify(what, { anchors: anchor ?? [], keys: key ?? [], environment: host.env }, context);
      }),
    );
}

const EXAMPLE = `
Examples:
  $ coordinator verify plan
  $ coordinator verify last --anchor /mnt/other/anchors.jsonl
  $ coordinator verify run.tape --key their-key.pem
  $ coordinator verify last --key ada.pem --key bob.pem`;
