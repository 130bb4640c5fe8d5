export interface FoundSecret {
  /** What kind of secret it looks like. */
  readonly shape: string;
  readonly start: number;
  readonly end: number;
  /** Another kind that fits as well says more. */
  readonly general?: true;
}

/** What looks for secrets in a text. Contract: pure and total; linear in the text, whatever it holds. */
export type Finder = (text: string, found: FoundSecret[]) => void;
