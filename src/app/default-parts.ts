import { createHash } from "node:crypto";
import type { Parts } from "./plan/planning.js";
import { readPlanFolder, writePlanFolder } from "../hands/store/plan-folder.js";
import { sha256 } from "../hands/store/sha256.js";
import { VERSION } from "../version.js";

/**
 * The hands on a person's machine. Folders of plans are taken from `cwd`; from the working directory of the process when it
 * is absent. Must not load the planner: most commands need these and make no plan.
 */
export function defaultParts(cwd?: string): Parts {
  return {
    sha256,
    sha256Of: (feed) => {
      const hash = createHash("sha256");
      feed((piece) => hash.update(piece));
      return hash.digest("hex");
    },
    coordinatorVersion: VERSION,
    now: () => new Date().toISOString(),
    plans: plansIn(cwd),
  };
}

/** Plans on disk, in folders that are taken from `cwd`. */
export function plansIn(cwd: string | undefined): Parts["plans"] {
  return {
    write: (folder, files) => writePlanFolder(folder, files, cwd),
    read: (folder) => readPlanFolder(folder, cwd),
  };
}
