import type { Fact } from "../../../model/settings/packs.js";
import type { ReviewCategory } from "../../../model/primitives.js";

/** Everything that answers and fallbacks have settled so far. Empty at the start of a plan. */
export interface Resolutions {
  readonly facts: ReadonlyMap<string, Fact["value"]>;
  readonly parameters: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly reviewers: ReadonlyMap<ReviewCategory, readonly string[]>;
  /** Actions (by key) whose targets outside the lock scope a person has agreed to. */
  readonly scopeWidened: ReadonlySet<string>;
}

export const NOTHING_RESOLVED: Resolutions = {
  facts: new Map(),
  parameters: new Map(),
  reviewers: new Map(),
  scopeWidened: new Set(),
};
