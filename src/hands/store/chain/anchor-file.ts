import { dirname } from "node:path";
import { readFile } from "../../../foundation/files/read-files.js";
import { mkdir, open } from "../../../foundation/files/write-files.js";
import { CoordinatorError } from "../../../model/errors.js";
import type { Anchor } from "./anchor.js";

/** How every file of anchors begins. */
const BEGIN = '{"run_id":';

/**
 * Anchors in a file the user picks: best on another disk, another machine, or one that can only be appended to.
 *
 * Contract: one JSON line per anchor and nothing is ever replaced. A line cut short by a crash is passed over.
 */
export function fileAnchor(path: string): Anchor {
  return {
    keeps: "all",
    async write(runId, note) {
      try {
        await mkdir(dirname(path), { recursive: true });
        const file = await open(path, "a+");
        try {
          const { size } = await file.stat();
          // INVARIANT: nothing is ever added to a file that is something else.
          if (size > 0 && (await file.read(Buffer.alloc(BEGIN.length), 0, BEGIN.length, 0)).buffer.toString() !== BEGIN)
            throw new Error("there is a file that holds something else than anchors");
          const last = size === 0 ? "\n" : (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer.toString();
          await file.appendFile(`${last === "\n" ? "" : "\n"}${JSON.stringify({ run_id: runId, note })}\n`);
          await file.sync();
        } finally {
          await file.close();
        }
      } catch (cause) {
        if (cause instanceof CoordinatorError) throw cause;
        throw new CoordinatorError(
          "FILE_WRITE_FAILED",
          `No anchor could be written to ${path}: ${(cause as Error).message}`,
          {
            cause,
            fix: "Check that the folder can be written to and has room.",
          },
        );
      }
    },
    async read(runId) {
      const text = await textOf(path);
      return text.split("\n").flatMap((line) => {
        const found = parseLine(line);
        return found?.run_id === runId && typeof found.note === "string" ? [found.note] : [];
      });
    },
  };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return "";
    if (cause instanceof CoordinatorError) throw cause;
    throw new CoordinatorError("FILE_UNREADABLE", `The anchors in ${path} cannot be read`, { cause });
  }
}

function parseLine(line: string): { run_id?: unknown; note?: unknown } | null {
  try {
    return JSON.parse(line) as { run_id?: unknown; note?: unknown } | null;
  } catch {
    return null;
  }
}
