/* Figures as people read them. */

/** `$4.12`, and `$15` where there is nothing after the point. */
export function dollars(amount: number): string {
  if (amount > 0 && amount < 0.01) return "<$0.01";
  return Number.isInteger(amount) ? `$${amount}` : `$${amount.toFixed(2)}`;
}

/** `12 345`. */
export function thousands(amount: number): string {
  return String(Math.round(amount)).replaceAll(/\B(?=(\d{3})+$)/g, " ");
}

/** How long ago, in one word or two. Contract: an unreadable or later time is `now`. */
export function ago(at: string | null, now: string): string {
  return formatDuration(at === null ? 0 : Date.parse(now) - Date.parse(at));
}

/** `12 s`, `4 min`, `3 h`, `5 days`. Contract: a text that is not a time gives none. */
function formatDuration(ms: number): string {
  const seconds = Math.max(0, ms / 1000);
  if (!(seconds >= 60)) return `${Math.floor(seconds || 0)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 48 * 3600 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} days`;
}
