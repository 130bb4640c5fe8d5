import type { FactPack } from "../../../model/settings/packs.js";

/** The strings of a fact; none when the pack does not say, or when its sources disagree. */
export function factStrings(facts: FactPack | null, name: string): readonly string[] {
  const found = facts?.facts[name];
  const value = found === undefined || Array.isArray(found) ? undefined : found.value;
  return Array.isArray(value) ? value : typeof value === "string" ? [value] : [];
}
