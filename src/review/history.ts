import { type Git, must } from "./merge.js";

/** What a branch holds since it began. It is read once and then kept, as long as nobody else moves the branch. */
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
    const listed = await must(this.#git, ["rev-list", "--parents", `${this.#base}..${tip}`]);
    const parentsOf = new Map(
      listed
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => line.split(" ") as [string, ...string[]])
        .map(([commit, ...parents]) => [commit, parents]),
    );
    const commits = new Map<string, string | null>([[this.#base, null]]);
    for (const commit of parentsOf.keys()) commits.set(commit, null);
    let at: string | undefined = tip;
    while (at !== undefined && parentsOf.has(at)) {
      const [first, ...others]: string[] = parentsOf.get(at) ?? [];
      for (const other of others) if (commits.has(other)) commits.set(other, at);
      at = first;
    }
    this.#commits = commits;
    this.#tip = tip;
  }

  has(commit: string): boolean {
    return this.#commits.has(commit);
  }

  /** The commit by which the branch took a change; null when the change is the branch's own. */
  takenBy(commit: string): string | null {
    return this.#commits.get(commit) ?? null;
  }

  /** The branch has moved, and took a change by this commit. */
  took(change: string, by: string): void {
    this.#commits.set(by, null);
    this.#commits.set(change, by);
    this.#tip = by;
  }
}
