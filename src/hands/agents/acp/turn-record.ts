import type {
  PermissionOptionKind,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionConfigOption,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { AttemptOutcome } from "../../../model/run.js";
import type { Judgement, ScopeAddition, ToolUse } from "../../../model/scope.js";
import type { Account } from "../accounting.js";
import type { AttemptRequest } from "../agent.js";
import type { ResolvedAgent } from "../resolve-agent.js";
import { isModel, modelIn } from "./session-model.js";
import { modeOption, valueOf } from "./session-mode.js";
import { type CallParts, mergeParts, toolUse } from "./tool-use.js";

/*
 * Records words and actions of an agent in one attempt, in their order. Every use of a tool passes the judge: a
 * request is answered, an effect outside of the scope ends the attempt.
 *
 * Everything here is done at once and without waiting: an update that waited could be overtaken by the next one.
 */

interface Call {
  parts: CallParts;
  /** The last judged use, so that a use is judged and reported once. */
  judged: string;
  rejected: boolean;
  done: boolean;
}

export class TurnRecord {
  readonly #request: AttemptRequest;
  readonly #agent: ResolvedAgent;
  readonly #account: Account;
  readonly #onViolation: (outcome: AttemptOutcome) => void;
  readonly #calls = new Map<string, Call>();
  readonly rejected: { use: ToolUse; judgement: Judgement }[] = [];
  readonly questions: string[] = [];
  #addition: ScopeAddition | null = null;
  #text = "";
  #mode: string | null = null;
  /** Set while a loaded session tells its history: that has all been judged before. */
  replaying = false;
  prompted = false;
  cancelled = false;

  constructor(
    request: AttemptRequest,
    agent: ResolvedAgent,
    account: Account,
    onViolation: (outcome: AttemptOutcome) => void,
  ) {
    this.#request = request;
    this.#agent = agent;
    this.#account = account;
    this.#onViolation = onViolation;
  }

  /** Another turn begins: what was said before is not its answer. */
  beginTurn(): void {
    this.#text = "";
  }

  /** The words of the agent after its last tool call. */
  get output(): string {
    return this.#text.trim();
  }

  get mode(): string | null {
    return this.#mode;
  }

  get scopeRequest(): ScopeAddition | null {
    return this.#addition;
  }

  update(update: SessionUpdate): void {
    if (this.replaying) return;
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        return this.#say(update.content.type === "text" ? update.content.text : "");
      case "agent_thought_chunk":
        return this.#account.countOutput(update.content.type === "text" ? update.content.text : "");
      case "tool_call":
      case "tool_call_update":
        return this.#call(update);
      case "plan":
        return this.#request.onEvent({
          type: "plan",
          entries: update.entries.map(({ content, status }) => ({ content, status })),
        });
      case "current_mode_update":
        return this.#changeMode(update.currentModeId);
      case "config_option_update": {
        this.#changeModel(update.configOptions);
        const mode = valueOf(modeOption(update.configOptions));
        return mode === null ? undefined : this.#changeMode(mode);
      }
      case "usage_update":
        return this.#account.update(update.used, update.cost ?? null);
      default:
        return undefined;
    }
  }

  #say(text: string): void {
    this.#text += text;
    this.#account.countOutput(text);
    this.#request.onEvent({ type: "message", text });
  }

  #call(piece: CallParts): void {
    const call = this.#findCall(piece);
    const { status } = call.parts;
    if ((status === "completed" || status === "failed") && !call.done) {
      call.done = true;
      this.#account.toolDone();
      this.#account.countOutput(textOf(call.parts.rawOutput));
    }
    if (!this.#hasHappened(call)) return;
    const use = toolUse(call.parts, "deed", this.#request.sandbox.root);
    const judgement = this.#judge(use);
    for (const { path, access } of use.paths) if (access !== "read") this.#account.countChange(path);
    this.#tell(call, use, status ?? "pending", judgement);
    if (judgement.decision !== "allow") this.#onViolation(violation(use, judgement));
  }

  /** A failed command has run; a failed edit has changed nothing. One that was refused has not happened at all. */
  #hasHappened({ parts, rejected }: Call): boolean {
    if (parts.status === "completed") return true;
    if (parts.status === "in_progress") return this.#agent.tool_use_from === "in_progress";
    return parts.status === "failed" && !rejected && toolUse(parts, "deed", "/").kind === "execute";
  }

  permission({ toolCall, options }: RequestPermissionRequest): RequestPermissionResponse {
    if (this.cancelled) return { outcome: { outcome: "cancelled" } };
    const call = this.#findCall(toolCall);
    const use = toolUse(call.parts, "request", this.#request.sandbox.root);
    const judgement = this.#judge(use);
    this.#tell(call, use, "pending", judgement);
    const option = (kind: PermissionOptionKind) => options.find((offered) => offered.kind === kind);
    if (judgement.decision === "allow") {
      const once = option("allow_once");
      if (once !== undefined) return { outcome: { outcome: "selected", optionId: once.optionId } };
    }
    call.rejected = true;
    this.rejected.push({ use, judgement });
    if (judgement.decision === "ask") this.#collect(judgement.addition);
    if (judgement.decision === "violation" || judgement.decision === "safety") {
      this.#onViolation(violation(use, judgement));
      return { outcome: { outcome: "cancelled" } };
    }
    const no = option("reject_once") ?? option("reject_always");
    return { outcome: no ? { outcome: "selected", optionId: no.optionId } : { outcome: "cancelled" } };
  }

  #findCall(piece: CallParts): Call {
    const id = piece.toolCallId ?? "";
    let call = this.#calls.get(id);
    if (call === undefined) {
      call = { parts: {}, judged: "", rejected: false, done: false };
      this.#calls.set(id, call);
      this.#account.toolCalled();
      this.#text = "";
    }
    call.parts = mergeParts(call.parts, piece);
    return call;
  }

  /** An agent that leaves the mode it was started in no longer asks: that is an effect like any other. */
  #changeMode(mode: string): void {
    const before = this.#mode;
    this.#mode = mode;
    if (!this.prompted || this.#agent.mode === null || mode === this.#agent.mode || mode === before) return;
    const use: ToolUse = {
      tool_call_id: `mode:${mode}`,
      stage: "deed",
      kind: "switch_mode",
      title: `mode ${mode}`,
      paths: [],
      command: null,
      hosts: [],
    };
    const judgement = this.#judge(use);
    this.#request.onEvent({ type: "tool", use, status: "completed", judgement });
    if (judgement.decision !== "allow") this.#onViolation(violation(use, judgement));
  }

  /** The plan priced one model and accepted it for its data: an agent that goes to another one is stopped. */
  #changeModel(options: readonly SessionConfigOption[]): void {
    const { model } = this.#agent;
    const now = modelIn(options);
    if (!this.prompted || model === null || now === null || isModel(now, model)) return;
    const message = `it had to work with the model ${model} and changed to ${now} by itself`;
    this.#onViolation({ kind: "structural", error: "model_unavailable", message });
  }

  /** A judge that fails has allowed nothing. */
  #judge(use: ToolUse): Judgement {
    try {
      return this.#request.judge(use);
    } catch (error) {
      return { decision: "violation", rule_id: "judge_failed", reason: `it could not be judged: ${String(error)}` };
    }
  }

  #tell(call: Call, use: ToolUse, status: string, judgement: Judgement): void {
    const { title: _, ...judged } = use;
    const key = JSON.stringify([judged, status, judgement.decision]);
    if (call.judged === key) return;
    call.judged = key;
    this.#account.toolTold();
    this.#request.onEvent({ type: "tool", use, status, judgement });
  }

  #collect(addition: ScopeAddition | undefined): void {
    const before = this.#addition ?? { commands: [], write: [], network: [] };
    const both = (a: readonly string[], b: readonly string[] = []) => [...new Set([...a, ...b])];
    this.#addition = {
      commands: both(before.commands, addition?.commands),
      write: both(before.write, addition?.write),
      network: both(before.network, addition?.network),
    };
  }
}

function violation(use: ToolUse, { decision, rule_id, reason }: Judgement): AttemptOutcome {
  const what = use.command ?? (use.paths.map(({ path }) => path).join(", ") || use.title);
  const message = `${use.kind} ${what}: ${reason} (${rule_id})`;
  if (decision === "safety") return { kind: "safety", message };
  return { kind: "semantic", violation: rule_id === "judge_failed" ? "rule" : "scope", message };
}

const textOf = (value: unknown) => (value === undefined ? "" : (JSON.stringify(value) ?? "")).slice(0, 1_000_000);
