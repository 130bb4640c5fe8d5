import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { placeIn } from "../../foundation/documents/path-segments.js";
import { readDocument } from "../../foundation/documents/read-document.js";
import { isBelow } from "../../foundation/files/is-below.js";
import { findBounds } from "../../foundation/files/project-bounds.js";
import type { ReadBytes } from "../../foundation/files/read-once.js";
import { Configuration } from "../../model/settings/configuration.js";
import { type Diagnostic, diagnosticsOf } from "../../model/diagnostic.js";
import { CoordinatorError } from "../../model/errors.js";
import { pickAgreedSettings, foreignSettings } from "./foreign-settings.js";
import { findStanding, type TrustStatus, withoutEffect } from "./trust/trust-status.js";
import { isPlainPreset } from "./trust/agent-reach.js";
import { isSameContent } from "./trust/reach.js";
import { heldAgents, withhold } from "./trust/withhold.js";

/*
 * Where the settings come from: the project's file over the person's own over the defaults. A key is taken whole from
 * the nearest file that has it; agents, models and the toolchains of `workspace.tools` are the exception, because a person
 * adds theirs to the project's. Settings of the project's file that reach beyond the project have effect only when the person
 * agreed to it.
 */

const CONFIGURATION_FILE = "coordinator.yaml";

export interface LoadedConfiguration {
  /** The defaults where there are problems: nothing must be carried out with it then. */
  readonly configuration: Configuration;
  /** Which file each top-level key came from; a key that stands in none is a default. */
  readonly origins: Readonly<Record<string, string>>;
  readonly problems: readonly Diagnostic[];
  /** Requests of the project that reach beyond it, and which of them have effect. */
  readonly trust: TrustStatus;
  /** Variables that the settings say to hold a key, with their values: secrets, whatever the variables are called. */
  readonly keys: readonly (readonly [name: string, value: string | undefined])[];
}

/** A person's own file. */
export function ownSettings(env: NodeJS.ProcessEnv): string {
  const { XDG_CONFIG_HOME: named = "" } = env;
  // Empty or relative it names nothing, as its specification says: it would be a folder of the project.
  const folder = isAbsolute(named) ? named : join(env["HOME"] ?? homedir(), ".config");
  return join(folder, "coordinator", "config.yaml");
}

/** Settings that lie in the project are the repository's, whatever a variable says; unless a home lies in it, too. */
function strayOwnSettings(root: string, file: string, home: string): Diagnostic[] {
  const bounds = findBounds(root);
  if (bounds === null || !isBelow(resolve(file), bounds) || isBelow(resolve(home), bounds)) return [];
  if (!existsSync(file)) return [];
  const message = "would be your own settings and lies inside of the repository, which must not say what you agree to";
  const fix = "Set HOME and XDG_CONFIG_HOME to folders outside of the repository, or unset XDG_CONFIG_HOME.";
  return [{ code: "DOCUMENT_INVALID", path: "", file, message, fix }];
}

/**
 * Contract: throws FILE_UNREADABLE only; a file that is not there has no settings, one that is wrong has problems. Reads
 * and changes nothing else; `keys` are for the caller to register.
 */
export async function loadConfiguration(
  root: string,
  env: NodeJS.ProcessEnv,
  read?: ReadBytes,
): Promise<LoadedConfiguration> {
  const files = { own: ownSettings(env), project: join(root, CONFIGURATION_FILE) };
  const stray = strayOwnSettings(root, files.own, env["HOME"] ?? homedir());
  const own = stray.length > 0 ? { settings: {}, problems: stray } : await settingsIn(files.own, read);
  const project = await settingsIn(files.project, read);
  const parsed = { own: Configuration.parse(own.settings), project: Configuration.parse(project.settings) };
  const { standing, problems: untrusted } = await findStanding(root, env, parsed, read);
  const held = withoutEffect(standing);
  const problems: Diagnostic[] = [
    ...own.problems,
    ...project.problems,
    ...foreignSettings(project.settings, files.project, files.own),
    ...untrusted,
  ];
  const merged = withOwnLimits(mergedSettings(own.settings, withhold(project.settings, held)), own.settings);
  const whole = Configuration.safeParse(problems.length > 0 ? {} : merged);
  if (!whole.success) problems.push(...diagnosticsOf(whole.error, "DOCUMENT_INVALID"));
  const waiting = heldAgents(held);
  const configuration: Configuration = {
    ...(whole.data ?? Configuration.parse({})),
    ...(waiting.length === 0 ? {} : { awaiting_trust: waiting }),
    ...projectAgents(parsed.own, parsed.project),
  };
  const keys = keysNamedIn(configuration).map((name) => [name, env[name]] as const);
  const origins = {
    ...Object.fromEntries(Object.keys(own.settings).map((key) => [key, files.own])),
    ...Object.fromEntries(Object.keys(project.settings).map((key) => [key, files.project])),
  };
  return { configuration, origins, problems, trust: standing, keys };
}

/** A preset under its own name is the program everybody knows by it, no matter who wrote it down. */
function projectAgents(own: Configuration, project: Configuration): Pick<Configuration, "project_agents"> {
  const names = Object.entries(project.agents).flatMap(([name, settings]) => {
    const mine = Object.hasOwn(own.agents, name) ? own.agents[name] : undefined;
    const known =
      mine === undefined ? settings.preset === name && isPlainPreset(settings) : isSameContent(mine, settings);
    return known ? [] : [name];
  });
  const models = Object.entries(project.models).flatMap(([name, settings]) =>
    isSameContent(own.models[name], settings) ? [] : [`model:${name}`],
  );
  const all = [...names, ...models];
  return all.length === 0 ? {} : { project_agents: all };
}

type Settings = Readonly<Record<string, unknown>>;

function mergedSettings(own: object, project: object): Settings {
  const [mine, theirs] = [own as Settings, project as Settings];
  const both = (key: string) =>
    key in mine || key in theirs ? { [key]: { ...(mine[key] as object), ...(theirs[key] as object) } } : {};
  const toolsOf = (settings: Settings) => (settings["workspace"] as { tools?: string[] } | undefined)?.tools ?? [];
  const tools = [...new Set([...toolsOf(mine), ...toolsOf(theirs)])];
  const workspace = (theirs["workspace"] ?? mine["workspace"]) as object | undefined;
  return {
    ...mine,
    ...pickAgreedSettings(own),
    ...theirs,
    ...both("agents"),
    ...both("models"),
    ...both("model_prices"),
    ...dataPaths(mine, theirs),
    ...(tools.length === 0 ? {} : { workspace: { ...workspace, tools } }),
  };
}

/** Limits that a person set for themselves: a project can set lower ones, never higher ones. */
const LIMITS: readonly (readonly [key: string, name?: string])[] = [
  ["calls_per_attempt"],
  ["headroom"],
  ...["memory_mb", "processes", "cpu_minutes", "home_mb"].map((name) => ["sandbox", name] as const),
  ...["most_gigabytes", "most_workspaces"].map((name) => ["workspace", name] as const),
  ["run", "max_concurrent_tasks"],
];

function withOwnLimits(merged: Settings, own: object): Settings {
  return LIMITS.reduce<Settings>((settings, [key, name]) => {
    const part = (of: Settings) => (name === undefined ? of[key] : (of[key] as Settings | undefined)?.[name]);
    const [most, asked] = [part(own as Settings), part(settings)];
    if (typeof most !== "number" || (typeof asked === "number" && asked <= most)) return settings;
    return { ...settings, [key]: name === undefined ? most : { ...(settings[key] as object), [name]: most } };
  }, merged);
}

/** A project can only add to what a person holds confidential, and a person to what the project does. */
function dataPaths(mine: Settings, theirs: Settings): Settings {
  const of = (settings: Settings) => (settings["data_paths"] ?? {}) as Partial<Configuration["data_paths"]>;
  if (!("data_paths" in mine) && !("data_paths" in theirs)) return {};
  const all = (name: keyof Configuration["data_paths"]) => [
    ...new Set([...(of(mine)[name] ?? []), ...(of(theirs)[name] ?? [])]),
  ];
  return { data_paths: { confidential: all("confidential"), restricted: all("restricted") } };
}

/** The variables that settings say to hold a key, whatever they are called. */
function keysNamedIn({ agents, models }: Configuration): string[] {
  const proxies = Object.values(agents).flatMap(({ auth }) => (auth?.type === "proxy" ? [auth.key_env] : []));
  return [...proxies, ...Object.values(models).flatMap(({ key_env }) => key_env ?? [])];
}

/** Each file is checked by itself, so that a problem is reported at its place. */
async function settingsIn(
  file: string,
  read: ReadBytes | undefined,
): Promise<{ settings: object; problems: readonly Diagnostic[] }> {
  const document = await readDocument(file, { read }).catch((error: unknown) => {
    if (error instanceof CoordinatorError && error.code === "FILE_NOT_FOUND") return null;
    throw error;
  });
  if (document === null) return { settings: {}, problems: [] };
  if (!document.ok) {
    const empty = document.diagnostics.every(({ code }) => code === "DOCUMENT_EMPTY");
    return { settings: {}, problems: empty ? [] : document.diagnostics };
  }
  const parsed = Configuration.safeParse(document.value);
  if (parsed.success) return { settings: document.value as object, problems: [] };
  const located = { file, locate: document.locate };
  return { settings: {}, problems: placeIn(located, diagnosticsOf(parsed.error, "DOCUMENT_INVALID")) };
}
