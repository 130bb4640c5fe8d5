import type { AttachedImage } from "../../model/attached-image.js";
import type { Amounts, AttemptOutcome, Usage } from "../../model/run.js";
import type { Judgement, Scope, ScopeAddition, ToolUse } from "../../model/scope.js";
import type { Sandbox } from "../sandbox/sandbox.js";

/*
 * The port to a coding agent: one attempt at one task. Whatever program stands behind it, it is started in a sandbox, its
 * tool uses are judged by rule, and every way it can end is one of a few values.
 */

export interface McpServerHandle {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  /** Names of variables: their values are looked up when a session begins, and stand nowhere. */
  readonly env?: readonly string[];
}

export interface AttemptRequest {
  readonly prompt: string;
  /** The documents the task was given, and no others. They are put into the prompt, in this order. */
  readonly context: readonly {
    readonly ref: string;
    readonly text: string;
    /** Given as it is to agents that take images; all others read what the text says of it. */
    readonly image?: AttachedImage | undefined;
  }[];
  readonly scope: Scope;
  /** The amounts reserved for this attempt. At most the one turn in flight goes beyond it. */
  readonly budget: Amounts;
  readonly sandbox: Sandbox;
  /**
   * Names a session to go on with: of this same attempt, after a wait or an adoption, or of an earlier attempt at the same
   * task whose scope a person has widened. Never one of another task.
   */
  readonly session_id?: string;
  /** A JSON schema the final answer must match; a text that does not is a structural failure. */
  readonly output_schema?: Readonly<Record<string, unknown>>;
  /** MCP servers handed to the agent at the start of its session; they run inside the sandbox. */
  readonly mcp_servers: readonly McpServerHandle[];
  readonly signal: AbortSignal;
  /** Contract: pure and immediate. Every tool use passes here, asked for or seen. */
  readonly judge: (use: ToolUse) => Judgement;
  /** Contract: records and returns; never waits, never throws. */
  readonly onEvent: (event: AgentEvent) => void;
  /**
   * Asked after each turn that the agent ended itself as done: the next prompt in the same session, or null when the
   * attempt is over. Absent for one turn. Contract: never throws; resolves soon after the signal is set.
   */
  readonly next?: (turn: EndedTurn) => Promise<string | null>;
}

/** A turn that the agent ended itself. */
export interface EndedTurn {
  /** The last words of the agent in it. */
  readonly output: string;
  /** Usage of the attempt so far, this turn included. */
  readonly usage: Usage;
}

export type AgentEvent =
  | { readonly type: "session"; readonly session_id: string }
  | { readonly type: "message"; readonly text: string }
  | { readonly type: "plan"; readonly entries: readonly { readonly content: string; readonly status: string }[] }
  | { readonly type: "tool"; readonly use: ToolUse; readonly status: string; readonly judgement: Judgement }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "stopped"; readonly reason: string };

export interface AgentEnding {
  readonly outcome: AttemptOutcome;
  readonly usage: Usage;
  /** The last words of the agent; checked against the schema where one was given. */
  readonly output: string;
  /** The parsed answer, when a schema was given and it matched. */
  readonly structured?: unknown;
  readonly session_id: string | null;
  /** Remarks on the attempt beside how it ended, in words. */
  readonly notes?: readonly string[];
  /** Present when the agent asked for more than its scope and a person may add it. */
  readonly scope_request?: ScopeAddition;
  /** Uses that the agent asked for and was refused. An ending after a refusal is not success by itself: the verdict decides. */
  readonly rejected?: readonly { readonly use: ToolUse; readonly judgement: Judgement }[];
  /** How each count of the usage came about; `priced`: tokens the agent reported, at the prices of a dated table. */
  readonly accounting?: {
    readonly tokens: "reported" | "estimated";
    readonly cost: "reported" | "priced" | "estimated";
  };
}

export interface Agent {
  readonly name: string;
  /**
   * Contract: never rejects. Every ending is a value: completed, a structural failure, a semantic one (an effect outside
   * of the scope: everything is killed at once), a budget reached, or cancelled by the signal. When it resolves, nothing
   * it started runs any more.
   */
  readonly attempt: (request: AttemptRequest) => Promise<AgentEnding>;
}
