import { type Spend, UNLIMITED } from "../../../runs/overview.js";

/** `$4.12`, and `$15` where there is nothing after the point. */
export function dollars(amount: number): string {
  if (amount > 0 && amount < 0.01) return "<$0.01";
  return Number.isInteger(amount) ? `$${amount}` : `$${amount.toFixed(2)}`;
}

/** `12 345`. */
export function thousands(amount: number): string {
  return String(Math.round(amount)).replaceAll(/\B(?=(\d{3})+$)/g, " ");
}

/** `$4.12 of $15, $0.40 of it estimated, $1 set aside`. */
export function spendLine(spend: Spend, name: "cost_usd" | "tokens" | "minutes"): string {
  const say = name === "cost_usd" ? dollars : thousands;
  const { used, reserved, estimated, budget } = spend;
  const limit = budget === null || budget[name] >= UNLIMITED ? "" : ` of ${say(budget[name])}`;
  const guessed = estimated[name] === 0 ? "" : `, ${say(estimated[name])} of it estimated`;
  const aside = reserved[name] === 0 ? "" : `, ${say(reserved[name])} set aside`;
  return `${say(used[name])}${limit}${guessed}${aside}`;
}

/** How long ago, in one word or two. Contract: an unreadable or later time is `now`. */
export function ago(at: string | null, now: string): string {
  const seconds = at === null ? 0 : Math.max(0, (Date.parse(now) - Date.parse(at)) / 1000);
  if (!(seconds >= 60)) return `${Math.floor(seconds || 0)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 48 * 3600 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} days`;
}
