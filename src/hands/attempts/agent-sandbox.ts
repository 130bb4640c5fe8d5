import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { resolveAgent } from "../agents/resolve-agent.js";
import type { AgentAuth, AgentSettings } from "../../model/settings/agent-config.js";
import type { Configuration } from "../../model/settings/configuration.js";
import { CoordinatorError } from "../../model/errors.js";
import type { NetworkOptions } from "../sandbox/network/network.js";
import { type OpenSandbox, openSandbox } from "../sandbox/open-sandbox.js";
import { peopleHere } from "../sandbox/shown/secret-places.js";
import { refuseSecret, requireShowable } from "../sandbox/shown/shown-places.js";
import type { Limits } from "../sandbox/options.js";
import { findOnPath, programPaths } from "./agent-program.js";

/*
 * The sandbox of one agent: its program, its login or the way to its model, and nothing else of this machine. Attempts and
 * `doctor` open it in the same way, so what doctor tries is what a run does.
 */

export interface AgentSandboxOptions {
  readonly name: string;
  readonly settings: AgentSettings;
  readonly workspace: string;
  readonly home: string;
  readonly limits: Partial<Limits>;
  /** Hosts its scope adds to those of its login. */
  readonly hosts: readonly string[];
  /** Addresses of this machine and its neighbours that the person's own settings list. */
  readonly innerHosts: readonly string[];
  /** Toolchains of the project, absolute or `~/…`. */
  readonly tools: readonly string[];
  /** Folders of the person's home, `~/…`, to be shown read-only. */
  readonly shown: readonly string[];
  /** Caches of the person's home, `~/…`, that it gets copies of, and where those are made. */
  readonly caches: readonly string[];
  readonly cachesFolder?: string;
  readonly records: string;
  readonly unsafeNoSandbox: boolean;
  /** PATH, HOME and the variables that hold keys are looked at. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Contract: as `openSandbox`; throws USAGE too when the key of its model is not set. The settings name programs as they stand inside. */
export async function openAgentSandbox(
  options: AgentSandboxOptions,
): Promise<{ readonly sandbox: OpenSandbox; readonly settings: AgentSettings }> {
  const { settings, environment } = options;
  const resolved = resolveAgent(options.name, settings);
  const path = environment["PATH"] ?? "";
  const argv = locateProgram(settings.command ?? resolved.argv, path);
  const servers = settings.mcp_servers.map((server) => ({ ...server, argv: locateProgram(server.argv, path) }));
  const network = networkFor(resolved.auth, options, environment);
  const sandbox = await openSandbox({
    workspace: options.workspace,
    writable: "whole",
    readOnly: [
      ...new Set([
        ...programPaths(argv, path, ownArguments(argv, resolved.preset?.command ?? [])),
        ...servers.flatMap((server) => programPaths(server.argv, path)),
      ]),
    ],
    tools: toolFolders(options.tools, environment),
    homeFiles: { ...chooseShownFolders(options.shown, environment), ...loginFiles(resolved.auth, environment) },
    caches: cachesInHome(options.caches, environment),
    ...(options.cachesFolder === undefined ? {} : { cachesFolder: options.cachesFolder }),
    home: options.home,
    limits: options.limits,
    ...(network === null ? {} : { network }),
    records: options.records,
    unsafeNoSandbox: options.unsafeNoSandbox,
  });
  // Programs stand elsewhere inside: what names one of them is told its place there.
  const inside = (word: string) => (isAbsolute(word) && existsSync(word) ? (sandbox.inside(word) ?? word) : word);
  const mcp_servers = servers.map((server) => ({ ...server, argv: server.argv.map(inside) }));
  return { sandbox, settings: { ...settings, command: argv.map(inside), mcp_servers } };
}

/** The arguments of a command that begins as its preset's does: those are parts of the program. */
function ownArguments(argv: readonly string[], preset: readonly string[]): string[] {
  const isOwn = preset.every((word, i) => i === 0 || word === argv[i]);
  return isOwn ? preset.slice(1) : [];
}

/** The PATH inside is another one: a program is called by its place, not by its name. */
function locateProgram([program = "", ...rest]: readonly string[], path: string): string[] {
  return [findOnPath(program, path) ?? program, ...rest];
}

/** The limits a project sets for everything that runs in a sandbox. */
export function limitsIn({ memory_mb, processes, cpu_minutes }: Configuration["sandbox"]): Partial<Limits> {
  return {
    ...(memory_mb === undefined ? {} : { memory: memory_mb * 1024 * 1024 }),
    ...(processes === undefined ? {} : { processes }),
    ...(cpu_minutes === undefined ? {} : { cpuSeconds: Math.ceil(cpu_minutes * 60) }),
  };
}

/**
 * Folders `~/…` by their place below the home inside. A folder that does not exist is not shown.
 *
 * Contract: throws USAGE for one that people keep logins or keys in, by whatever way it is named.
 */
export function chooseShownFolders(
  folders: readonly string[],
  environment: NodeJS.ProcessEnv,
): Readonly<Record<string, string>> {
  const shown = inHome(
    folders.map((folder) => folder.replace(/^~\//, "").replace(/\/+$/, "")),
    environment,
  );
  const people = peopleHere(environment);
  for (const place of Object.values(shown)) requireShowable(place, people);
  return shown;
}

/**
 * Caches `~/…` by their place below the home inside. One that is not there yet is given as an empty folder.
 *
 * Contract: as `chooseShownFolders`.
 */
export function cachesInHome(
  folders: readonly string[],
  environment: NodeJS.ProcessEnv,
): Readonly<Record<string, string>> {
  const home = environment["HOME"] ?? homedir();
  const people = peopleHere(environment);
  const caches = folders.map((folder) => folder.replace(/^~\//, "").replace(/\/+$/, ""));
  return Object.fromEntries(
    caches.map((name) => {
      const place = join(home, name);
      if (existsSync(place)) requireShowable(place, people);
      else refuseSecret(place, place, people);
      return [name, place];
    }),
  );
}

/** Toolchains by their absolute places. */
export function toolFolders(tools: readonly string[], environment: NodeJS.ProcessEnv): string[] {
  return tools.map((folder) => folder.replace(/^~(?=\/)/, environment["HOME"] ?? homedir()));
}

function loginFiles(auth: AgentAuth, environment: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  // A preset names every file a login may be in; few people have all of them.
  return auth.type === "own" ? inHome(auth.files, environment) : {};
}

function inHome(paths: readonly string[], environment: NodeJS.ProcessEnv): Record<string, string> {
  const home = environment["HOME"] ?? homedir();
  return Object.fromEntries(
    paths.map((path) => [path, join(home, path)] as const).filter(([, place]) => existsSync(place)),
  );
}

/** Null: there is no way out at all. */
function networkFor(
  auth: AgentAuth,
  { hosts: more, innerHosts }: Pick<AgentSandboxOptions, "hosts" | "innerHosts">,
  environment: NodeJS.ProcessEnv,
): NetworkOptions | null {
  // A project can name hosts of a login only as its maker has them: any other stands in the person's own settings.
  const own = auth.type === "own" ? auth.hosts : [];
  const hosts = [...own, ...more];
  const reached: NetworkOptions = hosts.length === 0 ? {} : { hosts, inner: [...own, ...innerHosts] };
  if (auth.type !== "proxy") return hosts.length === 0 ? null : reached;
  const key = environment[auth.key_env];
  if (key === undefined || key === "")
    throw new CoordinatorError(
      "USAGE",
      `The variable ${auth.key_env} is not set, and the agent's model needs its key`,
      {
        fix: `Set ${auth.key_env} where the Coordinator runs.`,
      },
    );
  const value = auth.header.toLowerCase() === "authorization" ? `Bearer ${key}` : key;
  const allow = auth.routes.map((route) => {
    const [method = "", path = ""] = route.split(" ");
    return { method, path };
  });
  return { ...reached, keyProxies: { model: { upstream: auth.upstream, allow, headers: { [auth.header]: value } } } };
}
