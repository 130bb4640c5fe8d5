/** A place in a text, both numbers counted from 1; columns count UTF-16 units, as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The keys and indexes that lead from a document to one of its values. */
export type PathSegments = readonly (string | number)[];

/** The place of `offset` in `text`. Lines end with LF, CR LF or a lone CR. */
export function positionAt(text: string, offset: number): Position {
  const end = Math.min(offset, text.length);
  let line = 1;
  let lineStart = 0;
  for (let i = 0; i < end; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x0a || (unit === 0x0d && text.charCodeAt(i + 1) !== 0x0a)) {
      line++;
      lineStart = i + 1;
    }
  }
  return { line, column: end - lineStart + 1 };
}

/** A surrogate without its partner: no text encoding can carry it, so two programs would disagree on the checksum. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}
