import { KNOWN_LOGINS } from "../../../model/settings/known-logins.js";
import { LIMITS, type Preset } from "./preset.js";

/** `enabled_providers` always: without it hosted models are offered too. Permissions exist nowhere but here. */
const base = {
  autoupdate: false,
  share: "disabled",
  snapshot: false,
  permission: { edit: "ask", bash: "ask", webfetch: "ask" },
};

const proxied = {
  ...base,
  enabled_providers: ["coordinator"],
  model: "coordinator/{model}",
  small_model: "coordinator/{model}",
  provider: {
    coordinator: {
      npm: "@ai-sdk/openai-compatible",
      name: "Coordinator",
      options: { baseURL: "{model_url}/v1", apiKey: "{key}" },
      models: {
        "{model}": {
          name: "{model}",
          limit: { context: 200_000, output: 8000 },
          cost: { input: "{price_in}", output: "{price_out}" },
        },
      },
    },
  },
};

/** Prices are numbers in the file; a placeholder can only stand in a text. */
const withNumbers = (text: string) => text.replaceAll(/"(\{price_(?:in|out)\})"/g, "$1");

export const opencode: Preset = {
  name: "opencode",
  title: "opencode",
  protocol: "acp",
  command: ["opencode", "acp"],
  version: ["opencode", "--version"],
  install: "npm install -g opencode-ai",
  default_model: "gpt-5",
  env: {
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  },
  proxy_env: {},
  files: [
    { path: ".config/opencode/opencode.json", text: JSON.stringify(base) },
    { path: ".config/opencode/opencode.json", text: withNumbers(JSON.stringify(proxied)), only: "proxy" },
  ],
  login: { ...KNOWN_LOGINS.opencode, how: "opencode auth login; or set a key and auth: proxy" },
  upstream: { url: KNOWN_LOGINS.opencode.upstream, routes: ["POST /v1/chat/completions"], header: "authorization" },
  mode: "build",
  tool_use_from: "completed",
  reject: "ends_turn",
  cancel: "prompt",
  resume: true,
  load: true,
  usage: { updates: "turn_end", result: "last_call" },
  reports_cost: true,
  // It starts slowly and more so beside others.
  limits: { ...LIMITS, start_seconds: 180 },
};
