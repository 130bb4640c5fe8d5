import { rm } from "../../foundation/files/write-files.js";
import { CoordinatorError } from "../../model/errors.js";
import type { BytePath } from "../git/records.js";
import type { Quarantine } from "./quarantine.js";

const LONGEST_MS = 30_000;

/** Git tries every pattern on every path: a few thousand slow ones take longer than anybody waits. */
export class SlowIgnoreFiles extends CoordinatorError {
  constructor() {
    super(
      "WORKSPACE_FAILED",
      `The patterns in the .gitignore files take longer than ${LONGEST_MS / 1000} s to be matched`,
      { fix: "Write fewer or simpler patterns there, then let the task be tried again." },
    );
  }
}

/**
 * Which of these paths the `.gitignore` files of the workspace ignore. The agent's own excludes and those of the user
 * do not count: they could hide a change.
 */
export async function findIgnored(
  quarantine: Quarantine,
  workTree: string,
  paths: readonly BytePath[],
): Promise<Set<BytePath>> {
  if (paths.length === 0) return new Set();
  const indexFile = quarantine.temporary("ignored");
  try {
    const { code, stopped, stdout, stderr } = await quarantine.git.call({
      gitDir: quarantine.gitDir,
      workTree,
      indexFile,
      args: ["check-ignore", "-z", "--stdin", "--no-index"],
      // A path of its own could begin with what means something to git.
      input: Buffer.from(paths.map((path) => `./${path}\0`).join(""), "latin1"),
      timeoutMs: LONGEST_MS,
    });
    if (code === 0 || code === 1) {
      const found = stdout.toString("latin1").split("\0").slice(0, -1);
      return new Set(found.map((path) => path.slice(2)));
    }
    if (stopped === "timeout") throw new SlowIgnoreFiles();
    throw new CoordinatorError(
      "WORKSPACE_FAILED",
      `The ignored files of the workspace could not be listed: ${stopped ?? stderr.trim()}`,
      {
        fix: "Look at the .gitignore files of the workspace.",
      },
    );
  } finally {
    await rm(indexFile, { force: true });
  }
}
