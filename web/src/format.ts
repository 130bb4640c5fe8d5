/* Times, amounts and names as people read them. */

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

export const formatClock = (at: string) => clock.format(new Date(at));
export const formatTime = (at: string) => day.format(new Date(at));

/** `12 s`, `3 min`, `2 h`, `4 d`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min${minutes < 10 && seconds % 60 > 0 ? ` ${seconds % 60} s` : ""}`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h${hours < 10 && minutes % 60 > 0 ? ` ${minutes % 60} min` : ""}`;
  return `${Math.floor(hours / 24)} d`;
}

export const formatAge = (at: string, now: number) => `${formatDuration(now - Date.parse(at))} ago`;

export function formatCost(usd: number): string {
  if (usd === 0) return "$0";
  if (usd >= 1000) return `$${formatCount(Math.round(usd))}`;
  return usd < 0.01 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(2)}`;
}

export const formatCount = (value: number) => new Intl.NumberFormat().format(value);

export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : many}`;
}

/** A text without the checksums of records behind it, which tell a person nothing. */
export const withoutHashes = (text: string) => text.replaceAll(/ ?\[?sha256:[0-9a-f]{64}\]?/g, "");

/** A word of the API as a person reads it: `plan_approval` is "plan approval". */
export const words = (name: string) => name.replaceAll("_", " ");
