import { GitObjects } from "./git-objects.js";
import type { Git } from "../merge.js";
import { Trees } from "./trees.js";

/** The processes of git that one batch needs: started when they are asked for, and again after they were closed. */
export class GitSession {
  readonly #git: Git;
  #open: { readonly objects: GitObjects; readonly trees: Trees } | null = null;

  constructor(git: Git) {
    this.#git = git;
  }

  /** Null where git can only be called. */
  trees(): Trees | null {
    if (this.#git.processes === undefined) return null;
    if (this.#open === null) {
      const objects = new GitObjects(this.#git.processes);
      this.#open = { objects, trees: new Trees(objects) };
    }
    return this.#open.trees;
  }

  /** Contract: when it resolves, the caller git sees all that was made here. */
  async flush(): Promise<void> {
    await this.#open?.objects.flush();
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = null;
    await open?.objects.close();
  }
}
