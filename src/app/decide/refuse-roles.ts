import { foreignRole, holdersOf, howToName, type Person } from "./roles.js";
import type { Configuration } from "../../model/settings/configuration.js";
import { EXIT } from "../exit-codes.js";
import { fail, type Finished } from "../report.js";

/** Null when they may decide as all of these; else the refusal, which says who may and how somebody is named. */
export function refuseRoles(
  person: Person,
  as: readonly string[],
  settings: Pick<Configuration, "reviewers">,
): Finished | null {
  const foreign = foreignRole(person, as, settings);
  if (foreign === undefined) return null;
  const holders = holdersOf(foreign, settings);
  if (holders.length === 0)
    return fail(EXIT.refused, "ROLE_NOT_HELD", `Nobody is named who holds the role ${foreign}`, {
      fix: `${howToName(foreign)}.`,
    });
  return fail(EXIT.refused, "ROLE_NOT_HELD", `${person.name} does not hold the role ${foreign}`, {
    fix: `It is held by ${holders.join(", ")}: ask one of them to decide.`,
  });
}
