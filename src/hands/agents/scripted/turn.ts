import {
  type AgentContext,
  type McpServer,
  methods,
  type PromptResponse,
  RequestError,
  type SessionConfigOption,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { performAction, startDaemon } from "./perform-action.js";
import type { Profile } from "./profiles.js";
import type { Step } from "./script.js";
import { keep, type Session } from "./sessions.js";
import { type ToolAction, actionOf, renderAction } from "./tool-calls.js";
import { useMcp } from "./use-mcp.js";

type Stop = { readonly stop: string };

/** Everything that a session was opened with. */
export interface CommandContext {
  readonly cwd: string;
  readonly servers: readonly McpServer[];
}

/** One prompt, step by step. */
export class Turn {
  readonly #client: AgentContext;
  readonly #session: Session;
  readonly #profile: Profile;
  readonly #cwd: string;
  readonly #servers: readonly McpServer[];
  readonly #signal: AbortSignal;
  readonly #promise: string | null;
  #promises = true;
  readonly #spent = { in: 0, out: 0 };
  #last = { in: 0, out: 0 };
  #calls = 0;

  constructor(
    client: AgentContext,
    session: Session,
    profile: Profile,
    { cwd, servers }: CommandContext,
    signal: AbortSignal,
    promise: string | null,
  ) {
    this.#promise = promise;
    this.#client = client;
    this.#session = session;
    this.#profile = profile;
    this.#cwd = cwd;
    this.#servers = servers;
    this.#signal = signal;
  }

  async follow(steps: readonly Step[]): Promise<PromptResponse> {
    let stop: string | null = null;
    for (const step of steps) {
      if (this.#signal.aborted && this.#profile.hears_cancel) return this.#answer("cancelled");
      const ended = await this.#take(step);
      if (ended === null) continue;
      stop = ended.stop;
      break;
    }
    // Its script is done, so it says what it was asked to say then.
    if (stop === null && this.#promises && this.#promise !== null) await this.#say(`\n${this.#promise}\n`);
    stop ??= "end_turn";
    return this.#answer(this.#signal.aborted && this.#profile.hears_cancel ? "cancelled" : stop);
  }

  async #take(step: Step): Promise<Stop | null> {
    const action = actionOf(step, this.#cwd);
    if (action !== null) return this.#use(step, action);
    if ("plan" in step) {
      const entries = step.plan.map((content) => ({
        content,
        priority: "medium" as const,
        status: "pending" as const,
      }));
      await this.#update({ sessionUpdate: "plan", entries });
    } else if ("say" in step) await this.#say(step.say);
    else if ("think" in step)
      await this.#update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: step.think } });
    else if ("promise" in step) this.#promises = step.promise;
    else if ("answer" in step) await this.#say(`\`\`\`json\n${JSON.stringify(step.answer)}\n\`\`\`\n`);
    else if ("mcp" in step) await this.#say(`${await useMcp(this.#servers, step, this.#cwd).catch(String)}\n`);
    else if ("ask" in step) {
      await this.#say(`\nNEEDS_ANSWER: ${String(step.ask)}`);
      return { stop: "end_turn" };
    } else if ("usage" in step) await this.#spend(step.usage);
    else if ("mode" in step) {
      this.#session.mode = step.mode;
      await this.#update({ sessionUpdate: "current_mode_update", currentModeId: step.mode });
    } else if ("model" in step) {
      this.#session.model = step.model;
      await this.#update({ sessionUpdate: "config_option_update", configOptions: [modelOption(step.model)] });
    } else if ("tell_model" in step) await this.#say(`My model is ${this.#session.model ?? "my own"}.`);
    else if ("stop" in step) return { stop: step.stop };
    else if ("sleep" in step) await this.#wait(step.sleep);
    else if ("hang" in step) return this.#hang(step.ignore_cancel === true);
    else if ("exit" in step) process.exit(step.exit);
    else if ("kill" in step) process.kill(process.pid, "SIGKILL");
    else if ("print" in step) await print(step.print);
    else if ("flood" in step) await flood(step.flood, step.line !== false);
    else if ("daemon" in step) await startDaemon(step.daemon, this.#cwd);
    else if ("fail" in step) throw new RequestError(step.fail.code, step.fail.message, step.fail.data);
    return null;
  }

  /** Announce, ask, do, report: each as the profile does it and the step wants it. */
  async #use(step: Step, action: ToolAction): Promise<Stop | null> {
    const wish = step as { ask?: boolean; report?: boolean };
    const id = `call_${this.#session.prompts}_${this.#calls++}`;
    const asks = wish.ask ?? this.#profile.modes.find((mode) => mode.id === this.#session.mode)?.asks ?? true;
    const tells = wish.report !== false;
    const harmless = action.kind === "read";
    if (tells && this.#profile.announces_call) {
      const status = this.#profile.early_progress || !asks || harmless ? "in_progress" : "pending";
      const call = renderAction(action, id, this.#profile.path_in_call, this.#profile);
      await this.#update({ sessionUpdate: "tool_call", ...call, status });
    }
    if (asks && !harmless && !(await this.#askLeave(action, id))) {
      if (tells) await this.#update({ sessionUpdate: "tool_call_update", toolCallId: id, status: "failed" });
      return this.#profile.on_reject === "again" ? null : { stop: this.#profile.on_reject };
    }
    let status: "completed" | "failed" = "completed";
    let result: string;
    try {
      result = await performAction(
        step,
        action,
        this.#cwd,
        this.#profile.hears_cancel ? this.#signal : new AbortController().signal,
      );
    } catch (error) {
      status = "failed";
      result = error instanceof Error ? error.message : String(error);
    }
    if (!tells) return null;
    const after = this.#profile.announces_call ? {} : renderAction(action, id, ["diff", "locations"], this.#profile);
    const place = action.path === null ? {} : { locations: [{ path: action.path }] };
    await this.#update({
      sessionUpdate: "tool_call_update",
      ...after,
      ...(this.#profile.kind_other ? { ...place, kind: action.kind } : {}),
      toolCallId: id,
      status,
      rawOutput: { result },
    });
    return null;
  }

  async #askLeave(action: ToolAction, id: string): Promise<boolean> {
    const toolCall = {
      ...renderAction(action, id, this.#profile.path_in_permission, this.#profile),
      status: "pending" as const,
    };
    const { outcome } = await this.#client.request(methods.client.session.requestPermission, {
      sessionId: this.#session.id,
      toolCall,
      options: [
        { optionId: "always", name: "Always", kind: "allow_always" },
        { optionId: "once", name: "Once", kind: "allow_once" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
    });
    if (outcome.outcome === "selected" && outcome.optionId === "always") this.#session.mode = "always allowed";
    return outcome.outcome === "selected" && outcome.optionId !== "no";
  }

  async #say(text: string): Promise<void> {
    this.#session.said.push(text);
    keep(this.#session);
    await this.#update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  /** One call of a model that there is not. */
  async #spend(usage: { in: number; out: number; cost_usd?: number | undefined }): Promise<void> {
    this.#last = { in: usage.in, out: usage.out };
    this.#spent.in += usage.in;
    this.#spent.out += usage.out;
    // A session tells its cost from its beginning.
    this.#session.cost += usage.cost_usd ?? 0;
    const { usage_updates } = this.#profile;
    if (usage_updates === "within_call") await this.#tellUsage(usage.in);
    if (usage_updates === "within_call" || usage_updates === "each_call") await this.#tellUsage(usage.in + usage.out);
  }

  async #tellUsage(used: number): Promise<void> {
    const amount = this.#session.cost;
    const cost = this.#profile.reports_cost ? { cost: { amount, currency: "USD" } } : {};
    await this.#update({ sessionUpdate: "usage_update", used, size: 200_000, ...cost });
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#signal.addEventListener("abort", () => {
        if (!this.#profile.hears_cancel) return;
        clearTimeout(timer);
        resolve();
      });
    });
  }

  async #hang(ignoresCancel: boolean): Promise<Stop> {
    // A timer keeps the program alive: a promise alone would let it end.
    const alive = setInterval(() => undefined, 60_000);
    await new Promise<void>((resolve) => {
      if (!ignoresCancel && this.#profile.hears_cancel) this.#signal.addEventListener("abort", () => resolve());
    });
    clearInterval(alive);
    return { stop: "cancelled" };
  }

  async #answer(stop: string): Promise<PromptResponse> {
    const { in: sent, out } = this.#spent;
    if (this.#profile.usage_updates === "turn_end" && sent + out > 0)
      await this.#tellUsage(this.#last.in + this.#last.out);
    const stopReason = stop as PromptResponse["stopReason"];
    const count = (tokens: { in: number; out: number }) => ({
      inputTokens: tokens.in,
      outputTokens: tokens.out,
      totalTokens: tokens.in + tokens.out,
    });
    const { result_usage } = this.#profile;
    if (sent + out === 0 || result_usage === "none") return { stopReason };
    if (result_usage === "quota")
      return { stopReason, _meta: { quota: { token_count: { input_tokens: sent, output_tokens: out } } } };
    const usage = count(result_usage === "turn" ? this.#spent : this.#last);
    return { stopReason, usage } as PromptResponse;
  }

  async #update(update: SessionUpdate): Promise<void> {
    await this.#client.notify(methods.client.session.update, { sessionId: this.#session.id, update });
  }
}

/** The option by which a session tells its model. */
export function modelOption(current: string, models: readonly string[] = [current]): SessionConfigOption {
  return {
    id: "model",
    name: "Model",
    category: "model",
    type: "select",
    currentValue: current,
    options: models.map((each) => ({ value: each, name: each })),
  };
}

export function print(text: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve()));
}

async function flood(bytes: number, lines: boolean): Promise<void> {
  const piece = lines ? `${"x".repeat(1023)}\n` : "x".repeat(1024);
  for (let written = 0; written < bytes; written += 65_536) await print(piece.repeat(64));
}
