/* Days of UTC, as `2026-03-01`. */

const DAY_MS = 86_400_000;

/** The days up to the one of `now`, oldest first. Contract: pure. */
export function lastDays(now: string, count: number): string[] {
  const today = Date.parse(`${dayOf(now)}T00:00:00Z`);
  return Array.from({ length: count }, (_, i) => dayAt(today - (count - 1 - i) * DAY_MS));
}

/** Contract: pure; what happened at 23:30-05:00 happened on the next day. */
export function dayOf(at: string): string {
  return at.endsWith("Z") ? at.slice(0, 10) : dayAt(Date.parse(at));
}

function dayAt(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
