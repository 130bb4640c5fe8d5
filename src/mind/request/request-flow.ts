import type { Diagnostic } from "../../model/diagnostic.js";
import type { ExecutionIntent } from "../../model/plan/intent.js";
import type { IntentSpec } from "../../model/intent-spec.js";
import type { AdrSource, OpenQuestion, RequestAnswer, RequestOrigin } from "../../model/request-origin.js";
import type { FactPack, MemoryPack } from "../../model/settings/packs.js";
import type { ExecutionPolicy } from "../../model/plan/policy.js";
import type { Registry } from "../../model/plan/registry.js";
import type { IntakePolicy } from "../../model/intake-policy.js";
import type { IntakeDecision, RepositoryFacts, UserRequest } from "../../model/request.js";
import type { ContextDocument, InputType, RoutedDecision, RoutingDecision } from "../../model/routing.js";
import type { Decider, Usage } from "../../model/run.js";
import type { Planner } from "../propose/planner.js";
import type { CompiledPolicy } from "../route/compile-policy.js";
import type { HarmModel } from "../intake/safety/judge-harm.js";
import type { AnsweredRequest } from "./answered.js";
import type { Opinion, SecondOpinion } from "./second-opinion.js";

/* The types of the way from words to an intent. */

/** Asks product for an Intent Spec, or for the questions it has first. */
export type Specify = (
  input: {
    readonly request: UserRequest;
    /** Answers of people beside the words. */
    readonly answers: readonly RequestAnswer[];
    /** Answers that are in the words already. */
    readonly clarified: readonly RequestAnswer[];
    readonly intake: IntakeDecision;
    readonly routing: RoutedDecision;
  },
  signal: AbortSignal,
) => Promise<
  /** Without a spec the words stand as they are, and `told` says why that is enough. */
  | {
      readonly status: "specified";
      readonly spec: IntentSpec | null;
      readonly usage: Usage | null;
      readonly told?: string;
    }
  | { readonly status: "questions"; readonly questions: readonly OpenQuestion[] }
  | { readonly status: "failed"; readonly problems: readonly Diagnostic[] }
>;

/** A decision record that is given because work is done by it, whatever the context registry says. */
export interface GivenRecord {
  readonly ref: string;
  readonly text: string;
  readonly rule_id: "decision_record" | "decision_record_related";
}

export interface FlowInput {
  readonly request: UserRequest;
  /** Earlier questions about it, with the answers of people. */
  readonly answers?: readonly RequestAnswer[];
  /** Who asks. */
  readonly by: string;
  readonly intakePolicy: IntakePolicy;
  /** The learned layer of safety; without it rules alone decide, and nothing is held. */
  readonly harm?: HarmModel | null;
  /** Who reads a request after the rules and may make their decision stricter; nobody when absent. */
  readonly secondOpinion?: SecondOpinion | null;
  readonly repository: RepositoryFacts | undefined;
  readonly routingPolicy: CompiledPolicy;
  readonly context: readonly (string | ContextDocument)[];
  /** Contract: the texts of exactly these documents. */
  readonly read: (refs: readonly string[]) => Promise<readonly { readonly ref: string; readonly text: string }[]>;
  /** An operator's own classification: it decides before the rules do. `decider` when a person gave it for this request. */
  readonly inputType?: InputType;
  readonly decider?: Decider;
  readonly registry: Registry;
  readonly policy: ExecutionPolicy;
  readonly facts: FactPack;
  readonly memory: MemoryPack | null;
  readonly planner: Planner;
  /** Contract: what goes to product is not planned before this has specified it. */
  readonly specify: Specify;
  /** The decision record behind the request. */
  readonly adr?: AdrSource;
  /** A decision record or a work queue has cut the work into tasks: what it has to show was settled there. */
  readonly cut?: boolean;
  /** That record and those it speaks of, for the builder. */
  readonly records?: readonly GivenRecord[];
  readonly signal: AbortSignal;
  /** Called as soon as intake has decided: anyone who has a clock stamps it. */
  readonly decided?: () => void;
}

export type FlowOutcome =
  /** Not accepted: rejected, or questions for the person who asks. */
  | { readonly status: "refused"; readonly intake: IntakeDecision; readonly opinion: Opinion | null }
  | { readonly status: "unrouted"; readonly routing: Exclude<RoutingDecision, RoutedDecision> }
  | { readonly status: "questions"; readonly by: string; readonly questions: readonly OpenQuestion[] }
  | { readonly status: "failed"; readonly by: string; readonly problems: readonly Diagnostic[] }
  | {
      readonly status: "drafted";
      readonly intent: ExecutionIntent;
      /** The policy of the plan: the one that was given, with the workers that a person chose. */
      readonly policy: ExecutionPolicy;
      readonly opening: RequestOrigin;
      /** Notes on the way to the plan, one line each. */
      readonly told: readonly string[];
    };

/** Everything settled about a request before its work is proposed. */
export interface JudgedRequest {
  readonly words: AnsweredRequest;
  readonly judged: IntakeDecision;
  readonly opinion: Opinion | null;
  readonly routing: RoutedDecision;
  /** Who classified the request instead of the rules. */
  readonly decider: Decider | undefined;
  readonly spec: IntentSpec | null;
  /** The usage of specifying. */
  readonly specifying: Usage | null;
  readonly specifiedHow: string | undefined;
}
