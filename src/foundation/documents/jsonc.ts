/* JSON with comments and trailing commas, read for where its parts stand: an editor of it changes no other byte. */

export interface JsoncObject {
  readonly kind: "object";
  /** The place of `{`, and the place behind `}`. */
  readonly start: number;
  readonly end: number;
  readonly properties: readonly JsoncProperty[];
  /** Its value, without comments: the last of two properties with one name counts. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface JsoncProperty {
  readonly key: string;
  /** The place of the quote that its name begins with. */
  readonly start: number;
  readonly value: JsoncValue;
}

export type JsoncValue =
  | JsoncObject
  | {
      readonly kind: "other";
      readonly start: number;
      readonly end: number;
      readonly data: unknown;
    };

/** Where a text stops being JSON, counted from 1. */
export interface JsoncProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export type ReadJsonc =
  | { readonly ok: true; readonly value: JsoncValue }
  | { readonly ok: false; readonly problem: JsoncProblem };

/** Contract: pure and total. */
export function readJsonc(text: string): ReadJsonc {
  const reader = new Reader(text);
  try {
    const value = reader.value();
    reader.end();
    return { ok: true, value };
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    const before = text.slice(0, error.at).split("\n");
    return {
      ok: false,
      problem: { line: before.length, column: (before.at(-1) ?? "").length + 1, message: error.message },
    };
  }
}

class NotJson extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

const BLANK = /(?:\s|\uFEFF|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const STRING = /"(?:[^"\\\n]|\\.)*"/y;
const PLAIN = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const DEEPEST = 200;

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): JsoncValue {
    this.#skip();
    const start = this.#at;
    const first = this.#text[start];
    if (++this.#depth > DEEPEST) throw new NotJson("is nested too deeply", start);
    try {
      if (first === "{") return this.#object(start);
      const data = first === "[" ? this.#array() : this.#plain(start);
      return { kind: "other", start, end: this.#at, data };
    } finally {
      this.#depth--;
    }
  }

  end(): void {
    this.#skip();
    if (this.#at < this.#text.length) throw new NotJson("goes on behind its end", this.#at);
  }

  #object(start: number): JsoncObject {
    const properties: JsoncProperty[] = [];
    this.#at++;
    this.#list("}", () => {
      const begin = this.#at;
      const key = this.#take(STRING);
      if (key === null) throw new NotJson("has no name where one is due", this.#at);
      this.#skip();
      if (this.#text[this.#at] !== ":") throw new NotJson("has no colon behind a name", this.#at);
      this.#at++;
      properties.push({ key: keyOf(key, this.#at), start: begin, value: this.value() });
    });
    const data = Object.fromEntries(properties.map(({ key, value }) => [key, value.data]));
    return { kind: "object", start, end: this.#at, properties, data };
  }

  #array(): unknown[] {
    const values: unknown[] = [];
    this.#at++;
    this.#list("]", () => values.push(this.value().data));
    return values;
  }

  #plain(start: number): unknown {
    const found = this.#take(STRING) ?? this.#take(PLAIN);
    if (found !== null) return plainValue(found, start);
    const first = this.#text[start];
    throw new NotJson(
      first === undefined ? "ends too early" : `has ${JSON.stringify(first)} where a value is due`,
      start,
    );
  }

  /** Reads entries between commas, up to the closing sign. A comma may stand behind the last. */
  #list(close: string, one: () => void): void {
    for (;;) {
      this.#skip();
      if (this.#text[this.#at] === close) break;
      one();
      this.#skip();
      if (this.#text[this.#at] === ",") this.#at++;
      else if (this.#text[this.#at] !== close)
        throw new NotJson(
          this.#at >= this.#text.length ? "ends too early" : `has no comma or ${close} where one is due`,
          this.#at,
        );
    }
    this.#at++;
  }

  #skip(): void {
    BLANK.lastIndex = this.#at;
    BLANK.exec(this.#text);
    this.#at = BLANK.lastIndex;
  }

  #take(form: RegExp): string | null {
    form.lastIndex = this.#at;
    const found = form.exec(this.#text);
    if (found === null) return null;
    this.#at = form.lastIndex;
    return found[0];
  }
}

function plainValue(text: string, at: number): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new NotJson("has a value that JSON does not know", at);
  }
}

function keyOf(quoted: string, at: number): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw new NotJson("has a name that is not a string", at);
  }
}
