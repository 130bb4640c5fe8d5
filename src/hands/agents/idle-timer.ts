const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * A time in which nothing is heard.
 *
 * Contract: `then` is called once it is over, unless something is heard before. Output that came while this process itself was
 * held up still lies in the pipe by then: there is one turn to read it in before anybody is said to be silent.
 */
export class IdleTimer {
  readonly #ms: number;
  readonly #then: () => void;
  #timer: NodeJS.Timeout | undefined;
  #turn: NodeJS.Immediate | undefined;

  constructor(ms: number, then: () => void) {
    this.#ms = Math.min(ms, LONGEST_TIMER_MS);
    this.#then = then;
  }

  /** Counts from now on, anew when something is heard. */
  begin(): void {
    this.end();
    this.#timer = setTimeout(() => (this.#turn = setImmediate(this.#then)), this.#ms);
  }

  end(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#turn);
  }
}
