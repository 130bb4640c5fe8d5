import { basename, join } from "node:path";
import { collectFacts } from "../../hands/facts/collect-facts.js";
import { MENTION_FACTS, mentionFacts } from "../../hands/facts/mention-facts.js";
import { PROFILE_FACTS } from "../../hands/facts/profile.js";
import { profileRepository } from "../../hands/facts/profile-repository.js";
import type { Diagnostic } from "../../model/diagnostic.js";
import { FactPack, MemoryPack } from "../../model/settings/packs.js";
import { makeStateFolder } from "./state-folder.js";
import type { CommandContext } from "../command-context.js";
import { ownFiles } from "./own-files.js";
import { readFacts, readMemory } from "./project-documents.js";

export type ProjectPacks =
  | { readonly ok: true; readonly facts: FactPack; readonly memory: MemoryPack }
  | { readonly ok: false; readonly problems: readonly Diagnostic[] };

export interface PackFiles {
  readonly facts: string | undefined;
  readonly memory: string | undefined;
  /** The request with the answers to it: paths and names of the repository in it are facts. */
  readonly words: string;
  /** When the packs are made; the present moment when absent. */
  readonly now: string | undefined;
}

/**
 * Collects the packs of a project: facts that can be seen, those that people wrote down, and the memory.
 *
 * Contract: no pack is written; only the profile of the commit and the index of its definitions are kept, below `.coordinator/`.
 */
export async function projectPacks(
  files: PackFiles,
  name: string | undefined,
  { parts, project, progress, cwd }: CommandContext,
): Promise<ProjectPacks> {
  const { at, environment } = project;
  const before = await readFacts(files.facts, cwd);
  const memory = await readMemory(files.memory, cwd);
  if (!before.ok || !memory.ok)
    return { ok: false, problems: [...(before.ok ? [] : before.problems), ...(memory.ok ? [] : memory.problems)] };
  progress("Looking at the repository …");
  makeStateFolder(at);
  const { seen, looked } = await collectFacts(at.root, environment, await ownFiles(project));
  const profile = await profileRepository(at.root, join(at.folder, "profile.json"), environment);
  const named =
    profile === null
      ? {}
      : await mentionFacts(at.root, profile.commit, files.words, join(at.folder, "definitions.txt"), environment);
  const passing = new Set<string>([...looked, ...PROFILE_FACTS, ...MENTION_FACTS]);
  const kept = Object.entries(before.value?.facts ?? {}).filter(([name]) => !passing.has(name));
  const merged = { ...Object.fromEntries(kept), ...profile?.facts, ...named, ...seen };
  const facts = Object.fromEntries(Object.entries(merged).sort(([a], [b]) => (a < b ? -1 : 1)));
  const project_id = name ?? before.value?.project_id ?? memory.value?.project_id ?? (basename(at.root) || "project");
  const now = files.now ?? parts.now();
  const id = (content: unknown) => parts.sha256(JSON.stringify([project_id, content])).slice(0, 16);
  return {
    ok: true,
    facts: FactPack.parse({
      schema_version: "1.0.0",
      pack_id: `facts_${id(facts)}`,
      project_id,
      collected_at: now,
      facts,
    }),
    memory:
      memory.value ??
      MemoryPack.parse({
        schema_version: "1.0.0",
        pack_id: `memory_${id([])}`,
        project_id,
        collected_at: now,
        notes: [],
        history: [],
      }),
  };
}
