import {
  type AskOptions,
  plannerFor,
  secondOpinionFor,
  specifierFor,
  specifierForRoute,
  specifyWithPerson,
} from "../request/ask-for-run.js";
import type { SecondOpinion } from "../../mind/request/second-opinion.js";
import type { Specify } from "../../mind/request/request-flow.js";
import type { Configuration } from "../../model/settings/configuration.js";
import type { FactPack, MemoryPack } from "../../model/settings/packs.js";
import type { ExecutionPolicy } from "../../model/plan/policy.js";
import type { UserRequest } from "../../model/request.js";
import type { RoutingBounds } from "../../model/routing.js";
import type { Planner } from "../../mind/propose/planner.js";
import { templatePlanner } from "../../mind/propose/template/template-planner.js";
import type { LoadedRegistry } from "../../hands/registry/load-registry.js";
import type { Project } from "../project/project.js";
import { readDocuments } from "../project/context-registry.js";

/** Whom a request is given to before there is a plan, as the configuration says. */
export interface Askers {
  readonly planner: Planner;
  /** A product agent or model; the person who asks when none is configured. */
  readonly specify: Specify;
  /** Who reads a request after the rules of safety; null when nobody is configured to. */
  readonly secondOpinion: SecondOpinion | null;
}

export interface AskerParts {
  readonly project: Project;
  readonly configuration: Configuration;
  readonly registry: LoadedRegistry;
  readonly request: UserRequest;
  readonly policy: ExecutionPolicy;
  readonly facts: FactPack;
  readonly memory: MemoryPack | null;
  readonly unsafeNoSandbox: boolean;
  /** The limits of the routing policy for product. */
  readonly bounds: RoutingBounds;
}

/** Contract: throws NOT_FOUND for an agent that is neither configured nor a preset. */
export function askersOf(parts: AskerParts): Askers {
  const { project, configuration, registry, request, policy, facts, memory, unsafeNoSandbox, bounds } = parts;
  const options: AskOptions = {
    // There is no run yet; sessions of the same request are kept and adopted under its id.
    runId: request.request_id,
    project,
    configuration,
    models: registry.registry.models,
    guardrails: registry.guardrails,
    unsafeNoSandbox,
    policy,
    preference: request.context?.preferences?.model,
    bounds,
  };
  const specify = specifierFor(options);
  const read = (refs: readonly string[]) => readDocuments(project.root, refs);
  const grounds = { facts, memory, checks: configuration.checks, read };
  return {
    planner: plannerFor(options, templatePlanner),
    secondOpinion: secondOpinionFor(options),
    specify: specify === null ? specifyWithPerson(configuration.checks) : specifierForRoute(specify, grounds),
  };
}
