import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
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

/** Starts shims in a session of their own, with their output in `shim.log`, so that they outlive whoever asked. */
export function shimSpawner({ argv: [program, ...args], env }: ShimProgram): SpawnShim {
  return (folder) => {
    const log = openSync(join(folder, "shim.log"), "a");
    try {
      const child = spawn(program, [...args, folder], {
        cwd: folder,
        detached: true,
        stdio: ["ignore", log, log],
        env: { ...env, [SHIM_MARK]: folder },
      });
      child.unref();
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
