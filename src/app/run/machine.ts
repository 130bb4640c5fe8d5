import { setTimeout as sleep } from "node:timers/promises";
import { builtProgram } from "../../foundation/processes/built-program.js";
import type { EngineClock } from "../../hands/engine/effect-runner.js";
import { type Abilities, findAbilities } from "../../hands/sandbox/grade.js";
import { temporaryDirectory } from "../../hands/workspace/state-places.js";
import { CoordinatorError } from "../../model/errors.js";

/* The parts of this machine that runs and planning agents need: a clock, the shim program, a sandbox. */

export const systemClock: EngineClock = {
  now: () => new Date().toISOString(),
  elapsedMs: () => performance.now(),
  wait: async (ms, signal) => {
    await sleep(Math.min(ms, 2 ** 31 - 1), undefined, { signal });
  },
};

export const SHIM = builtProgram(new URL("../../hands/attempts/shim-main.js", import.meta.url));

/** Contract: throws SANDBOX_MISSING where there is none and nobody ordered to go on without, WORKSPACE_FAILED where no sandbox has room. */
export function requireSandbox(unsafeNoSandbox: boolean): Abilities {
  temporaryDirectory();
  const abilities = findAbilities();
  if (abilities.grade === "none" && !unsafeNoSandbox)
    throw new CoordinatorError(
      "SANDBOX_MISSING",
      `There is no sandbox on this machine: ${abilities.reasons.join("; ")}`,
      {
        fix: `${abilities.fix.join("; ")}, or order this run to go on without one: --unsafe-no-sandbox`,
      },
    );
  return abilities;
}
