import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Board, openBoard } from "../../src/hands/board/open-board.js";
import { SHIPPED_CONTRACT } from "../../src/hands/settings/contract/load-contract.js";
import { readDocument } from "../../src/foundation/documents/read-document.js";
import { Contract } from "../../src/model/settings/contract.js";
import { stateFolder } from "../../src/app/project/state-folder.js";
import type { EventReader } from "../../src/hands/store/event-store.js";

export const SETTINGS = { queue: "tasks/work_queue.json", hq: "PROJECT_HQ.md", sessions: "sessions" };

export async function shippedContract(): Promise<Contract> {
  const document = await readDocument(SHIPPED_CONTRACT);
  return Contract.parse(document.ok ? document.value : null);
}

export interface TestBoard {
  readonly board: Board;
  readonly told: string[];
  readonly read: (path: string) => string;
  readonly write: (path: string, text: string) => void;
}

/** The board of a folder, with a clock that moves a minute at every look. */
export async function boardIn(
  cwd: string,
  reader: EventReader,
  change: (contract: Contract) => Contract = (contract) => contract,
): Promise<TestBoard> {
  const told: string[] = [];
  let minutes = 0;
  const board = openBoard({
    root: cwd,
    stateFolder: stateFolder(cwd).folder,
    reader,
    settings: SETTINGS,
    inForce: { contract: change(await shippedContract()), file: null, approved: false },
    project: "handbook",
    now: () => new Date(Date.parse("2026-02-03T05:00:00Z") + minutes++ * 60_000).toISOString(),
    tell: (message) => told.push(message),
    filesOf: async (_, task) => [{ path: `src/${task}.ts`, added: 3, removed: 1 }],
  });
  return {
    board,
    told,
    read: (path) => readFileSync(join(cwd, path), "utf8"),
    write: (path, text) => writeFileSync(join(cwd, path), text),
  };
}
