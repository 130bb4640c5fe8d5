import { alter, indexOf, type RunState } from "./state.js";
import { type InboxEntry, taskIdOf } from "./inbox-entry.js";

export function withEntry(state: RunState, entry: InboxEntry): RunState {
  return alter(state, { inbox: [...state.inbox.filter(({ id }) => id !== entry.id), entry] });
}

export function withoutEntry(state: RunState, id: string): RunState {
  return alter(state, { inbox: state.inbox.filter((entry) => entry.id !== id) });
}

export function taskOfEntry(state: RunState, id: string): number {
  const entry = state.inbox.find((e) => e.id === id);
  const task = entry === undefined ? null : taskIdOf(entry);
  return task === null ? -1 : indexOf(state, task);
}
