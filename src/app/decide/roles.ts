import type { Configuration } from "../../model/settings/configuration.js";

/*
 * Who may decide as whom. A role is only a name until the settings say who holds it: nobody becomes a reviewer by saying
 * so. Git's identity is what it is checked against; anyone who can change that on a machine can say to be anybody.
 */

type Reviewers = Pick<Configuration, "reviewers">;

/** Somebody who decides, by every name that settings may know them by. */
export interface Person {
  readonly name: string;
  /** Null when it is not known. */
  readonly email: string | null;
}

/** Who holds a role: `architecture` and `architecture_reviewer` are the same one. */
export function holdersOf(role: string, { reviewers }: Reviewers): string[] {
  const wanted = categoryOf(role);
  const held = Object.entries(reviewers).flatMap(([name, holders]) => (categoryOf(name) === wanted ? holders : []));
  return [...new Set(held)];
}

/** All that this person decides as without saying so: themselves, and every role that the settings give them. */
export function rolesHeld(person: Person, { reviewers }: Reviewers): string[] {
  const held = Object.entries(reviewers).flatMap(([role, holders]) => {
    const mine = holders.filter((holder) => isCalled(person, holder));
    return mine.length === 0 ? [] : [...mine, ...formsOf(role)];
  });
  return [...new Set([person.name, ...(person.email === null ? [] : [person.email]), ...held])];
}

/** The first of these roles that is not this person's; undefined when all are. */
export function foreignRole(person: Person, roles: readonly string[], settings: Reviewers): string | undefined {
  const held = new Set(rolesHeld(person, settings).map((role) => role.toLowerCase()));
  return roles.find((role) => !formsOf(role).some((form) => held.has(form.toLowerCase())));
}

/** A role under both of its names. */
export function formsOf(role: string): string[] {
  const category = categoryOf(role);
  return [...new Set([role.trim(), category, `${category}_reviewer`])];
}

/** How a role gets its holder. */
export function howToName(role: string): string {
  return `Name who holds it in coordinator.yaml: reviewers: { ${categoryOf(role)}: [NAME] }, with git's user.name or user.email`;
}

function categoryOf(role: string): string {
  return role.trim().replace(/_reviewer$/, "");
}

function isCalled({ name, email }: Person, holder: string): boolean {
  const wanted = holder.trim().toLowerCase();
  return wanted === name.toLowerCase() || (email !== null && wanted === email.toLowerCase());
}
