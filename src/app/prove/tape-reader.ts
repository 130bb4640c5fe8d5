import type { LoggedEvent } from "../../model/event.js";
import { GENESIS_HASH } from "../../hands/store/chain/hash-event.js";
import type { EventReader } from "../../hands/store/event-store.js";
import type { LogFinding } from "./log-checks.js";
import type { Tape } from "./tape.js";

/** Lists what a tape's header promises and the tape does not hold. */
export function tapeFindings({ events, checkpoints, entries, notes, public_key }: Tape): LogFinding[] {
  const found: LogFinding[] = [];
  const differs = (what: string, promised: number, there: number, sequence: number) => {
    if (promised !== there)
      found.push({
        kind: "incomplete",
        sequence,
        message: `The tape says it has ${promised} ${what}, and it has ${there}`,
      });
  };
  differs("events", events, entries.length, entries.length + 1);
  differs("checkpoints", checkpoints, notes.length, 0);
  if (public_key === null && entries.length > 0)
    found.push({
      kind: "key",
      sequence: 0,
      message: "The tape holds no key, and every tape is written with the one its checkpoints are signed with",
    });
  return found;
}

/** A tape as a log that can be read. */
export function tapeReader(tape: Tape): EventReader {
  const within = <T>(runId: string, values: readonly T[]) => (runId === tape.run_id ? values : []);
  const last = tape.entries.at(-1);
  const head = { run_id: tape.run_id, sequence: last?.sequence ?? 0, hash: last?.hash ?? GENESIS_HASH };
  return {
    head: async (runId) => (runId === tape.run_id ? head : null),
    runs: async () => [{ ...head, first_at: tape.entries[0]?.at ?? null, last_at: last?.at ?? null }],
    async *read(runId) {
      yield* within(runId, tape.entries) as readonly LoggedEvent[];
    },
    async *entries(runId) {
      yield* within(runId, tape.entries);
    },
    get: async (runId, key) => within(runId, tape.notes).find((note) => note.key === key)?.note ?? null,
    list: async (runId, prefix) =>
      within(runId, tape.notes)
        .filter(({ key }) => key.startsWith(prefix))
        .map(({ key, note }) => ({ key, value: note })),
    close: async () => undefined,
  };
}
