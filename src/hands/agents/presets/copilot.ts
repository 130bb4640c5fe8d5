import { KNOWN_LOGINS } from "../../../model/settings/known-logins.js";
import { LIMITS, type Preset } from "./preset.js";

export const copilot: Preset = {
  name: "copilot",
  title: "GitHub Copilot CLI",
  protocol: "acp",
  command: ["copilot", "--acp", "--disable-client-telemetry", "--no-auto-update"],
  version: ["copilot", "--version"],
  install: "npm install -g @github/copilot",
  default_model: "gpt-4.1",
  env: { COPILOT_AUTO_UPDATE: "false" },
  proxy_env: {
    COPILOT_PROVIDER_BASE_URL: "{model_url}/v1",
    COPILOT_PROVIDER_API_KEY: "{key}",
    COPILOT_MODEL: "{model}",
    COPILOT_OFFLINE: "true",
  },
  files: [],
  login: { ...KNOWN_LOGINS.copilot, how: "copilot, then /login; or set a provider key and auth: proxy" },
  upstream: { url: KNOWN_LOGINS.copilot.upstream, routes: ["POST /v1/chat/completions"], header: "authorization" },
  mode: "https://agentclientprotocol.com/protocol/session-modes#agent",
  session_options: [{ id: "allow_all", value: "off" }],
  tool_use_from: "in_progress",
  reject: "ends_turn",
  cancel: "prompt",
  resume: false,
  load: true,
  usage: { updates: "each_call", result: "turn" },
  reports_cost: false,
  limits: LIMITS,
};
