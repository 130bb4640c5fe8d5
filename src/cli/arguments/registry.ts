import { Argument, type Command } from "commander";
import type { Launch } from "./program.js";

const KINDS = ["workflow", "agent", "command", "rule", "fact", "model", "guardrail"] as const;

interface Options {
  registry?: string[];
}

export function addRegistry(program: Command, launch: Launch): void {
  const registry = program
    .command("registry")
    .description("Check, list and show what plans may refer to, and draft entries.")
    .addHelpText("after", "\nExample:\n  $ coordinator registry list rule");
  const directories = ["--registry <dir...>", "more registry directories; later ones override earlier ones"] as const;
  registry
    .command("check")
    .summary("find every problem of the registry")
    .description("Read every entry and compile every rule; list each problem with its place.")
    .option(...directories)
    .addHelpText("after", "\nExample:\n  $ coordinator registry check --registry my-registry")
    .action((options: Options) =>
      launch(async (context) => {
        const { checkRegistry } = await import("../../app/project/registry.js");
        return checkRegistry(options.registry ?? [], context);
      }),
    );
  registry
    .command("list")
    .description("List the entries of the registry.")
    .addArgument(new Argument("[kind]", "only entries of this kind").choices(KINDS))
    .option(...directories)
    .addHelpText("after", "\nExamples:\n  $ coordinator registry list\n  $ coordinator registry list rule")
    .action((kind: string | undefined, options: Options) =>
      launch(async (context) => {
        const { listRegistry } = await import("../../app/project/registry.js");
        return listRegistry(kind, options.registry ?? [], context);
      }),
    );
  registry
    .command("show")
    .description("Show entries as they were read.")
    .argument("<kind-or-id>", `an id, or one of ${KINDS.join(", ")}`)
    .argument("[id]", "the id, when the kind comes first")
    .option(...directories)
    .addHelpText(
      "after",
      "\nExamples:\n  $ coordinator registry show implement_feature\n  $ coordinator registry show rule deny_secret_files",
    )
    .action((first: string, second: string | undefined, options: Options) =>
      launch(async (context) => {
        const { showEntry } = await import("../../app/project/registry.js");
        const wanted = second === undefined ? { kind: undefined, id: first } : { kind: first, id: second };
        return showEntry(wanted, options.registry ?? [], context);
      }),
    );
  registry
    .command("draft")
    .summary("write starters for what an intent names and the registry lacks")
    .description("Draft entries for what an intent names and the registry lacks. A file that is there stays.")
    .requiredOption("--intent <file>", "the intent, JSON or YAML")
    .option(...directories)
    .option("--out <dir>", "write the files under this registry directory; without it they are printed")
    .addHelpText("after", "\nExample:\n  $ coordinator registry draft --intent intent.json --out governance/registry")
    .action(({ intent, registry: more, out }: Options & { intent: string; out?: string }) =>
      launch(async (context) => {
        const { draftRegistry } = await import("../../app/project/registry-draft.js");
        return draftRegistry({ intent, registries: more ?? [], out }, context);
      }),
    );
}
