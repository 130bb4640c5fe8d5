import { createHash } from "node:crypto";
import { type Coordinator, createCoordinator, type Parts } from "./coordinator.js";
import { readPlanFolder, writePlanFolder } from "./store/plan-folder.js";
import { sha256 } from "./store/sha256.js";
import { VERSION } from "./version.js";

/** The Coordinator as it runs on a person's machine. The only file that names the hands. */
export function compose(overrides: Partial<Parts> = {}): Coordinator {
  return createCoordinator({ ...defaultParts(), ...overrides });
}

export function defaultParts(): Parts {
  return {
    sha256,
    sha256Of: (feed) => {
      const hash = createHash("sha256");
      feed((piece) => hash.update(piece));
      return hash.digest("hex");
    },
    coordinatorVersion: VERSION,
    now: () => new Date().toISOString(),
    plans: { write: writePlanFolder, read: readPlanFolder },
  };
}
