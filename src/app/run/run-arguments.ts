import type { TrustStatus } from "../../hands/settings/trust/trust-status.js";
import type { InForce } from "../../mind/contract/permit.js";
import type { Configuration } from "../../model/settings/configuration.js";
import type { RunEvent } from "../../model/event.js";
import type { RunPolicy } from "../../model/run.js";
import type { LoadedRegistry } from "../../hands/registry/load-registry.js";
import type { EventStore } from "../../hands/store/event-store.js";
import type { CommandContext } from "../command-context.js";
import type { AutomaticApproval } from "../request/plan-and-run.js";

export interface RunArguments {
  readonly plan?: string;
  readonly brief?: string;
  /** The plan is not approved by being carried out: the run stands until somebody approves it. */
  readonly waits?: boolean;
  /** A person has agreed to a first commit where there is none. */
  readonly mayCommit?: boolean;
  /** A person was asked at a terminal whether to carry the plan out. */
  readonly asked?: boolean;
  /** The rule that approved the plan without asking a person. */
  readonly standing?: AutomaticApproval;
  /** A decision record that was carried out before, unchanged, is carried out once more. */
  readonly again?: boolean | undefined;
  /** The record of the request that the plan was made for: it has gone on as this run then. */
  readonly request?: string;
  readonly resume?: string;
  readonly last?: boolean;
  readonly agent?: string | undefined;
  readonly maxConcurrent?: number | undefined;
  readonly schedule?: RunPolicy["schedule"] | undefined;
  readonly coordinatorMode?: RunPolicy["coordinator_mode"] | undefined;
  readonly unsafeNoSandbox?: boolean;
}

/** Everything a run is carried out with. */
export interface RunContext {
  readonly args: RunArguments;
  readonly store: EventStore;
  readonly configuration: Configuration;
  /** Requests of the project that reach beyond it, and which of them have effect. */
  readonly trust: TrustStatus;
  readonly inForce: InForce;
  /** That a person agreed to the first commit, when one was made. */
  readonly firstCommit: RunEvent | null;
  readonly registry: LoadedRegistry;
  readonly context: CommandContext;
}
