import { InvalidArgumentError } from "commander";
import { AMOUNTS } from "../../../model/amount-names.js";
import type { Amounts, BudgetLimits } from "../../../model/run.js";

/** `tokens=50000,cost_usd=5`. */
export function namedAmounts(value: string): BudgetLimits {
  const found: Partial<Amounts> = {};
  for (const part of value.split(",")) {
    const [, name, number] = /^(\w+)=(\d+(?:\.\d+)?)$/.exec(part.trim()) ?? [];
    const known = AMOUNTS.find((amount) => amount === name);
    if (known === undefined || !(Number(number) > 0) || !Number.isFinite(Number(number)))
      throw new InvalidArgumentError(`It must be like tokens=50000,cost_usd=5; known are ${AMOUNTS.join(", ")}.`);
    found[known] = Number(number);
  }
  return found;
}

/** Reads amounts, with zero for those that are not named. */
export function allAmounts(value: string): Amounts {
  const { tokens = 0, cost_usd = 0, minutes = 0, files = 0, commits = 0, api_calls = 0 } = namedAmounts(value);
  return { tokens, cost_usd, minutes, files, commits, api_calls };
}
