import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { join } from "node:path";
import { openSync } from "../../../foundation/files/write-files-sync.js";
import { knownSecrets } from "../../../foundation/files/known-secrets.js";
import { SHIM_MARK } from "./survivors.js";

/** A shim that this process started; it may well outlive it. */
export interface SpawnedShim {
  /** Contract: resolves when the program has ended or could not be started; never rejects. */
  readonly exited: Promise<void>;
}

export type SpawnShim = (folder: string) => SpawnedShim;

export interface ShimProgram {
  /** The program and its arguments; the folder of the instance is added to them. It ends in `runShim`. */
  readonly argv: readonly [string, ...string[]];
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Starts shims in a session of their own, with their output in `shim.log`, so that they outlive the person who asked.
 *
 * INVARIANT: what a shim must not write down reaches it through a pipe: nothing else of the machine can look there, as
 * it can at variables and files.
 */
export function shimSpawner({ argv: [program, ...args], env }: ShimProgram): SpawnShim {
  return (folder) => {
    const log = openSync(join(folder, "shim.log"), "a");
    try {
      const child = spawn(program, [...args, folder], {
        cwd: folder,
        detached: true,
        stdio: ["pipe", log, log],
        env: { ...env, [SHIM_MARK]: folder },
      });
      child.unref();
      // A program that ended unheard took nothing.
      child.stdin?.on("error", () => undefined);
      child.stdin?.end(JSON.stringify([...knownSecrets()]));
      return {
        exited: new Promise((resolve) => {
          child.on("error", () => resolve());
          child.on("exit", () => resolve());
        }),
      };
    } finally {
      closeSync(log);
    }
  };
}
