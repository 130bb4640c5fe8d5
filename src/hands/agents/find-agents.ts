import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join, sep } from "node:path";
import type { AgentPreset, AgentSettings } from "../../model/settings/agent-config.js";
import { OUTSIDE } from "../git/nothing-of-clone.js";
import { PRESETS } from "./presets/presets.js";
import type { Preset } from "./presets/preset.js";

/*
 * Which agents a person can use here and what is missing for the others. Of logins only whether a file is there is looked
 * at, and of keys only whether a variable is set: neither is ever read.
 */

export interface FoundAgent {
  readonly name: string;
  readonly preset: AgentPreset | null;
  readonly title: string;
  /** Where its program stands; null when it is not there. */
  readonly program: string | null;
  /** The version it reports; null when it does not start or does not answer in time. */
  readonly version: string | null;
  readonly login: "not_needed" | "login_file" | "key" | "none";
  /** Names only. */
  readonly login_files: readonly string[];
  readonly keys_set: readonly string[];
  /** Folders a sandbox has to show read-only for it to start: what is installed outside of the system's own. */
  readonly needs_mounts: readonly string[];
  readonly ready: boolean;
  /** The command or step that mends it; null when nothing is missing. */
  readonly fix: string | null;
}

export interface Machine {
  readonly path: string;
  readonly home: string;
  /** Whether a variable is set to something. */
  readonly hasVariable: (name: string) => boolean;
}

const VERSION_MS = 10_000;

/** Every preset that the configuration does not say more about, then every agent of the configuration. */
export async function findAgents(
  machine: Machine,
  configured: Readonly<Record<string, AgentSettings>> = {},
): Promise<readonly FoundAgent[]> {
  const presets = Object.values(PRESETS)
    .filter(({ name }) => !Object.hasOwn(configured, name))
    .map((preset) => findPreset(preset.name, preset, undefined, machine));
  const own = Object.entries(configured).map(([name, settings]) =>
    findPreset(name, settings.preset === undefined ? null : PRESETS[settings.preset], settings, machine),
  );
  return Promise.all([...presets, ...own]);
}

async function findPreset(
  name: string,
  preset: Preset | null,
  settings: AgentSettings | undefined,
  machine: Machine,
): Promise<FoundAgent> {
  const [command = ""] = settings?.command ?? preset?.command ?? [];
  const program = await programAt(command, machine.path);
  const files = settings?.auth?.type === "own" ? settings.auth.files : (preset?.login.files ?? []);
  const keys = settings?.auth?.type === "proxy" ? [settings.auth.key_env] : (preset?.login.keys ?? []);
  const present = await Promise.all(
    files.map(async (file) => ((await isFile(join(machine.home, file))) ? [file] : [])),
  );
  const login_files = present.flat();
  const keys_set = keys.filter(machine.hasVariable);
  const login =
    files.length === 0 && keys.length === 0
      ? "not_needed"
      : login_files.length > 0
        ? "login_file"
        : keys_set.length > 0
          ? "key"
          : "none";
  // Only what a preset starts is asked here, outside of every sandbox; any other program never runs outside of one.
  const isPresets = preset !== null && settings?.command === undefined;
  const version = program === null || !isPresets ? null : await versionOf(preset, program, machine);
  const fix =
    program === null
      ? settings?.command === undefined
        ? (preset?.install ?? `Put ${command} on the PATH.`)
        : `There is no program ${command}.`
      : login === "none"
        ? `Log in: ${(await howToLogIn(preset, machine)) ?? `set ${keys.join(" or ")}`}`
        : null;
  return {
    name,
    preset: preset?.name ?? null,
    title: preset?.title ?? name,
    program,
    version,
    login,
    login_files,
    keys_set,
    needs_mounts: program === null ? [] : await mountsOf(program),
    ready: fix === null,
    fix,
  };
}

/** An adapter often brings the program of its agent along without putting it on the PATH. */
async function howToLogIn(preset: Preset | null, { path }: Machine): Promise<string | undefined> {
  const { how, alone } = preset?.login ?? {};
  return alone !== undefined && (await programAt(alone.without, path)) === null ? alone.how : how;
}

async function programAt(command: string, path: string): Promise<string | null> {
  const places = isAbsolute(command)
    ? [command]
    : path
        .split(delimiter)
        .filter(isAbsolute)
        .map((folder) => join(folder, command));
  // A way that begins in the workspace leads nowhere outside.
  if (command === "" || (!isAbsolute(command) && command.includes(sep))) return null;
  for (const place of places) if (await isRunnable(place)) return place;
  return null;
}

const SYSTEM = ["/usr/", "/bin/", "/lib/", "/lib64/", "/sbin/"];

/** A program of npm is a link into a tree of packages, and needs the whole of it. */
async function mountsOf(program: string): Promise<string[]> {
  const real = await realpath(program).catch(() => program);
  const packages = real.lastIndexOf(`${sep}node_modules${sep}`);
  const folder = packages === -1 ? dirname(real) : real.slice(0, packages + `${sep}node_modules`.length);
  return [...new Set([folder, dirname(program)])].filter((each) => !SYSTEM.some((own) => `${each}/`.startsWith(own)));
}

async function isRunnable(place: string): Promise<boolean> {
  try {
    await access(place, constants.X_OK);
    return (await stat(place)).isFile();
  } catch {
    return false;
  }
}

async function isFile(place: string): Promise<boolean> {
  try {
    return (await stat(place)).isFile();
  } catch {
    return false;
  }
}

/** The version's program is often another than the agent's; without it the agent is asked itself. */
async function versionOf(preset: Preset, program: string, machine: Machine): Promise<string | null> {
  const [first, ...args] = preset.version;
  const asked = (await programAt(first, machine.path)) ?? program;
  return new Promise((resolve) => {
    const env = { PATH: machine.path, HOME: machine.home, TERM: "dumb", LANG: "C.UTF-8" };
    // Not in the clone: programs read settings of the folder they are started in, and version managers which program to run.
    const child = spawn(asked, args, { cwd: OUTSIDE, env, stdio: ["ignore", "pipe", "ignore"], detached: true });
    let output = "";
    const timer = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, VERSION_MS);
    child.stdout.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString("utf8")).slice(0, 10_000);
    });
    child.on("error", () => finish(null));
    child.on("close", (code) => finish(code === 0 ? output : null));
    // A child of it may hold the pipe open: what was said until now has to do.
    child.on("exit", (code) => setTimeout(() => finish(code === 0 ? output : null), 1000).unref());
    function finish(text: string | null): void {
      clearTimeout(timer);
      resolve(/\d+\.\d+(?:\.\d+)?[\w.+-]*/.exec(text ?? "")?.[0] ?? null);
    }
  });
}
