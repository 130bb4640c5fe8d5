import { type Command, Option } from "commander";
import type { Launch } from "./program.js";

interface CheckOptions {
  policy?: string;
  registry?: string[];
}

interface SealOptions {
  registry?: string[];
  write?: boolean;
  out?: string;
}

export function addIntent(program: Command, launch: Launch): void {
  const intent = program
    .command("intent")
    .description("Check and seal intents.")
    .addHelpText("after", "\nExample:\n  $ coordinator intent check intent.json");
  intent
    .command("check")
    .summary("list every problem of an intent")
    .description("List every problem of an intent: red lines, fields, ids, paths, limits, checksum, registry entries.")
    .argument("<file>", "the intent, JSON or YAML")
    .option("--policy <file>", "the execution policy; governance/execution-policy.yaml when it is there")
    .option("--registry <dir...>", "more registry directories; later ones override earlier ones")
    .addHelpText("after", "\nExample:\n  $ coordinator intent check intent.json")
    .action((file: string, { policy, registry }: CheckOptions) =>
      launch(async (context) => {
        const { checkIntent } = await import("../../app/plan/intent-check.js");
        return checkIntent({ file, policy, registries: registry ?? [] }, context);
      }),
    );
  intent
    .command("seal")
    .summary("write an intent's checksum and registry versions")
    .description("Compute the checksum of an intent and the registry versions it is made against.")
    .argument("<file>", "the intent, JSON or YAML")
    .option("--registry <dir...>", "more registry directories; later ones override earlier ones")
    .option("--write", "seal the file in place")
    .addOption(new Option("--out <file>", "write the sealed intent to this file").conflicts("write"))
    .addHelpText(
      "after",
      "\nExamples:\n  $ coordinator intent seal intent.json            print the sealed intent\n  $ coordinator intent seal --write intent.json    seal it in place",
    )
    .action((file: string, { registry, write, out }: SealOptions) =>
      launch(async (context) => {
        const { sealFile } = await import("../../app/plan/intent-seal.js");
        const target = write === true ? file : out;
        return sealFile({ file, registries: registry ?? [], out: target }, context);
      }),
    );
}
