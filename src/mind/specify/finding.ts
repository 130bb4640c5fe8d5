import type { Check } from "../../model/settings/check.js";
import type { FactPack } from "../../model/settings/packs.js";

/** One rule an Intent Spec does not keep: which, where, and how to mend it. */
export interface SpecFinding {
  readonly rule_id: string;
  /** A place in the Intent Spec, such as `requirements[2].source`. */
  readonly path: string;
  readonly message: string;
  readonly fix: string;
}

/** Evidence that an Intent Spec may use: all that its author was given, and nothing else. */
export interface SpecGrounds {
  /** The request, word for word. */
  readonly request: string;
  /** References of the injected documents. */
  readonly documents: readonly string[];
  readonly facts: FactPack | null;
  /** Ids of the answers people gave. */
  readonly answers: readonly string[];
  /** The checks that can be run here. */
  readonly checks: readonly Check[];
}
