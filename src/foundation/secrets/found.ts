export interface FoundSecret {
  /** What kind of secret it looks like. */
  readonly shape: string;
  readonly start: number;
  readonly end: number;
  /** Another kind that fits as well says more. */
  readonly general?: true;
}
