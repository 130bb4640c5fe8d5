/**
 * The later value with every part of the earlier one that is equal to it, so that what did not change is the same object
 * and is not drawn again.
 *
 * Contract: for values of JSON only.
 */
export function keepEqual<T>(before: unknown, after: T): T {
  if (Object.is(before, after)) return after;
  if (Array.isArray(before) && Array.isArray(after)) {
    const kept = after.map((value: unknown, index) => keepEqual(before[index], value));
    return (
      before.length === kept.length && kept.every((value, index) => value === before[index]) ? before : kept
    ) as T;
  }
  if (!isPlain(before) || !isPlain(after)) return after;
  const names = Object.keys(after);
  const kept: Record<string, unknown> = {};
  let isSame = names.length === Object.keys(before).length;
  for (const name of names) {
    const value = keepEqual(before[name], after[name]);
    kept[name] = value;
    if (value !== before[name] || !(name in before)) isSame = false;
  }
  return (isSame ? before : kept) as T;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
