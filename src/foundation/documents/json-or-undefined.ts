/** The value of a JSON text; undefined for a text that is not JSON. Contract: total. */
export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
