import type { Readable, Writable } from "node:stream";
import type { SandboxGrade } from "../../model/scope.js";

/*
 * A sandbox is made ready for one attempt: whatever is started in it sees the workspace and nothing of the
 * machine, and dies with it. Agents and checks are started through a sandbox and in no other way.
 */

export interface SandboxedCommand {
  /** The program and its arguments, as they are inside. */
  readonly argv: readonly [string, ...string[]];
  /** The whole environment: nothing is inherited. The sandbox adds PATH, HOME, TMPDIR and LANG when they are absent. */
  readonly env?: Readonly<Record<string, string>>;
  /** From the root of the workspace; the root when absent. */
  readonly cwd?: string;
}

export interface SandboxedExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why it could not be started, or which limit ended it, in words. */
  readonly error?: string;
  /** The limit that was reached, when that is why it ended. */
  readonly limit?: "minutes" | "output_bytes" | "memory";
}

export interface SandboxedProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Contract: resolves once, also when the program could not be started; never rejects. */
  readonly exited: Promise<SandboxedExit>;
  /** Contract: SIGKILL to everything it started, double-forked or not; calling it twice is calling it once. */
  readonly kill: () => void;
}

export interface Sandbox {
  readonly grade: SandboxGrade;
  /** Where the workspace stands inside, absolute. Paths that agents report are below it. */
  readonly root: string;
  /** Contract: from the main thread only; never throws, a failure to start is an exit. */
  readonly spawn: (command: SandboxedCommand) => SandboxedProcess;
  /** Contract: ends everything that still runs in it and removes what it made outside of the workspace. */
  readonly close: () => Promise<void>;
}
