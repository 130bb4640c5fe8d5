import { isProfile, type Profile, PROFILES } from "./profiles.js";

/** Ways to be broken before the first prompt. */
const FAULTS = [
  "exit",
  "silent",
  "protocol",
  "no-session",
  "mode-ignored",
  "mode-missing",
  "model-ignored",
  "garbage",
] as const;
type Fault = (typeof FAULTS)[number];

export interface Arguments {
  readonly profile: Profile;
  /** The mode it starts in, when that is not the profile's first. */
  readonly mode: string | null;
  /** The models it offers, the first being the one it starts with; none are offered when it is empty. */
  readonly models: readonly string[];
  /** How it offers them: as an option of the session, or in the form of earlier versions of the protocol. */
  readonly models_by: "option" | "models";
  readonly script: string | null;
  readonly faults: readonly Fault[];
  readonly version: boolean;
}

const USAGE_TEXT = `Usage: scripted [--script FILE] [--profile ${Object.keys(PROFILES).join("|")}] [--mode MODE] [--models A,B] [--models-by option|models] [--model MODEL] [--fault ${FAULTS.join("|")}]`;

/** The file of the script, for configurations that name no command. */
const SCRIPT_VARIABLE = "COORDINATOR_SCRIPT";

/** Reads the command line and the environment, or describes what is wrong with them. */
export function readArguments(argv: readonly string[], env: NodeJS.ProcessEnv): Arguments | string {
  const script = env[SCRIPT_VARIABLE] ?? null;
  const found = { profile: "plain", mode: null as string | null, script, version: false };
  const offered = { models: [] as string[], models_by: "option" as "option" | "models" };
  const faults: Fault[] = [];
  for (let i = 0; i < argv.length; i++) {
    const [name = "", value] = [argv[i], argv[i + 1]];
    if (name === "--version") {
      found.version = true;
      continue;
    }
    if (value === undefined) return `${name} needs a value. ${USAGE_TEXT}`;
    if (name === "--profile") found.profile = value;
    else if (name === "--mode") found.mode = value;
    else if (name === "--script") found.script = value;
    else if (name === "--models") offered.models.push(...value.split(",").filter((model) => model !== ""));
    else if (name === "--models-by" && (value === "option" || value === "models")) offered.models_by = value;
    else if (name === "--model") offered.models.unshift(value);
    else if (name === "--fault" && FAULTS.some((fault) => fault === value)) faults.push(value as Fault);
    else return `${name} ${value} is not understood. ${USAGE_TEXT}`;
    i++;
  }
  if (!isProfile(found.profile)) return `There is no profile ${found.profile}. ${USAGE_TEXT}`;
  return { ...found, ...offered, models: [...new Set(offered.models)], profile: PROFILES[found.profile], faults };
}
