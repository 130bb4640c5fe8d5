import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { rm } from "../../../foundation/files/write-files.js";
import { type Cgit, COMMITTER } from "../../git/cgit.js";
import type { Git } from "../merge.js";

/** Who a commit is said to be from. */
export interface Author {
  readonly name: string;
  readonly email: string;
}

/**
 * The hardened git, on one repository. Private indexes stand in `temporary`, which is nobody's work tree. Commits are
 * made by the Coordinator; `author` is the person whose work they are, where one is known.
 */
export function quarantineGit(cgit: Cgit, gitDir: string, temporary: string, author: Author | null = null): Git {
  return {
    run: async (args, { input, index } = {}) => {
      const { code, stopped, stdout, stderr } = await cgit.call({
        args,
        gitDir,
        ...(author === null ? {} : { author }),
        ...(input === undefined ? {} : { input }),
        ...(index === undefined ? {} : { indexFile: index }),
      });
      if (code === null) throw new Error(`git ${args[0]} was stopped: ${stopped}`);
      return { code, stdout: stdout.toString("utf8"), stderr };
    },
    processes: {
      open: (args, input, onOutput) =>
        cgit.call({
          args,
          gitDir,
          input,
          onOutput: (chunk) => {
            onOutput(chunk);
            return true;
          },
        }),
      committer: COMMITTER,
      ...(author === null ? {} : { author: `${author.name} <${author.email}>` }),
    },
    withIndex: async (use) => {
      const index = join(temporary, `index-${randomUUID()}`);
      try {
        return await use(index);
      } finally {
        await rm(index, { force: true });
        await rm(`${index}.lock`, { force: true });
      }
    },
  };
}
