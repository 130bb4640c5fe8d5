export interface FoundSecret {
  /** The kind of secret that it looks like. */
  readonly shape: string;
  readonly start: number;
  readonly end: number;
  /** Another kind that fits as well says more. */
  readonly general?: true;
}
