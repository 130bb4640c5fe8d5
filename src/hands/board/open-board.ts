import { join, posix } from "node:path";
import { addProject } from "../../foundation/files/project-bounds.js";
import { type InForce, permit, reactsTo } from "../../mind/contract/permit.js";
import type { BoardSettings } from "../../model/settings/configuration.js";
import type { ContractAction } from "../../model/settings/contract.js";
import type { RunEvent } from "../../model/event.js";
import type { BoardRun, BoardSession } from "../../mind/report/queue/board-run.js";
import { isShown } from "../../mind/report/queue/fold-board.js";
import { workQueueOf } from "../../mind/report/queue/work-queue.js";
import type { EventReader } from "../store/event-store.js";
import { type BoardMemory, boardMemory, type HandoffRecord } from "./board-state.js";
import { type FilesOf, type HandoffParts, writeHandoff } from "./handoff-file.js";
import { writeHqFile } from "./hq-file.js";
import { writeQueueFile } from "./queue-file.js";
import { runsReader } from "./read-runs.js";
import { poll } from "../../foundation/processes/poll.js";

/*
 * The files for people: the queue, PROJECT_HQ.md and the handoffs. Anyone who writes them folds the logs first, and only
 * one process does at a time; none of them is ever read to decide anything.
 */

export interface BoardParts {
  readonly root: string;
  readonly stateFolder: string;
  readonly reader: EventReader;
  readonly settings: BoardSettings;
  readonly inForce: InForce;
  readonly project: string;
  readonly now: () => string;
  readonly filesOf: FilesOf;
  readonly rolesOf?: NonNullable<HandoffParts["rolesOf"]>;
  /** Tell a person about something they should know. */
  readonly tell: (message: string) => void;
}

export interface Board {
  /** Bring all files up to date with the logs. */
  readonly refresh: () => Promise<void>;
  /** Keep them up to date with a run until it is stopped. Contract: a failure is reported, and ends nothing. */
  readonly follow: (runId: string) => { readonly stop: () => Promise<void> };
  /** Begins a session: writes handoffs of sessions that died without one, and reads the last one. */
  readonly beginSession: (runId: string) => Promise<HandoffRecord | null>;
  /** Leave a handoff of the newest session of a run; null when the contract wants none. */
  readonly handOff: (runId: string, how: HandoffKind, notes?: readonly string[]) => Promise<HandoffRecord | null>;
  /** The newest handoff, noted as read by this person; null when there is none. */
  readonly readLast: (by: string) => Promise<HandoffRecord | null>;
}

/**
 * `ended`: the session has ended by itself. `asked`: a person wants the handoff of one that is over. `meanwhile`: of one
 * that goes on, which will leave its own in the end.
 */
type HandoffKind = "ended" | "asked" | "meanwhile";

const LOOK_MS = 400;

export function openBoard(parts: BoardParts): Board {
  const { root, inForce, settings, reader } = parts;
  addProject(root);
  const { contract } = inForce;
  const memory = boardMemory(parts.stateFolder);
  const told = new Set<string>();
  const tell = (message: string) => {
    if (!told.has(message)) parts.tell(message);
    told.add(message);
  };
  const runs = runsReader(reader, tell);
  const turn = memory.inTurn;
  const may = (action: ContractAction): boolean => {
    const found = permit(contract, action);
    if (found.status === "allowed" || (found.status === "needs_approval" && inForce.approved)) return true;
    tell(`Not done, because of the contract: ${found.clause}`);
    return false;
  };

  async function writeAll(): Promise<void> {
    const all = await runs();
    const queue = workQueueOf(parts.project, all);
    const notices: string[] = [];
    if (settings.queue !== false && may("manage_queue")) {
      const before = (await memory.read()).notices.length;
      const { notices: known } = await writeQueueFile(join(root, settings.queue), queue, memory);
      for (const notice of known.slice(before)) tell(notice);
    }
    const { hq } = settings;
    if (hq !== false && contract.behaviors.auto_update_project_hq && may("update_project_hq")) {
      const { handoffs } = await memory.read();
      const written = handoffs.filter(({ status }) => status === "written");
      notices.push(
        ...(await writeHqFile(join(root, hq), {
          project: parts.project,
          updated_at: queue.last_updated,
          updated_by: contract.name,
          runs: all,
          handoffs: written.map((record) => ({ ...record, path: posix.relative(posix.dirname(hq), record.path) })),
        })),
      );
    }
    for (const notice of notices) tell(notice);
    await remember(notices);
  }

  async function remember(notices: readonly string[]): Promise<void> {
    const state = await memory.read();
    const fresh = notices.filter((notice) => !state.notices.includes(notice));
    if (fresh.length > 0) await memory.write({ ...state, notices: [...state.notices, ...fresh] });
  }

  const folder = settings.sessions === false ? "sessions" : settings.sessions;
  const wantsHandoffs = settings.sessions !== false && contract.behaviors.auto_create_handoff;
  const write = (run: BoardRun, key: string, session: BoardSession, notes: readonly string[]) =>
    writeHandoff({ ...parts, memory, folder }, run, { key, session, notes });

  function handOff(runId: string, how: HandoffKind, notes: readonly string[] = []): Promise<HandoffRecord | null> {
    return turn(async () => {
      const run = (await runs()).find(({ run_id }) => run_id === runId);
      const session = run?.sessions.at(-1);
      if (run === undefined || session === undefined || settings.sessions === false) return null;
      const key = `${runId}@${session.from}${how === "meanwhile" ? `-${session.to}` : ""}`;
      const state = await memory.read();
      const known = state.handoffs.find((record) => record.key === key && record.status === "written");
      if (known !== undefined) return known;
      if (how === "ended" && !(wantsHandoffs && reactsTo(contract, "session_end"))) {
        await memory.write({ ...state, closed: [...state.closed, key] });
        return null;
      }
      if (!may("create_handoff")) return null;
      const record = await write(run, key, session, notes);
      await writeAll();
      return record;
    });
  }

  function beginSession(runId: string): Promise<HandoffRecord | null> {
    return turn(async () => {
      const state = await memory.read();
      const resumes = reactsTo(contract, "resume_session");
      if (state.since === null) await memory.write({ ...state, since: parts.now() });
      else if (resumes && wantsHandoffs && may("create_handoff")) await handOffTheDead(state.since);
      const read = resumes ? await markRead(memory, parts.now(), `session of ${runId}`) : null;
      await writeAll();
      return read;
    });
  }

  /** Contract: the caller holds the store, so that no session goes on that has begun. */
  async function handOffTheDead(since: string): Promise<void> {
    const { handoffs, closed } = await memory.read();
    const known = new Set([...handoffs.filter(({ status }) => status === "written").map(({ key }) => key), ...closed]);
    for (const run of await runs())
      for (const session of run.sessions) {
        const key = `${run.run_id}@${session.from}`;
        if (Date.parse(session.started_at) < Date.parse(since) || known.has(key)) continue;
        await write(run, key, session, [
          "The session ended without a word: its process died. This was written afterwards.",
        ]);
      }
  }

  /** Events that a contract without the trigger does not react to. */
  const isPassedOver = (event: RunEvent) =>
    (event.type === "review_finished" && event.accepted && !reactsTo(contract, "task_complete")) ||
    (event.type === "escalation_raised" && !reactsTo(contract, "task_blocked"));

  function follow(runId: string): { stop: () => Promise<void> } {
    let next = 1;
    const look = async () => {
      let shown = false;
      for await (const { event, sequence } of reader.read(runId, { from: next })) {
        next = sequence + 1;
        shown ||= isShown(event) && !isPassedOver(event);
      }
      if (shown) await turn(writeAll);
    };
    return poll(LOOK_MS, () =>
      look().catch((error: unknown) => tell(`The board is not up to date: ${(error as Error).message}`)),
    );
  }

  return {
    refresh: () => turn(writeAll),
    follow,
    beginSession,
    handOff,
    readLast: (by) => turn(() => markRead(memory, parts.now(), by)),
  };
}

/** The newest handoff nobody has read is read now. Contract: called in turn. */
async function markRead(memory: BoardMemory, at: string, by: string): Promise<HandoffRecord | null> {
  const state = await memory.read();
  const last = state.handoffs.findLast(({ status }) => status === "written");
  if (last === undefined) return null;
  if (last.read !== null) return last;
  const read: HandoffRecord = { ...last, read: { at, by } };
  await memory.write({ ...state, handoffs: state.handoffs.map((record) => (record === last ? read : record)) });
  return read;
}
