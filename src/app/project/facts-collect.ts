import { basename, resolve } from "node:path";
import { addProject } from "../../foundation/files/project-bounds.js";
import { collectFacts } from "../../hands/facts/collect-facts.js";
import { FactPack } from "../../model/settings/packs.js";
import { makeStateFolder, stateFolder } from "./state-folder.js";
import { EXIT } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { ownFiles } from "./own-files.js";
import { inputFailure } from "./input-failure.js";
import { FACTS_FILE } from "./project-documents.js";
import { registryFailure } from "./project-registry.js";
import { isThere, readInput } from "./read-input.js";
import { writeWhole } from "./write-file.js";

export interface CollectArguments {
  readonly repo: string;
  readonly project: string | undefined;
  readonly out: string | undefined;
}

/**
 * Look at a repository and write its fact pack. Facts that people wrote into the pack and that cannot be seen stay in
 * it.
 *
 * Contract: writes that one file, whole or not at all; a pack that cannot be read is the outcome, and stays.
 */
export async function collectToFile(
  args: CollectArguments,
  { parts, project: here, progress, cwd }: CommandContext,
): Promise<Finished> {
  const out = args.out ?? FACTS_FILE;
  const before = (await isThere(resolve(cwd, out))) ? await readInput(out, FactPack, cwd) : null;
  if (before?.ok === false) return inputFailure(before.problems);
  const registry = await here.registry();
  const broken = registryFailure(registry);
  if (broken !== null) return broken;

  const repo = resolve(cwd, args.repo);
  addProject(repo);
  progress(`Looking at ${args.repo} …`);
  const { seen, looked } = await collectFacts(repo, here.environment, await ownFiles(here.reopen(repo)));
  const earlier = before?.value.facts ?? {};
  const kept = Object.keys(earlier).filter((name) => !looked.has(name));
  const merged = { ...Object.fromEntries(kept.map((name) => [name, earlier[name]])), ...seen };
  const facts = Object.fromEntries(Object.entries(merged).sort(([a], [b]) => (a < b ? -1 : 1)));
  const project = args.project ?? before?.value.project_id ?? basename(repo);
  if (args.out === undefined) makeStateFolder(stateFolder(cwd));
  const checksum = parts.sha256(JSON.stringify([project, facts]));
  const pack = FactPack.parse({
    schema_version: "1.0.0",
    pack_id: `facts_${checksum.slice(0, 16)}`,
    project_id: project,
    collected_at: parts.now(),
    facts,
  });
  await writeWhole(resolve(cwd, out), `${JSON.stringify(pack, null, 2)}\n`);
  const unknown = registry.registry.facts.map(({ id }) => id).filter((id) => !Object.hasOwn(facts, id));
  return finish(EXIT.done, { type: "facts", pack, kept, unknown, writtenTo: out });
}
