import { signCommits } from "../../hands/git/sign-commits.js";
import type { UsersGit } from "../../hands/git/users-git.js";
import type { PullFacts } from "../../mind/publish/pull-text.js";
import { CoordinatorError } from "../../model/errors.js";
import type { Outbox } from "./outbox.js";
import type { WantedPart } from "./publish-parts.js";
import type { PublishableRun } from "./publishable-run.js";

/*
 * Where the person's git signs commits, signed copies are published. They are made once, kept on a ref of the run, and known by
 * their originals, which the log proves.
 */

type Copies = ReadonlyMap<string, string>;

/** Contract: called by one process at a time. Throws PUBLISH_REFUSED where git cannot sign; nothing was sent then. */
export async function keepSigned(
  { runId, at, base, head, environment }: PublishableRun,
  { parts, signed }: Outbox,
  git: UsersGit,
): Promise<Copies> {
  const known = new Map(Object.entries(signed));
  const pushed = parts.flatMap((part) => part.pushed ?? []);
  const published = new Set<string>();
  for (const commit of pushed) {
    const { code, stdout } = await git.run(["rev-list", `${base.commit}..${commit}`]);
    if (code === 0) for (const one of stdout.split("\n").filter(Boolean)) published.add(one);
  }
  const copies = await signCommits({ root: at.root, environment, base: base.commit, head, known, published });
  const tip = copies.get(head);
  if (tip === undefined || tip === known.get(head)) return copies;
  // A person's own clean-up must not take it away before it is pushed.
  const { code, stderr } = await git.run(["update-ref", `refs/coord/${runId}/signed`, tip]);
  if (code === 0) return copies;
  throw new CoordinatorError("PUBLISH_REFUSED", `git did not keep the signed commits: ${stderr.trim().slice(0, 300)}`, {
    fix: "See that git can write refs in this repository (git fsck). Nothing was sent.",
  });
}

interface Publishing {
  readonly wanted: readonly WantedPart[];
  readonly facts: readonly PullFacts[];
}

/** The parts with the copies of their commits. Contract: pure; without copies the same. */
export function nameCopies({ wanted, facts }: Publishing, copies: Copies): Publishing {
  const copyOf = (commit: string) => copies.get(commit) ?? commit;
  return {
    wanted: wanted.map((part) => ({ ...part, from: copyOf(part.from), head: copyOf(part.head) })),
    facts: facts.map((fact) => ({
      ...fact,
      base: copyOf(fact.base),
      head: copyOf(fact.head),
      copy_of: copies.has(fact.head) ? fact.head : null,
    })),
  };
}
