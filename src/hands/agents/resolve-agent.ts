import type { McpServerHandle } from "./agent.js";
import type {
  AgentAuth,
  AgentLimits,
  AgentSettings,
  ModelPrice,
  UsageRule,
} from "../../model/settings/agent-config.js";
import { PRESETS } from "./presets/presets.js";
import { LIMITS, type Preset } from "./presets/preset.js";

/** An agent with nothing left open: settings over preset over defaults. */
export interface ResolvedAgent {
  readonly name: string;
  readonly preset: Preset | null;
  readonly protocol: "acp" | "command";
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** To be written below the agent's private home before it starts. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly mode: string | null;
  readonly session_options: readonly { readonly id: string; readonly value: string }[];
  readonly auth: AgentAuth;
  readonly relay: boolean;
  /** The model it must work with: it is set, and an attempt with another one is not begun. Null: its own choice. */
  readonly model: string | null;
  /** Its command, variables or files name the model, so that it begins with it. */
  readonly model_at_start: boolean;
  readonly price: ModelPrice | null;
  readonly usage: UsageRule;
  readonly reports_cost: boolean;
  readonly tool_use_from: Preset["tool_use_from"];
  readonly resume: boolean;
  readonly load: boolean;
  readonly mcp_servers: readonly McpServerHandle[];
  readonly limits: AgentLimits;
}

export interface ResolveOptions {
  /** Where the model is reached from inside the sandbox when a key is added on the way, without a `/` at the end. */
  readonly modelUrl?: string;
  /** The dated price of a model, when it is known. */
  readonly priceOf?: (model: string) => ModelPrice | undefined;
}

/** A key that opens nothing: the real one is added outside of the sandbox. */
const PLACEHOLDER_KEY = "coordinator";
const FREE: ModelPrice = { usd_per_million_in: 0, usd_per_million_out: 0, as_of: "2026-01-01" };

export function resolveAgent(name: string, settings: AgentSettings, options: ResolveOptions = {}): ResolvedAgent {
  const preset = settings.preset === undefined ? null : PRESETS[settings.preset];
  const auth = settings.auth ?? defaultAuth(preset);
  const proxied = auth.type === "proxy";
  const files = filesOf(preset, proxied);
  const env = { ...preset?.env, ...(proxied ? preset?.proxy_env : {}) };
  const command = settings.command ?? preset?.command ?? [""];
  const told = [...command, ...Object.values(env), ...files.map(({ text }) => text)];
  const model_at_start = told.some((text) => text.includes("{model}"));
  // A default that the agent is never told would only be a guess about it.
  const model = settings.model ?? settings.models?.[0] ?? (model_at_start ? preset?.default_model : null) ?? null;
  const price = settings.prices ?? (model === null ? undefined : options.priceOf?.(model)) ?? (preset?.free && FREE);
  const fill = (text: string) =>
    text
      .replaceAll("{model_url}", options.modelUrl ?? "http://127.0.0.1:8787")
      .replaceAll("{model}", model ?? "")
      .replaceAll("{key}", PLACEHOLDER_KEY)
      .replaceAll("{price_in}", String(price?.usd_per_million_in ?? 0))
      .replaceAll("{price_out}", String(price?.usd_per_million_out ?? 0));
  const [program, ...args] = command;
  return {
    name,
    preset,
    protocol: settings.protocol ?? preset?.protocol ?? "acp",
    argv: [fill(program ?? ""), ...args.map(fill)],
    env: { ...Object.fromEntries(Object.entries(env).map(([key, value]) => [key, fill(value)])), ...settings.env },
    files: files.map(({ path, text }) => ({ path, text: fill(text) })),
    mode: settings.mode === undefined ? (preset?.mode ?? null) : settings.mode,
    session_options: preset?.session_options ?? [],
    auth,
    relay: settings.relay ?? proxied,
    model,
    model_at_start,
    price: price === undefined ? null : price,
    usage: settings.usage ?? preset?.usage ?? { updates: "each_call", result: "turn" },
    reports_cost: preset?.reports_cost ?? true,
    // For an unknown program, a use reported as under way is taken for done.
    tool_use_from: preset?.tool_use_from ?? "in_progress",
    resume: preset?.resume ?? true,
    load: preset?.load ?? true,
    mcp_servers: settings.mcp_servers.map(({ name, argv: [command = "", ...rest], env }) => ({
      name,
      argv: [command, ...rest],
      env,
    })),
    limits: limitsOf(preset?.limits ?? LIMITS, settings.limits),
  };
}

/** A subscription the person has already logged in to: nothing else works without being told a key. */
function defaultAuth(preset: Preset | null): AgentAuth {
  if (preset === null || preset.login.files.length === 0) return { type: "none" };
  return { type: "own", files: [...preset.login.files], hosts: [...preset.login.hosts] };
}

function limitsOf(base: AgentLimits, set: AgentSettings["limits"]): AgentLimits {
  return {
    start_seconds: set.start_seconds ?? base.start_seconds,
    silence_seconds: set.silence_seconds ?? base.silence_seconds,
    cancel_grace_seconds: set.cancel_grace_seconds ?? base.cancel_grace_seconds,
  };
}

/** The last file of a path holds, so that the proxy's form of a file takes the place of the plain one. */
function filesOf(preset: Preset | null, proxied: boolean): readonly { path: string; text: string }[] {
  const files = new Map<string, string>();
  for (const { path, text, only } of preset?.files ?? []) if (only === undefined || proxied) files.set(path, text);
  return [...files].map(([path, text]) => ({ path, text }));
}
