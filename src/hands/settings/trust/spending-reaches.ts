import type { Configuration } from "../../../model/settings/configuration.js";
import { listedPrice } from "../../agents/prices.js";
import { isSameContent, type Reach, describeWord } from "./reach.js";

/*
 * Settings of a project about the person's money and approval: that its plans need none, and that a model costs less than it
 * does. Either would have agents work, with the person's login, beyond what the person was shown.
 */

const FILE = "coordinator.yaml";

/** Contract: pure. `project` is the project's file alone, with its defaults. */
export function spendingReaches(project: Configuration, own: Configuration): Reach[] {
  return [...approvalReach(project, own), ...priceReaches(project, own)];
}

function approvalReach({ run }: Configuration, own: Configuration): Reach[] {
  if (run.plan_needs_approval) return [];
  return [
    {
      kind: "approval",
      name: "plan_needs_approval",
      where: `${FILE}: run.plan_needs_approval`,
      says: "has its plans carried out without asking you for approval",
      content: false,
      allowedBy: "agreement",
      isOwn: !own.run.plan_needs_approval,
    },
  ];
}

/** Prices below those of the kept list: the budget that a person is shown is counted in them. */
function priceReaches({ model_prices }: Configuration, own: Configuration): Reach[] {
  return Object.entries(model_prices).flatMap(([model, price]): Reach[] => {
    const mine = Object.hasOwn(own.model_prices, model) ? own.model_prices[model] : undefined;
    const known = mine ?? listedPrice(model);
    if (known === undefined) return [];
    const isCheaper =
      price.usd_per_million_in < known.usd_per_million_in || price.usd_per_million_out < known.usd_per_million_out;
    if (!isCheaper) return [];
    const tell = (each: typeof price) => `$${each.usd_per_million_in} in and $${each.usd_per_million_out} out`;
    const says = `counts a million tokens of the model ${describeWord(model)} as ${tell(price)}; known is ${tell(known)}`;
    return [
      {
        kind: "price",
        name: model,
        where: `${FILE}: model_prices`,
        says,
        content: price,
        allowedBy: "agreement",
        isOwn: isSameContent(mine, price),
      },
    ];
  });
}
