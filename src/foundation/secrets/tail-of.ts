/**
 * The last part of a long text, from the beginning of a line or of a word where there is one: of a token that is cut in
 * two, the second half would not be known for what it is.
 *
 * Contract: pure and total; never longer than `most`. A text that is short enough is given back.
 */
export function tailOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const tail = text.slice(-most);
  const line = tail.indexOf("\n") + 1;
  if (line > 0 && line <= most / 2) return tail.slice(line);
  return tail.slice(tail.search(/\s/) + 1);
}
