/**
 * The parts of a condition that `&&` joins at the outermost level; one part when `||` or `?` stands there.
 *
 * Contract: pure and total; for a condition that compiled, each part is a condition too.
 */
export function splitConjunction(source: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < source.length; i++) {
    const c = source.charAt(i);
    if (c === '"' || c === "'") i = endOfString(source, i, c);
    else if (c === "(" || c === "[" || c === "{") depth++;
    else if (c === ")" || c === "]" || c === "}") depth--;
    else if (depth > 0) continue;
    else if (c === "?" || source.startsWith("||", i)) return [source.trim()];
    else if (source.startsWith("&&", i)) {
      parts.push(source.slice(from, i).trim());
      i++;
      from = i + 1;
    }
  }
  parts.push(source.slice(from).trim());
  return parts;
}

function endOfString(source: string, at: number, quote: string): number {
  for (let i = at + 1; i < source.length; i++) {
    const c = source.charAt(i);
    if (c === "\\") i++;
    else if (c === quote) return i;
  }
  return source.length;
}
