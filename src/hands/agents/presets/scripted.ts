import { builtProgram } from "../../../foundation/processes/built-program.js";
import { KNOWN_LOGINS } from "../../../model/settings/known-logins.js";
import { LIMITS, type Preset } from "./preset.js";

const program = builtProgram(new URL("../scripted/scripted-agent.mjs", import.meta.url));

export const scripted: Preset = {
  name: "scripted",
  title: "the scripted agent",
  protocol: "acp",
  command: [process.execPath, program],
  version: [process.execPath, program, "--version"],
  install: "It is part of Coordinator.",
  default_model: null,
  env: {},
  proxy_env: {},
  files: [],
  login: { ...KNOWN_LOGINS.scripted, how: "It needs no login." },
  upstream: null,
  mode: "ask",
  tool_use_from: "in_progress",
  reject: "asks_model_again",
  cancel: "prompt",
  resume: true,
  load: true,
  usage: { updates: "each_call", result: "turn" },
  reports_cost: true,
  free: true,
  limits: LIMITS,
};
