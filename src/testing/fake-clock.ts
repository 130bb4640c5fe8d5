/** The clock of an engine in which time passes only when somebody waits for it. */
export class FakeClock {
  ms = 0;
  readonly now = () => new Date(1_750_000_000_000 + this.ms).toISOString();
  readonly elapsedMs = () => this.ms;
  readonly wait = async (ms: number, signal: AbortSignal) => {
    await Promise.resolve();
    if (signal.aborted) throw new Error("aborted");
    this.ms += ms;
  };
}
