import { KNOWN_LOGINS } from "../../../model/settings/known-logins.js";
import { LIMITS, type Preset } from "./preset.js";

export const claude: Preset = {
  name: "claude",
  title: "Claude Code",
  protocol: "acp",
  command: ["claude-agent-acp"],
  version: ["claude", "--version"],
  install: "npm install -g @agentclientprotocol/claude-agent-acp",
  default_model: null,
  env: {
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
  },
  proxy_env: { ANTHROPIC_BASE_URL: "{model_url}", ANTHROPIC_API_KEY: "{key}" },
  files: [],
  login: {
    ...KNOWN_LOGINS.claude,
    how: "claude, then /login; or set ANTHROPIC_API_KEY and auth: proxy",
    alone: {
      without: "claude",
      how: "claude-agent-acp --cli auth login --claudeai; or set ANTHROPIC_API_KEY and auth: proxy",
    },
  },
  upstream: {
    url: KNOWN_LOGINS.claude.upstream,
    routes: ["POST /v1/messages", "POST /v1/messages/count_tokens"],
    header: "x-api-key",
  },
  mode: "default",
  tool_use_from: "in_progress",
  reject: "asks_model_again",
  cancel: "prompt",
  resume: true,
  load: true,
  usage: { updates: "within_call", result: "turn" },
  reports_cost: true,
  limits: LIMITS,
};
