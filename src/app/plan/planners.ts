import {
  type AskOptions,
  plannerFor,
  specifierFor,
  specifierForRoute,
  specifyWithPerson,
} from "../request/ask-for-run.js";
import type { Specify } from "../../mind/request/plan-request.js";
import type { Configuration } from "../../model/settings/configuration.js";
import type { FactPack, MemoryPack } from "../../model/settings/packs.js";
import type { ExecutionPolicy } from "../../model/plan/policy.js";
import type { UserRequest } from "../../model/request.js";
import type { RoutingBounds } from "../../model/routing.js";
import type { Planner } from "../../mind/propose/planner.js";
import { templatePlanner } from "../../mind/propose/template/template-planner.js";
import type { LoadedRegistry } from "../../hands/registry/load-registry.js";
import type { StateFolder } from "../project/state-folder.js";
import { readDocuments } from "../project/context-registry.js";

/** Whom a request is given to before there is a plan, as the configuration says. */
export interface Askers {
  readonly planner: Planner;
  /** A product agent or model; the person who asks when none is configured. */
  readonly specify: Specify;
}

export interface AskerParts {
  readonly at: StateFolder;
  readonly configuration: Configuration;
  readonly registry: LoadedRegistry;
  readonly request: UserRequest;
  readonly policy: ExecutionPolicy;
  readonly facts: FactPack;
  readonly memory: MemoryPack | null;
  readonly environment: NodeJS.ProcessEnv;
  readonly unsafeNoSandbox: boolean;
  /** The limits of the routing policy for product. */
  readonly bounds: RoutingBounds;
}

/** Contract: throws NOT_FOUND for an agent that is neither configured nor a preset. */
export function askersOf(parts: AskerParts): Askers {
  const { at, configuration, registry, request, policy, facts, memory, environment, unsafeNoSandbox, bounds } = parts;
  const options: AskOptions = {
    // There is no run yet; sessions of the same request are kept and adopted under its id.
    runId: request.request_id,
    root: at.root,
    stateFolder: at.folder,
    configuration,
    models: registry.registry.models,
    guardrails: registry.guardrails,
    environment,
    unsafeNoSandbox,
    policy,
    preference: request.context?.preferences?.model,
    bounds,
  };
  const specify = specifierFor(options);
  const read = (refs: readonly string[]) => readDocuments(at.root, refs);
  const grounds = { facts, memory, checks: configuration.checks, read };
  return {
    planner: plannerFor(options, templatePlanner),
    specify: specify === null ? specifyWithPerson(configuration.checks) : specifierForRoute(specify, grounds),
  };
}
