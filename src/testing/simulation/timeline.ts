/** Time that passes only when everything of this moment has been done. */
export class Timeline {
  #due: { readonly at: number; readonly order: number; readonly act: () => void | Promise<void> }[] = [];
  #order = 0;
  now = 0;

  /** Contract: what is due at the same time happens in the order in which it was asked for. */
  after(ms: number, act: () => void | Promise<void>): void {
    this.#due.push({ at: this.now + Math.max(0, ms), order: this.#order++, act });
  }

  /** Contract: false when nothing is due any more. Resolves when whatever follows from it at once has happened. */
  async next(): Promise<boolean> {
    const first = this.#due.reduce<number>((best, { at, order }, i) => {
      const least = this.#due[best];
      return least === undefined || at < least.at || (at === least.at && order < least.order) ? i : best;
    }, 0);
    const [due] = this.#due.splice(first, 1);
    if (due === undefined) return false;
    this.now = due.at;
    await due.act();
    // The engine takes a turn of the event loop before it commits, and one more for what comes meanwhile.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => void setImmediate(resolve));
    return true;
  }
}

/** A process of the simulated world: it can be killed, and stopped for a while. */
export class SimulatedProcess {
  readonly #time: Timeline;
  #stoppedUntil = 0;
  isAlive = true;

  constructor(time: Timeline) {
    this.#time = time;
  }

  /** Do this after so long: never when it is dead by then, and later when it is stopped. */
  later(ms: number, act: () => void): void {
    this.#time.after(ms, () => {
      if (!this.isAlive) return;
      if (this.#stoppedUntil > this.#time.now) this.later(this.#stoppedUntil - this.#time.now, act);
      else act();
    });
  }

  stopFor(ms: number): void {
    this.#stoppedUntil = Math.max(this.#stoppedUntil, this.#time.now + ms);
  }
}
