import { type Git, must } from "../merge.js";

/** In a commit of a run's branch: the change it is, as its attempt made it. */
export const CHANGE_TRAILER = "Coordinator-Change";

const FORMAT = `%H %P%x09%(trailers:key=${CHANGE_TRAILER},valueonly,separator=%x20)`;

interface Listed {
  readonly parents: readonly string[];
  readonly changes: readonly string[];
}

function wordsOf(text: string): string[] {
  return text.split(" ").filter((word) => word !== "");
}

/** The commits of a branch since it began. They are read once and then kept, as long as no other process moves the branch. */
export class History {
  readonly #git: Git;
  readonly #base: string;
  #tip: string;
  /** Every commit on the branch; and, of a change it took, the commit by which it did. */
  #commits = new Map<string, string | null>();

  constructor(git: Git, base: string) {
    this.#git = git;
    this.#base = base;
    this.#tip = base;
    this.#commits.set(base, null);
  }

  /** Contract: afterwards it is the history of `tip`. */
  async follow(tip: string): Promise<void> {
    if (tip === this.#tip) return;
    const listed = await must(this.#git, ["log", `--format=tformat:${FORMAT}`, `${this.#base}..${tip}`]);
    const known = new Map<string, Listed>();
    for (const line of listed.split("\n")) {
      const [names = "", changes = ""] = line.split("\t");
      const [commit = "", ...parents] = wordsOf(names);
      if (commit !== "") known.set(commit, { parents, changes: wordsOf(changes) });
    }
    const commits = new Map<string, string | null>([[this.#base, null]]);
    for (const commit of known.keys()) commits.set(commit, null);
    let at: string | undefined = tip;
    while (at !== undefined && known.has(at)) {
      const { parents, changes } = known.get(at) as Listed;
      const [first, ...others]: readonly string[] = parents;
      for (const other of others) if (commits.has(other)) commits.set(other, at);
      for (const change of changes) commits.set(change, at);
      at = first;
    }
    this.#commits = commits;
    this.#tip = tip;
  }

  has(commit: string): boolean {
    return this.#commits.has(commit);
  }

  /** The commit by which the branch took a change; null when the change is the branch's own. */
  takerOf(commit: string): string | null {
    return this.#commits.get(commit) ?? null;
  }

  /** The branch has moved, and took a change by this commit. */
  took(change: string, by: string): void {
    this.#commits.set(by, null);
    this.#commits.set(change, by);
    this.#tip = by;
  }
}
