import type { NetworkOptions } from "./network/network.js";

/** Options of one sandbox. Paths are absolute paths outside, unless said otherwise. */
export interface SandboxOptions {
  /** Contract: nothing else runs in it. Under a Coordinator of root it is given to the user the sandbox runs as. */
  readonly workspace: string;
  /** Directories of the workspace that may be written, from its root; made when they are absent. */
  readonly writable: "whole" | readonly string[];
  /** Paths from the root of the workspace that stay as they are even where the rest may be written, there or not. */
  readonly protected?: readonly string[];
  /** Folders of programs that are seen inside besides the system. `inside` says where. */
  readonly readOnly?: readonly string[];
  /** Folders of toolchains, seen read-only where they stand; `bin` in them, or they themselves, are searched first. */
  readonly tools?: readonly string[];
  /** Login files and the like, seen read-only below the home directory inside: `{ ".codex/auth.json": "/…" }`. */
  readonly homeFiles?: Readonly<Record<string, string>>;
  /** Caches by their place below the home inside, `{ ".npm": "/home/…/.npm" }`: each sandbox gets copies it may write to. */
  readonly caches?: Readonly<Record<string, string>>;
  /** Where those copies are made, on a disk with room for them; goes with anyone who named it. */
  readonly cachesFolder?: string;
  /** A directory that serves as home and outlives the sandbox, so that an agent can go on with its session. */
  readonly home?: string;
  readonly limits?: Partial<Limits>;
  /** No network when absent. */
  readonly network?: NetworkOptions;
  /** Environment that names the home and the state folder; the variables of this process when absent. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Where running sandboxes are written down, so that `sweepOrphans` finds them after a crash. */
  readonly records: string;
  /** `--unsafe-no-sandbox`: an explicit order for this run to go on where there is no sandbox at all. */
  readonly unsafeNoSandbox?: boolean;
}

export interface Limits {
  readonly minutes: number;
  /** Of one process. */
  readonly cpuSeconds: number;
  /** Bytes of memory all processes may hold together, and of data each of them; unbounded when null. */
  readonly memory: number | null;
  /** Bytes of one file. */
  readonly fileSize: number;
  /** Processes and threads together. */
  readonly processes: number;
  /** Bytes that one process may print on stdout and stderr together. */
  readonly outputBytes: number;
  /** Bytes of each temporary file system: home, temporary directory, shared memory. */
  readonly temporary: number;
}

const MIB = 1024 * 1024;
const DEFAULTS: Limits = {
  minutes: 60,
  cpuSeconds: 3600,
  memory: null,
  fileSize: 2048 * MIB,
  processes: 4096,
  outputBytes: 64 * MIB,
  temporary: 256 * MIB,
};

export function limitsOf(limits: Partial<Limits> = {}): Limits {
  return { ...DEFAULTS, ...limits };
}
