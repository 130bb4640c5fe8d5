import { createHash } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { GivenTask } from "../../model/given-queue.js";
import { DateTime } from "../../model/primitives.js";
import { ChangeId, RunKey, TaskChange, TaskKey } from "../../model/run.js";
import { inTurn } from "../store/sqlite/turn.js";
import { asBytes, readBytes, replaceBytes } from "./whole-file.js";

/*
 * Memory beside the log about the files for people: which bytes we wrote ourselves, what somebody wrote into
 * them by hand, and which handoffs there are. Losing it loses no work; it stands in `.coordinator/board/`.
 */

export const HandoffRecord = z.strictObject({
  /** The session it is of: its run, and the event it began with. */
  key: z.string(),
  id: z.string(),
  /** From the root of the project. */
  path: z.string(),
  run_id: RunKey,
  created_at: DateTime,
  summary: z.string(),
  status: z.enum(["drafting", "written"]),
  /** Who has read it, and when. */
  read: z.strictObject({ at: DateTime, by: z.string() }).nullable(),
});
export type HandoffRecord = z.infer<typeof HandoffRecord>;

export const ProposedEdit = z.strictObject({ id: ChangeId, run: RunKey, task: TaskKey, change: TaskChange });
export type ProposedEdit = z.infer<typeof ProposedEdit>;

export const BoardState = z.strictObject({
  /** From when on sessions leave a handoff. */
  since: DateTime.nullable().default(null),
  /** The checksums of the queue that was written last, and of what stood there before. */
  queue: z.strictObject({ written: z.string(), before: z.string().nullable() }).nullable().default(null),
  proposed: z.array(ProposedEdit).default([]),
  /** Tasks that another program put into the queue and no run has taken: they stay there. */
  others: z.array(GivenTask).default([]),
  /** Notices for people about the files, the newest last. */
  notices: z.array(z.string()).default([]),
  handoffs: z.array(HandoffRecord).default([]),
  /** Sessions that ended without a handoff, because the contract wants none. */
  closed: z.array(z.string()).default([]),
});
export type BoardState = z.infer<typeof BoardState>;

const WAIT_MS = 20_000;
const MOST_NOTICES = 20;
const MOST_HANDOFFS = 500;

export interface BoardMemory {
  readonly folder: string;
  /** Do something while no other process writes any of it. */
  readonly inTurn: <T>(act: () => Promise<T>) => Promise<T>;
  readonly read: () => Promise<BoardState>;
  /** Contract: to be called in turn only. */
  readonly write: (state: BoardState) => Promise<void>;
}

export function boardMemory(stateFolder: string): BoardMemory {
  const folder = join(stateFolder, "board");
  const path = join(folder, "state.json");
  return {
    folder,
    inTurn: (act) => inTurn(join(folder, "turn.db"), WAIT_MS, act),
    async read() {
      const bytes = await readBytes(path);
      return parseState(bytes === null ? null : Buffer.from(bytes, "latin1").toString("utf8"));
    },
    async write(state) {
      const { notices, handoffs } = state;
      const kept = { ...state, notices: notices.slice(-MOST_NOTICES), handoffs: handoffs.slice(-MOST_HANDOFFS) };
      await replaceBytes(path, await readBytes(path), asBytes(`${JSON.stringify(kept, null, 2)}\n`));
    },
  };
}

/** Reads the state. A damaged one is dropped: nothing in it is the only copy of anything. */
function parseState(text: string | null): BoardState {
  try {
    return BoardState.parse(JSON.parse(text ?? "{}"));
  } catch {
    return BoardState.parse({});
  }
}

export function checksum(bytes: string): string {
  return createHash("sha256").update(bytes, "latin1").digest("hex");
}
