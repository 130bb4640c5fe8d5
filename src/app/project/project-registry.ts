import type { ReadBytes } from "../../foundation/files/read-once.js";
import { builtInRegistryDirectory, type LoadedRegistry, loadRegistry } from "../../hands/registry/load-registry.js";
import { EXIT } from "../exit-codes.js";
import { fail, type Finished } from "../report.js";
import type { ProjectRegistry } from "./project.js";
import { findFirst } from "./read-input.js";

const PROJECT_REGISTRY = "governance/registry";

/** The built-in registry, the project's own, then the named ones; later ones override. */
export async function loadProjectRegistry(
  more: readonly string[],
  cwd: string,
  read: ReadBytes,
): Promise<ProjectRegistry> {
  const own = await findFirst([PROJECT_REGISTRY], cwd);
  const directories = [builtInRegistryDirectory(), ...(own === undefined ? [] : [own]), ...more];
  return { ...(await loadRegistry({ directories, from: cwd, read })), directories };
}

/** Reports problems of the registry: it must not be planned with. Null when it is valid. */
export function registryFailure({ diagnostics }: LoadedRegistry): Finished | null {
  if (diagnostics.length === 0) return null;
  const count = diagnostics.length === 1 ? "a problem" : `${diagnostics.length} problems`;
  return fail(EXIT.invalid, "REGISTRY_INVALID", `The registry has ${count}`, {
    problems: diagnostics,
    fix: "Mend the entries; `coordinator registry check` shows whether all is well.",
  });
}
