import type { Fact } from "../../model/settings/packs.js";
import { indexDefinitions } from "./definitions/index-definitions.js";
import { gitIn } from "./git.js";
import { findMentions, ownSource } from "./mentions.js";
import { listTree } from "./tree.js";

/** The names of all facts about what a request names. */
export const MENTION_FACTS = [
  "named_files",
  "named_stems",
  "named_folders",
  "defined_names",
  "file_neighbours",
  "file_tests",
] as const;

/**
 * Finds what the words of a request name in a commit, as facts: `word<tab>path`, and the kind of a file behind its path.
 *
 * Contract: the repository is only read; the index of definitions is kept in `cache`, and made only when the words name
 * code. Nothing where there is no such commit.
 */
export async function mentionFacts(
  repo: string,
  commit: string,
  text: string,
  cache: string | null,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Readonly<Record<string, Fact>>> {
  const files = await listTree(gitIn(repo, environment), commit);
  if (files === null) return {};
  const found = await findMentions(text, files, () => indexDefinitions(repo, environment, ownSource(files), cache));
  const facts: Record<string, Fact> = {};
  const tell = (name: (typeof MENTION_FACTS)[number], mentions: readonly (readonly string[])[]) => {
    const value = mentions.map((mention) => mention.join("\t")).filter((line) => line.length <= 1000);
    if (value.length > 0) facts[name] = { value, evidence_ref: `git://${commit}` };
  };
  tell("named_files", found.files);
  tell("named_stems", found.stems);
  tell("named_folders", found.folders);
  tell("defined_names", found.definitions);
  tell("file_neighbours", found.neighbours);
  tell("file_tests", found.tests);
  return facts;
}
