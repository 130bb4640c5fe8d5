import { KNOWN_LOGINS } from "../../../model/settings/known-logins.js";
import { LIMITS, type Preset } from "./preset.js";

/** The agent ignores `sandbox_mode` over ACP and acts without asking unless its mode is set. */
const CONFIG = `model = "{model}"
approval_policy = "on-request"
sandbox_mode = "workspace-write"
check_for_update_on_startup = false
[analytics]
enabled = false
[otel]
exporter = "none"
metrics_exporter = "none"
[features]
plugins = false
apps = false
`;

const PROVIDER = `model_provider = "coordinator"
${CONFIG}[model_providers.coordinator]
name = "Coordinator"
base_url = "{model_url}/v1"
env_key = "COORDINATOR_MODEL_KEY"
wire_api = "responses"
request_max_retries = 0
`;

export const codex: Preset = {
  name: "codex",
  title: "Codex",
  protocol: "acp",
  command: ["codex-acp"],
  version: ["codex", "--version"],
  install: "npm install -g @agentclientprotocol/codex-acp",
  default_model: "gpt-5.5",
  env: { INITIAL_AGENT_MODE: "read-only" },
  proxy_env: { COORDINATOR_MODEL_KEY: "{key}" },
  files: [
    { path: ".codex/config.toml", text: CONFIG },
    { path: ".codex/config.toml", text: PROVIDER, only: "proxy" },
  ],
  login: {
    ...KNOWN_LOGINS.codex,
    how: "codex login; or set OPENAI_API_KEY and auth: proxy",
    alone: { without: "codex", how: "npx @openai/codex login; or set OPENAI_API_KEY and auth: proxy" },
  },
  upstream: { url: KNOWN_LOGINS.codex.upstream, routes: ["POST /v1/responses"], header: "authorization" },
  mode: "read-only",
  tool_use_from: "completed",
  reject: "cancels_turn",
  cancel: "prompt",
  resume: true,
  load: true,
  usage: { updates: "each_call", result: "turn" },
  reports_cost: false,
  limits: LIMITS,
};
