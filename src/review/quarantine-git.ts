import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Cgit, COMMITTER } from "../workspace/git/cgit.js";
import type { Git } from "./merge.js";

/** The hardened git, on one repository. Private indexes stand in `temporary`, which is nobody's work tree. */
export function quarantineGit(cgit: Cgit, gitDir: string, temporary: string): Git {
  return {
    run: async (args, { input, index } = {}) => {
      const { code, stopped, stdout, stderr } = await cgit.call({
        args,
        gitDir,
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
