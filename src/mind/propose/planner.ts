import type { Diagnostic } from "../../model/diagnostic.js";
import type { IntentSpec } from "../../model/intent-spec.js";
import type { FactPack, MemoryPack } from "../../model/settings/packs.js";
import type { Proposal } from "../../model/proposal.js";
import type { Registry } from "../../model/plan/registry.js";
import type { IntakeDecision } from "../../model/request.js";
import type { Message, Usage } from "../../model/run.js";

/* The port of planners: from a planning request to a proposal. Who plans is configuration; what decides is the rules. */

export interface PlannerInput {
  readonly message: Extract<Message, { type: "planning_request" }>;
  /** The request, word for word. */
  readonly text: string;
  /** The part of it that asks for work, without what must be true of the work; the whole text when absent. */
  readonly asked?: string;
  readonly intake: IntakeDecision;
  readonly spec: IntentSpec | null;
  readonly registry: Registry;
  readonly facts: FactPack | null;
  readonly memory: MemoryPack | null;
  /** Documents of the context registry that builders are not given. The planner for them is not given them either. */
  readonly withheld: readonly string[];
}

export type Planned =
  | { readonly status: "success" | "partial"; readonly proposal: Proposal; readonly usage: Usage | null }
  /** The planner did its work and says what is missing. */
  | { readonly status: "questions"; readonly questions: readonly string[]; readonly usage: Usage | null }
  | { readonly status: "failed"; readonly problems: readonly Diagnostic[]; readonly usage: Usage | null };

/** Contract: never throws but for a mistake in the program; `signal` ends it within its limit. */
export interface Planner {
  readonly name: string;
  readonly plan: (input: PlannerInput, signal: AbortSignal) => Promise<Planned>;
}
