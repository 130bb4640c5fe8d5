import { UNLIMITED } from "../../../model/amount-names.js";
import type { Spend } from "../../../app/inspect/overview.js";
import { dollars, thousands } from "../../../foundation/text/figures.js";

/** `$4.12 of $15, $0.40 of it estimated, $1 set aside`. */
export function spendLine(spend: Spend, name: "cost_usd" | "tokens" | "minutes"): string {
  const say = name === "cost_usd" ? dollars : thousands;
  const { used, reserved, estimated, budget } = spend;
  const limit = budget === null || budget[name] >= UNLIMITED ? "" : ` of ${say(budget[name])}`;
  const guessed = estimated[name] === 0 ? "" : `, ${say(estimated[name])} of it estimated`;
  const aside = reserved[name] === 0 ? "" : `, ${say(reserved[name])} set aside`;
  return `${say(used[name])}${limit}${guessed}${aside}`;
}
