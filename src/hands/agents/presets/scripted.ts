import { fileURLToPath } from "node:url";
import { KNOWN_LOGINS } from "../../../model/settings/known-logins.js";
import { LIMITS, type Preset } from "./preset.js";

/** Where the program stands. Tests run from the source and start what was built from it. */
const program = fileURLToPath(new URL("../scripted/scripted-agent.mjs", import.meta.url)).replace(
  /([/\\])src([/\\]agents[/\\]scripted[/\\]scripted-agent\.mjs)$/,
  "$1dist$2",
);

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
  deed_from: "in_progress",
  reject: "asks_model_again",
  cancel: "prompt",
  resume: true,
  load: true,
  usage: { updates: "each_call", result: "turn" },
  reports_cost: true,
  free: true,
  limits: LIMITS,
};
