import type { AgentPreset } from "../../../model/settings/agent-config.js";
import { claude } from "./claude.js";
import { codex } from "./codex.js";
import { copilot } from "./copilot.js";
import { gemini } from "./gemini.js";
import { goose } from "./goose.js";
import { opencode } from "./opencode.js";
import type { Preset } from "./preset.js";
import { scripted } from "./scripted.js";

export const PRESETS: Readonly<Record<AgentPreset, Preset>> = {
  claude,
  codex,
  gemini,
  opencode,
  goose,
  copilot,
  scripted,
};
