import { KNOWN_LOGINS } from "../../../model/settings/known-logins.js";
import { LIMITS, type Preset } from "./preset.js";

/** Without this file the agent ends with code 41 before it says anything. */
const settings = (auth: string) =>
  JSON.stringify({
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    security: { auth: { selectedType: auth }, folderTrust: { enabled: false } },
    telemetry: { enabled: false },
    privacy: { usageStatisticsEnabled: false },
    ide: { enabled: false },
  });

export const gemini: Preset = {
  name: "gemini",
  title: "Gemini CLI",
  protocol: "acp",
  command: ["gemini", "--acp", "-m", "{model}"],
  version: ["gemini", "--version"],
  install: "npm install -g @google/gemini-cli",
  default_model: "gemini-2.5-flash",
  env: { GEMINI_CLI_NO_RELAUNCH: "true" },
  proxy_env: { GEMINI_API_KEY: "{key}", GOOGLE_GEMINI_BASE_URL: "{model_url}" },
  files: [
    { path: ".gemini/settings.json", text: settings("oauth-personal") },
    { path: ".gemini/settings.json", text: settings("gemini-api-key"), only: "proxy" },
  ],
  login: { ...KNOWN_LOGINS.gemini, how: "gemini, then sign in; or set GEMINI_API_KEY and auth: proxy" },
  upstream: {
    url: KNOWN_LOGINS.gemini.upstream,
    routes: ["POST /v1beta/models/*"],
    header: "x-goog-api-key",
  },
  mode: "default",
  tool_use_from: "in_progress",
  reject: "asks_model_again",
  cancel: "prompt",
  resume: false,
  load: false,
  usage: { updates: "none", result: "quota" },
  reports_cost: false,
  limits: LIMITS,
};
