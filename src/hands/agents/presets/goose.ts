import { KNOWN_LOGINS } from "../../../model/settings/known-logins.js";
import { LIMITS, type Preset } from "./preset.js";

export const goose: Preset = {
  name: "goose",
  title: "goose",
  protocol: "acp",
  command: ["goose", "acp", "--with-builtin", "developer"],
  version: ["goose", "--version"],
  install: "npm install -g @aaif/goose-binary-linux-x64",
  default_model: "gpt-4o",
  env: { GOOSE_MODE: "approve", GOOSE_DISABLE_KEYRING: "1", GOOSE_TELEMETRY_ENABLED: "false" },
  proxy_env: {
    GOOSE_PROVIDER: "openai",
    GOOSE_MODEL: "{model}",
    OPENAI_HOST: "{model_url}",
    OPENAI_API_KEY: "{key}",
  },
  files: [],
  login: { ...KNOWN_LOGINS.goose, how: "goose configure; or set OPENAI_API_KEY and auth: proxy" },
  upstream: { url: KNOWN_LOGINS.goose.upstream, routes: ["POST /v1/chat/completions"], header: "authorization" },
  mode: "approve",
  tool_use_from: "in_progress",
  reject: "asks_model_again",
  cancel: "never_in_stream",
  resume: false,
  load: true,
  usage: { updates: "turn_end", result: "last_call" },
  reports_cost: false,
  // While the model's stream hangs it never hears a cancel: waiting longer gains nothing.
  limits: { ...LIMITS, cancel_grace_seconds: 2 },
};
