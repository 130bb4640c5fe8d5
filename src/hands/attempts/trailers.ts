/** Trailers of a commit. Each value is put on one line, whatever it was made of. */
export function trailers(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}: ${value.replaceAll(/\s+/g, " ").trim()}\n`)
    .join("");
}
