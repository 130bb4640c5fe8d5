/** One line of a stream, without its line break. */
export interface Line {
  readonly number: number;
  /** Null when the line is longer than the limit; its bytes were dropped as they came. */
  readonly bytes: Uint8Array | null;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Split a stream into lines, as many at a time as one chunk completes: anyone who writes one line and waits is answered.
 *
 * Contract: never holds more than one chunk and one line of at most `mostBytes`. LF and CR LF end a line; the last line
 * may do without.
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  mostBytes: number,
): AsyncGenerator<readonly Line[]> {
  let begun: Uint8Array[] = [];
  let size = 0;
  let number = 0;
  const add = (part: Uint8Array) => {
    size += part.length;
    // One more than the limit: the CR of a CR LF is not the line's.
    if (size > mostBytes + 1) begun = [];
    else if (part.length > 0) begun.push(part);
  };
  const take = (): Line => {
    number++;
    const whole = size > mostBytes + 1 ? null : withoutReturn(Buffer.concat(begun));
    begun = [];
    size = 0;
    return { number, bytes: whole !== null && whole.length > mostBytes ? null : whole };
  };
  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      add(chunk.subarray(from, at));
      lines.push(take());
      from = at + 1;
    }
    add(chunk.subarray(from));
    if (lines.length > 0) yield lines;
  }
  if (size > 0) yield [take()];
}

function withoutReturn(line: Uint8Array): Uint8Array {
  return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
}
