/* JSON with comments and trailing commas, read for where its parts stand: an editor of it changes no other byte. */

export interface JsoncObject {
  readonly kind: "object";
  /** The place of `{`, and the place behind `}`. */
  readonly start: number;
  readonly end: number;
  readonly properties: readonly JsoncProperty[];
}

interface JsoncProperty {
  readonly key: string;
  readonly value: JsoncValue;
}

export type JsoncValue = JsoncObject | { readonly kind: "other"; readonly start: number; readonly end: number };

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
      if (first === "[") {
        this.#at++;
        this.#list("]", () => void this.value());
      } else if (this.#take(STRING) === null && this.#take(PLAIN) === null)
        throw new NotJson(
          first === undefined ? "ends too early" : `has ${JSON.stringify(first)} where a value is due`,
          start,
        );
      return { kind: "other", start, end: this.#at };
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
      const key = this.#take(STRING);
      if (key === null) throw new NotJson("has no name where one is due", this.#at);
      this.#skip();
      if (this.#text[this.#at] !== ":") throw new NotJson("has no colon behind a name", this.#at);
      this.#at++;
      properties.push({ key: keyOf(key, this.#at), value: this.value() });
    });
    return { kind: "object", start, end: this.#at, properties };
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

function keyOf(quoted: string, at: number): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw new NotJson("has a name that is not a string", at);
  }
}
