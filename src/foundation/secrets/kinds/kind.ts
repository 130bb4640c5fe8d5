/** One kind of secret that is known by its shape. */
export interface SecretKind {
  /** The name in its place, and in messages. */
  readonly name: string;
  /** As `../shape.ts` reads them. */
  readonly shapes: readonly string[];
  /**
   * The shape says it all: what follows need not look like chance. For headers of keys, and for what is short or made of few
   * characters.
   */
  readonly certain?: true;
  /** The text behind it is `user:password` in base64, and only then a secret. */
  readonly login?: true;
  /** The fixed beginning only says what follows: it stays, and the rest is the secret. */
  readonly after?: true;
  /** Another kind that fits as well says more. */
  readonly general?: true;
}

/** One that is known only together with the name it is given to, `HEROKU_API_KEY=…`: its shape alone says too little. */
export interface NamedKind {
  readonly name: string;
  /** Words of the name, in small letters without separators: one of them is enough. */
  readonly words: readonly string[];
  /** Of the whole value. */
  readonly shapes: readonly string[];
}

export const UUID = "{anyhex:8}-{anyhex:4}-{anyhex:4}-{anyhex:4}-{anyhex:12}";
