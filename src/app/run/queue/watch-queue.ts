import { readUpTo } from "../../../foundation/files/read-files.js";
import { MOST_QUEUE_BYTES } from "../../../model/given-queue.js";
import type { Project } from "../../project/project.js";
import { readQueue } from "./queue-request.js";

export interface QueueWatch {
  /** The file, when it has open tasks that no run has, reads the same as at the look before, and was not tried yet. */
  readonly next: () => Promise<string | null>;
  /** Whether it may still be being written. */
  readonly isUnsettled: () => boolean;
}

/** Contract: the same text is tried once, whatever came of it; a file that cannot be read is looked at again. */
export function watchQueue(file: string, project: Project): QueueWatch {
  let last: string | null = null;
  let tried: string | null = null;
  let unsettled = false;
  return {
    isUnsettled: () => unsettled,
    next: async () => {
      const bytes = await readUpTo(file, MOST_QUEUE_BYTES).catch(() => null);
      const text = bytes === null ? null : Buffer.from(bytes).toString("utf8");
      const same = text === last;
      last = text;
      unsettled = text !== null && text !== tried && !same;
      if (text === null || text === tried || !same) return null;
      tried = text;
      const given = await readQueue(file, { approved: false, project });
      return "exitCode" in given || given.taken.tasks.length === 0 ? null : file;
    },
  };
}
