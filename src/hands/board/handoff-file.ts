import { join, posix } from "node:path";
import { pathInside } from "../../foundation/files/project-bounds.js";
import { readdir } from "../../foundation/files/read-files.js";
import { crashPoint } from "../../foundation/processes/crash-points.js";
import type { BoardRun, BoardSession } from "../../mind/report/queue/board-run.js";
import { type ChangedFile, renderHandoff, summaryOf } from "../../mind/report/handoff.js";
import type { BoardMemory, HandoffRecord } from "./board-state.js";
import { asBytes, createBytes } from "./whole-file.js";

/** Lists the files that a task changed, by git. Contract: rejects when git fails. */
export type FilesOf = (runId: string, task: string) => Promise<readonly Omit<ChangedFile, "agent">[]>;

export interface HandoffParts {
  readonly root: string;
  /** From the root. */
  readonly folder: string;
  readonly project: string;
  readonly now: () => string;
  readonly filesOf: FilesOf;
  /** As whom a run is merged; nobody in particular when absent. */
  readonly rolesOf?: (runId: string) => Promise<readonly string[]>;
  readonly memory: BoardMemory;
}

export interface HandoffOf {
  readonly key: string;
  readonly session: BoardSession | undefined;
  readonly notes: readonly string[];
}

/**
 * Write the handoff of a session. Contract: called in turn; a session has one document, however often we die on the way:
 * its name is remembered before the document is there.
 */
export async function writeHandoff(parts: HandoffParts, run: BoardRun, { key, session, notes }: HandoffOf) {
  if (session === undefined) return null;
  const record = await reserve(parts, run, key, session);
  const { files, problems } = await changedFiles(parts, run, session);
  const adrs = [...new Set(run.tasks.flatMap(({ adr }) => adr ?? []))];
  const text = renderHandoff({
    id: record.id,
    project: parts.project,
    created_at: record.created_at,
    run,
    session,
    files,
    merge_as: (await parts.rolesOf?.(run.run_id)) ?? [],
    adrs: await Promise.all(adrs.map(async (label) => ({ label, path: await adrPath(parts, label) }))),
    notes: [`Run ${run.run_id}: ${run.request}`, ...outcome(run), ...notes, ...problems],
  });
  // One that is there is ours, from a life that ended before it could say so.
  await createBytes(pathInside(parts.root, record.path), asBytes(text));
  crashPoint("board.handoff_written");
  return settle(parts.memory, record);
}

function outcome({ over, status, reason }: BoardRun): string[] {
  return over ? [`The run is ${status}: ${reason}`] : [];
}

async function reserve(parts: HandoffParts, run: BoardRun, key: string, session: BoardSession): Promise<HandoffRecord> {
  const state = await parts.memory.read();
  const known = state.handoffs.find((record) => record.key === key);
  if (known !== undefined) return known;
  const created_at = parts.now();
  const id = await nextId(parts, created_at.slice(0, 10), state.handoffs);
  const record: HandoffRecord = {
    key,
    id,
    path: posix.join(parts.folder, `${id}.md`),
    run_id: run.run_id,
    created_at,
    summary: summaryOf(run, session),
    status: "drafting",
    read: null,
  };
  await parts.memory.write({ ...state, handoffs: [...state.handoffs, record] });
  crashPoint("board.handoff_named");
  return record;
}

async function settle(memory: BoardMemory, record: HandoffRecord): Promise<HandoffRecord> {
  const state = await memory.read();
  const written: HandoffRecord = { ...record, status: "written" };
  await memory.write({ ...state, handoffs: state.handoffs.map((each) => (each.key === record.key ? written : each)) });
  return written;
}

/** The next number of that day, no matter who wrote the others. */
async function nextId({ root, folder }: HandoffParts, day: string, known: readonly HandoffRecord[]): Promise<string> {
  const there = await readdir(join(root, folder)).catch(() => []);
  const names = [...there, ...known.map(({ id }) => `${id}.md`)];
  const numbers = names.flatMap((name) => {
    const [, number] = new RegExp(`^${day}-(\\d{3,})\\.md$`).exec(name) ?? [];
    return number === undefined ? [] : [Number(number)];
  });
  return `${day}-${String(Math.max(0, ...numbers) + 1).padStart(3, "0")}`;
}

async function changedFiles({ filesOf }: HandoffParts, run: BoardRun, session: BoardSession) {
  const files: ChangedFile[] = [];
  const problems: string[] = [];
  for (const { id, agent } of run.tasks.filter((task) => session.completed.includes(task.id)))
    try {
      files.push(...(await filesOf(run.run_id, id)).map((file) => ({ ...file, agent })));
    } catch (error) {
      problems.push(`What ${id} changed could not be read: ${(error as Error).message}`);
    }
  return { files, problems };
}

const ADR_FOLDERS = ["docs/adr", "docs/adrs", "docs/decisions", "docs/architecture/decisions", "doc/adr", "adr"];

/** The file of a decision record, seen from the folder of handoffs; null when nobody finds it. */
async function adrPath({ root, folder }: HandoffParts, label: string): Promise<string | null> {
  const number = /^ADR-0*(\d+)$/.exec(label)?.[1];
  if (number === undefined) return null;
  const named = new RegExp(`^(?:adr-?)?0*${number}(?:[-_. ].*)?\\.(?:md|markdown)$`, "i");
  for (const place of ADR_FOLDERS) {
    const file = (await readdir(join(root, place)).catch(() => [])).find((name) => named.test(name));
    if (file !== undefined) return posix.relative(folder, posix.join(place, file));
  }
  return null;
}
