import { dirname } from "node:path";
import { z } from "zod";
import { readFile } from "../../foundation/files/read-files.js";
import { mkdir, rename, writeFile } from "../../foundation/files/write-files.js";
import { Fact } from "../../model/settings/packs.js";
import { gitIn } from "./git.js";
import { type Profile, profileCommit } from "./profile.js";

const Kept = z.strictObject({
  version: z.literal(3),
  commit: z.string(),
  tree: z.string(),
  facts: z.record(z.string(), Fact),
});

export interface Profiled {
  /** The commit it is of. */
  readonly commit: string;
  readonly facts: Profile;
  /** It was known from before: neither the commit nor its tree has changed. */
  readonly kept: boolean;
}

/**
 * The profile of what is committed, kept below `.coordinator/` for as long as the commit stays.
 *
 * Contract: the repository is only read. A cache that cannot be read or written is not a failure; null without a commit.
 */
export async function profileRepository(
  repo: string,
  cache: string | null,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Profiled | null> {
  const git = gitIn(repo, environment);
  const [commit = "", tree = ""] = ((await git("rev-parse", "HEAD", "HEAD^{tree}")) ?? "").trim().split("\n");
  if (commit === "" || tree === "") return null;
  const before = cache === null ? null : await readKept(cache);
  if (before !== null && before.commit === commit && before.tree === tree)
    return { commit, facts: before.facts, kept: true };
  const facts = await profileCommit(git, commit);
  if (facts === null) return null;
  if (cache !== null) await keep(cache, { version: 3, commit, tree, facts });
  return { commit, facts, kept: false };
}

async function readKept(file: string): Promise<z.infer<typeof Kept> | null> {
  try {
    const read = Kept.safeParse(JSON.parse(await readFile(file, "utf8")));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

async function keep(file: string, kept: unknown): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    const draft = `${file}.${process.pid}.next`;
    await writeFile(draft, `${JSON.stringify(kept)}\n`);
    await rename(draft, file);
  } catch {
    // Only time is lost: it is made anew the next time.
  }
}
