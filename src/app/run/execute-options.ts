import type { ProjectBase } from "../project/project.js";
import type { EffectRunner } from "../../hands/engine/effect-runner.js";
import type { Author } from "../../hands/integration/merging/quarantine-git.js";
import type { Reroute } from "../../hands/attempts/prompts/later-context.js";
import type { EventStore } from "../../hands/store/event-store.js";
import type { RunState } from "../../mind/run/state.js";
import type { AgentEntry, GuardrailEntry, ModelEntry } from "../../model/plan/registry.js";
import type { Configuration } from "../../model/settings/configuration.js";

/** Everything that carrying out a run needs. */
export interface ExecuteOptions {
  readonly runId: string;
  /** The run as its log has it; its plan is frozen. */
  readonly state: RunState;
  readonly project: ProjectBase;
  readonly store: EventStore;
  readonly configuration: Configuration;
  readonly builders: readonly AgentEntry[];
  readonly guardrails: readonly GuardrailEntry[];
  readonly models: readonly ModelEntry[];
  readonly unsafeNoSandbox: boolean;
  /** Lets effects through or refuses them: nothing else is done. */
  readonly guard: (runner: EffectRunner) => EffectRunner;
  /** Who plays everybody, when a person has ordered that for this run. */
  readonly agent?: string | undefined;
  /** How many tasks may be worked on at once over all runs of the project; absent when nothing limits it. */
  readonly mostAtOnce?: number | undefined;
  /** Documents that are in no workspace. */
  readonly withheld?: readonly string[];
  /** How routing is evaluated again; absent where nobody can. */
  readonly reroute?: Reroute;
  /** The author of the commits; null where git does not name the person. */
  readonly author?: Author | null;
}

/** Where the run began, and on which branch the person stood then. */
export interface BaseRecord {
  readonly commit: string;
  readonly branch?: string | null;
}
