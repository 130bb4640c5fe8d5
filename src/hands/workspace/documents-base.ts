import { isPlainPath } from "../../foundation/globs/glob.js";
import { leadsIntoGit } from "./git-names.js";
import type { Quarantine } from "./quarantine.js";
import { commitTree, writeTree } from "./view.js";

/*
 * The base of a workspace for somebody who is given documents and nothing else: a commit of those alone, without a
 * parent, that shares nothing with the repository.
 */

/** Contract: a document whose reference is not a path stands in the prompt only, and not in the workspace. */
export async function commitDocuments(
  quarantine: Quarantine,
  documents: readonly { readonly ref: string; readonly text: string }[],
): Promise<string> {
  const { git, gitDir } = quarantine;
  const entries = new Map<string, { mode: string; oid: string }>();
  for (const { ref, text } of documents) {
    if (!isPlainPath(ref) || ref.startsWith("/") || leadsIntoGit(ref)) continue;
    const written = await git.must("Keeping a document", {
      gitDir,
      args: ["hash-object", "-w", "--stdin"],
      input: text,
    });
    entries.set(Buffer.from(ref, "utf8").toString("latin1"), {
      mode: "100644",
      oid: written.toString("latin1").trim(),
    });
  }
  const tree = await writeTree(quarantine, entries, "documents");
  return commitTree(quarantine, tree, [], "The documents that were given");
}
