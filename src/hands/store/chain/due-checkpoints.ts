import type { ChainEntry } from "../event-store.js";
import { ALWAYS_SIGNED, CHECKPOINT_EVERY, CHECKPOINT_MS, type Checkpoint } from "./checkpoint.js";

/*
 * Which checkpoints a log must have. A store signs within the commit that makes a checkpoint due, so whatever moment a
 * process was killed at, a log without one of these was not left so by the store.
 */

export interface MissingCheckpoint {
  /** The first event that is not covered. */
  readonly sequence: number;
  readonly message: string;
}

/** Collects, entry by entry, what has to be signed. Contract: total. */
export class DueCheckpoints {
  readonly #own = new Map<number, string>();
  readonly #clocks = new Map<number, number>();
  readonly #signed: ReadonlySet<number>;
  #last = { sequence: 0, clock_ms: 0 };

  constructor(checkpoints: readonly Checkpoint[]) {
    this.#signed = new Set(checkpoints.map(({ sequence }) => sequence));
  }

  take(entry: ChainEntry): void {
    const { sequence, clock_ms } = entry;
    const type = alwaysSignedType(entry);
    if (type !== null) this.#own.set(sequence, type);
    if (this.#signed.has(sequence)) this.#clocks.set(sequence, clock_ms);
    if (sequence > this.#last.sequence) this.#last = { sequence, clock_ms };
  }

  missing(): MissingCheckpoint[] {
    return [...this.#withoutOwn(), ...this.#longStretches(), ...this.#lateEnd()];
  }

  *#withoutOwn(): Iterable<MissingCheckpoint> {
    for (const [sequence, type] of this.#own)
      if (!this.#signed.has(sequence))
        yield { sequence, message: `Event ${sequence} (${type}) has no signed checkpoint, and it always gets one` };
  }

  *#longStretches(): Iterable<MissingCheckpoint> {
    const { sequence: end } = this.#last;
    let before = 0;
    for (const sequence of [...this.#signed, end].sort((a, b) => a - b)) {
      // The last stretch may be as long as one that is about to be signed, and no longer.
      const most = sequence === end && !this.#signed.has(end) ? CHECKPOINT_EVERY - 1 : CHECKPOINT_EVERY;
      if (sequence - before > most)
        yield {
          sequence: before + 1,
          message: `No checkpoint was signed for the events ${before + 1} to ${sequence}`,
        };
      before = sequence;
    }
  }

  /** A log ends where an append ended, and an append so long after the last checkpoint is signed with it. */
  *#lateEnd(): Iterable<MissingCheckpoint> {
    const { sequence, clock_ms } = this.#last;
    if (sequence === 0 || this.#signed.has(sequence)) return;
    const before = Math.max(0, ...[...this.#signed].filter((signed) => signed < sequence));
    const since = this.#clocks.get(before) ?? 0;
    if (clock_ms - since >= CHECKPOINT_MS)
      yield {
        sequence: before + 1,
        message:
          `The log ends at event ${sequence} without a checkpoint, ` +
          `${Math.round((clock_ms - since) / 1000)} s after ${before === 0 ? "it began" : `the one at event ${before}`}`,
      };
  }
}

const HAS_ONE = new RegExp(`"type":"(?:${[...ALWAYS_SIGNED].join("|")})"`);

function alwaysSignedType(entry: ChainEntry): string | null {
  // Reading every event of a long log would cost more than hashing it; few have one of these words in them.
  if (entry.text !== undefined && !HAS_ONE.test(entry.text)) return null;
  const { type } = (entry.event ?? {}) as { readonly type?: unknown };
  return typeof type === "string" && ALWAYS_SIGNED.has(type) ? type : null;
}
