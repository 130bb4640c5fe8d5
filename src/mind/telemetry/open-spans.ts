import type { LoggedEvent } from "../../model/event.js";
import { OWN, STANDARD } from "./metric-names.js";

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A span that has ended. */
export interface Span {
  /** Names it within its run, for ever. */
  readonly key: string;
  readonly parent: string | null;
  readonly name: string;
  readonly about: "run" | "plan" | "task" | "attempt" | "tool" | "verify" | "integrate" | "resolve" | "review" | "wait";
  /** RFC 3339. */
  readonly from: string;
  readonly to: string;
  readonly attributes: Attributes;
  readonly events: readonly { readonly name: string; readonly at: string; readonly attributes: Attributes }[];
  /** The error in a word; null when there is none. */
  readonly error: string | null;
  /** The event of the log that ended it. */
  readonly sequence: number;
}

type Open = { -readonly [name in keyof Span]: Span[name] } & { events: Span["events"][number][] };

/** Spans that are under way, by key. Contract: what is begun twice is begun once; what is not open is not ended. */
export class OpenSpans {
  readonly #open = new Map<string, Open>();
  readonly #times = new Map<string, number>();
  #ended: Span[] = [];
  #at = "";
  #sequence = 0;

  /** The event that everything following happens with. */
  at({ at, sequence }: LoggedEvent): void {
    this.#at = at;
    this.#sequence = sequence;
  }

  has(key: string): boolean {
    return this.#open.has(key);
  }

  begin(key: string, parent: string | null, name: string, about: Span["about"], attributes: Attributes): void {
    if (this.#open.has(key)) return;
    const from = this.#at;
    this.#open.set(key, {
      key,
      parent,
      name,
      about,
      from,
      to: from,
      attributes,
      events: [],
      error: null,
      sequence: this.#sequence,
    });
  }

  /** The next span of several with this name, one after another. */
  beginNext(name: string, parent: string, title: string, about: Span["about"], attributes: Attributes): void {
    const times = (this.#times.get(name) ?? 0) + 1;
    this.#times.set(name, times);
    this.begin(`${name}/${times}`, parent, title, about, attributes);
  }

  endLast(name: string, attributes: Attributes): void {
    this.end(`${name}/${this.#times.get(name) ?? 1}`, attributes);
  }

  add(key: string, attributes: Attributes): void {
    const span = this.#open.get(key);
    if (span !== undefined) span.attributes = { ...span.attributes, ...attributes };
  }

  note(key: string | undefined, name: string, attributes: Attributes): void {
    this.#open.get(key ?? "")?.events.push({ name, at: this.#at, attributes });
  }

  end(key: string, attributes: Attributes = {}, error: string | null = null): void {
    const span = this.#open.get(key);
    if (span === undefined) return;
    this.#open.delete(key);
    const failed = error === null ? {} : { [STANDARD.errorType]: error };
    const sequence = this.#sequence;
    this.#ended.push({
      ...span,
      // A wall clock may go back; a span does not.
      to: Date.parse(this.#at) < Date.parse(span.from) ? span.from : this.#at,
      attributes: { ...span.attributes, ...attributes, ...failed, [OWN.sequence]: sequence },
      error,
      sequence,
    });
  }

  endAllBut(key: string, attributes: Attributes): void {
    for (const other of [...this.#open.keys()].toReversed()) if (other !== key) this.end(other, attributes);
  }

  takeEnded(): readonly Span[] {
    const ended = this.#ended;
    if (ended.length > 0) this.#ended = [];
    return ended;
  }
}
