import type { KnownLogin } from "../../../model/settings/known-logins.js";
import type { AgentLimits, AgentPreset, UsageRule } from "../../../model/settings/agent-config.js";

/*
 * Knowledge of one agent, as data: how it is started, which settings make it ask before it acts, and how
 * its reports are to be read. Everything here was seen in a run of that program; a new version may differ, and the
 * tests against the real programs say so.
 */
export interface Preset {
  readonly name: AgentPreset;
  readonly title: string;
  readonly protocol: "acp" | "command";
  /** `{model}` is filled in. */
  readonly command: readonly [string, ...string[]];
  readonly version: readonly [string, ...string[]];
  /** How to get it. */
  readonly install: string;
  readonly default_model: string | null;
  /** Always set. */
  readonly env: Readonly<Record<string, string>>;
  /** Set when the model is reached through the proxy; `{model_url}`, `{model}` and `{key}` are filled in. */
  readonly proxy_env: Readonly<Record<string, string>>;
  /** Written into the agent's private home before it starts; filled in like the environment. */
  readonly files: readonly { readonly path: string; readonly text: string; readonly only?: "proxy" }[];
  /** Of its files only whether they are there is ever looked at. */
  readonly login: KnownLogin & {
    readonly how: string;
    /** How one logs in where only the adapter is installed, and not the program that `how` names. */
    readonly alone?: { readonly without: string; readonly how: string };
  };
  readonly upstream: { readonly url: string; readonly routes: readonly string[]; readonly header: string } | null;
  /** The permission mode to set and read back; null when the agent has none and asks by its configuration. */
  readonly mode: string | null;
  /** Further options of a session to set and read back. */
  readonly session_options?: readonly { readonly id: string; readonly value: string }[];
  /**
   * From which status on a tool call has happened. Some agents report `in_progress` and ask for permission after that;
   * taking that for an effect would kill what is only a question.
   */
  readonly tool_use_from: "in_progress" | "completed";
  /** The agent's reaction to a refusal. */
  readonly reject: "asks_model_again" | "ends_turn" | "cancels_turn";
  /** Whether it stops when asked while the model's stream hangs. */
  readonly cancel: "prompt" | "never_in_stream";
  readonly resume: boolean;
  readonly load: boolean;
  readonly usage: UsageRule;
  /** Whether `usage_update` carries the cost. */
  readonly reports_cost: boolean;
  /** Uses no model, so it costs nothing: the only agent whose unknown cost is zero. */
  readonly free?: true;
  readonly limits: AgentLimits;
}

export const LIMITS: AgentLimits = { start_seconds: 60, silence_seconds: 600, cancel_grace_seconds: 5 };
