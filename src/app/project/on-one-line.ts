/** A copy in which every text is one line: on a screen, a line of foreign text could pass for one of ours. */
export function onOneLine<T>(value: T): T {
  const flat: T = JSON.parse(JSON.stringify(value), (_key, part: unknown) =>
    typeof part === "string" ? part.replaceAll(/\s+/g, " ") : part,
  );
  return flat;
}
