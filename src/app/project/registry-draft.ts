import { join } from "node:path";
import { parseIntent } from "../../mind/plan/parse-intent.js";
import { draftEntries } from "../../hands/registry/draft-entries.js";
import { EXIT } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import type { RegistryDrafted } from "../registry-reports.js";
import { placeIn } from "../../foundation/documents/path-segments.js";
import { inputFailure } from "./input-failure.js";
import type { CommandContext } from "../command-context.js";
import { registryFailure } from "./project-registry.js";
import { readRaw } from "./read-input.js";
import { writeNew } from "./write-file.js";

export interface DraftArguments {
  readonly intent: string;
  readonly registries: readonly string[];
  readonly out: string | undefined;
}

/** Draft entries for what an intent names and the registry lacks. Contract: a file that is there is never changed. */
export async function draftRegistry(args: DraftArguments, { cwd, project }: CommandContext): Promise<Finished> {
  const intent = await readRaw(args.intent, cwd);
  if (!intent.ok) return inputFailure(intent.problems);
  const parsed = parseIntent(intent.value);
  if (!parsed.ok) return inputFailure(placeIn(intent, parsed.problems));
  const registry = await project.registry(args.registries);
  const broken = registryFailure(registry);
  if (broken !== null) return broken;
  const files: RegistryDrafted["files"][number][] = [];
  for (const { path, yaml } of draftEntries(parsed.parsed.intent, registry.registry)) {
    if (args.out === undefined) files.push({ path, yaml, status: "drafted" });
    else {
      const file = join(args.out, path);
      files.push({ path: file, yaml, status: (await writeNew(file, yaml)) ? "written" : "exists" });
    }
  }
  return finish(EXIT.done, { type: "registry_draft", files });
}
