import { join } from "node:path";
import type { RunQueue } from "../../model/work-queue.js";
import { type EditedTask, editsIn, othersIn, queueIn } from "../../mind/report/queue/proposed.js";
import { queueText } from "../../mind/report/queue/work-queue.js";
import { type BoardMemory, type BoardState, checksum, type ProposedEdit } from "./board-state.js";
import { asBytes, createBytes, readBytes, replaceBytes } from "./whole-file.js";

/*
 * tasks/work_queue.json on disk. It follows from the logs; what somebody writes into it by hand is kept, and what it
 * asks for is proposed to people.
 */

/** How often somebody may save the file while it is being written. */
const TRIES = 5;

/** Contract: called in turn. The state as it is afterwards, remembered already where that matters. */
export async function writeQueueFile(path: string, queue: RunQueue, memory: BoardMemory): Promise<BoardState> {
  let state = await memory.read();
  for (let left = TRIES; left > 0; left--) {
    const current = await readBytes(path);
    if (current !== null && !isOurs(state, current)) state = { ...state, others: othersIn(utf8(current)) };
    state = { ...state, others: notInRuns(state.others, queue) };
    const bytes = asBytes(queueText(queue, state.others));
    if (current === bytes && state.queue?.written === checksum(bytes)) return state;
    if (current !== null && !isOurs(state, current) && current !== bytes)
      state = await keepEdit(current, state, memory);
    if (current === null && state.queue !== null) state = noteMissing(state, path);
    // Both checksums are known before the file changes: whenever we die, what stands there is known to be ours.
    const before = current === null ? null : checksum(current);
    state = { ...state, queue: { written: checksum(bytes), before } };
    await memory.write(state);
    await replaceBytes(lastWritten(memory), await readBytes(lastWritten(memory)), bytes);
    if (await replaceBytes(path, current, bytes)) return state;
  }
  return state;
}

/** Leaves out tasks that a run has taken: they are the run's from then on, also when they are no longer shown. */
function notInRuns(others: BoardState["others"], { tasks }: RunQueue): BoardState["others"] {
  const ids = new Set(tasks.map(({ id }) => id));
  return others.filter(({ id }) => !ids.has(id));
}

/** Nothing is lost with it: all of it follows from the logs. Anyone who removed it may have meant something by that. */
function noteMissing(state: BoardState, path: string): BoardState {
  const said = `${path} was removed by hand; it is written anew from the logs. \`queue: false\` under \`board\` in coordinator.yaml keeps it away.`;
  return { ...state, notices: [...state.notices, said] };
}

const lastWritten = ({ folder }: BoardMemory) => join(folder, "work_queue.json");

function isOurs({ queue }: BoardState, bytes: string): boolean {
  const found = checksum(bytes);
  return queue !== null && (found === queue.written || found === queue.before);
}

/** Somebody changed the file: the whole of it is kept, and what can be changed like this is proposed. */
async function keepEdit(bytes: string, state: BoardState, memory: BoardMemory): Promise<BoardState> {
  const name = `edited-${checksum(bytes).slice(0, 16)}.json`;
  await createBytes(join(memory.folder, "edits", name), bytes);
  const base = await readBytes(lastWritten(memory));
  const written = state.queue === null || base === null ? null : queueIn(utf8(base));
  const { changes, notes } = editsIn(written, utf8(bytes));
  const proposed = new Map(state.proposed.map((edit) => [edit.id, edit]));
  for (const edit of changes.map(proposal)) proposed.set(edit.id, edit);
  const open = state.others.filter(({ status }) => status === "pending" || status === "in_progress").length;
  const said = [
    ...(open === 0 ? [] : [`${open} tasks of the work queue are in no run: coordinator run --queue carries them out`]),
    `The work queue was changed by hand: ${changes.length === 1 ? "1 change is" : `${changes.length} changes are`} proposed; the file as it was is ${join(memory.folder, "edits", name)}`,
    ...notes.slice(0, 10).map((note) => `Of the changed work queue: ${note}`),
  ];
  return { ...state, proposed: [...proposed.values()], notices: [...state.notices, ...said] };
}

function proposal({ run, task, change }: EditedTask): ProposedEdit {
  const id = `chg_${checksum(asBytes(JSON.stringify([run, task, change]))).slice(0, 10)}`;
  return { id, run, task, change };
}

const utf8 = (bytes: string) => Buffer.from(bytes, "latin1").toString("utf8");
