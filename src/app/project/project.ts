import { basename, dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { IntentLock } from "../../model/plan/intent.js";
import { FactPack, MemoryPack } from "../../model/settings/packs.js";
import { CoordinatorError } from "../../model/errors.js";
import { ExecutionPolicy } from "../../model/plan/policy.js";
import { ScopePolicy } from "../../model/settings/scope-policy.js";
import { builtInRegistryDirectory, type LoadedRegistry, loadRegistry } from "../../hands/registry/load-registry.js";
import { EXIT } from "../exit-codes.js";
import { failed, type Finished } from "../report.js";
import { findFirst, type Input, isThere, readInput } from "./read-input.js";

/* Where a project keeps what plans are made from: under the folder somebody stands in, or above it in the repository. */

const PROJECT_REGISTRY = "governance/registry";
const POLICY_FILES = [
  "governance/execution-policy.yaml",
  "governance/execution-policy.yml",
  "governance/execution-policy.json",
];
const SCOPE_FILES = ["governance/scope.yaml", "governance/scope.yml", "governance/scope.json"];
export const FACTS_FILE = ".coordinator/facts.json";
export const MEMORY_FILE = ".coordinator/memory.json";

/** The built-in registry, the project's own, then the named ones; later ones override. */
export async function loadProjectRegistry(
  more: readonly string[],
  cwd: string,
): Promise<LoadedRegistry & { directories: string[] }> {
  const own = await findFirst([PROJECT_REGISTRY], cwd);
  const directories = [builtInRegistryDirectory(), ...(own === undefined ? [] : [own]), ...more];
  return { ...(await loadRegistry({ directories, from: cwd })), directories };
}

/** What to say when the registry has problems: it must not be planned with. Null when it is whole. */
export function registryFailure({ diagnostics }: LoadedRegistry): Finished | null {
  if (diagnostics.length === 0) return null;
  const count = diagnostics.length === 1 ? "a problem" : `${diagnostics.length} problems`;
  return failed(EXIT.invalid, "REGISTRY_INVALID", `The registry has ${count}`, {
    problems: diagnostics,
    fix: "Mend the entries; `coordinator registry check` shows whether all is well.",
  });
}

export async function readPolicy(file: string | undefined, cwd: string): Promise<Input<ExecutionPolicy>> {
  const found = file ?? (await findFirst(POLICY_FILES, cwd));
  if (found !== undefined) return readInput(found, ExecutionPolicy, cwd);
  const value = ExecutionPolicy.parse({ schema_version: "1.0.0", policy_id: "policy_default" });
  return { ok: true, value, file: "the default policy", locate: () => ({ line: 1, column: 1 }) };
}

/** What attempts may do from the start, and what none may be given. */
export async function readScopePolicy(cwd: string): Promise<ScopePolicy> {
  const own = await findFirst(SCOPE_FILES, cwd);
  const read = await readInput(
    own ?? fileURLToPath(new URL("../../../policy/scope.yaml", import.meta.url)),
    ScopePolicy,
    cwd,
  );
  if (read.ok) return read.value;
  const [first] = read.problems;
  throw new CoordinatorError("DOCUMENT_INVALID", `${own}: ${first?.path ?? ""} ${first?.message ?? ""}`, {
    fix: "Mend the scope policy, or remove it to go by the built-in one.",
  });
}

export async function readFacts(file: string | undefined, cwd: string): Promise<Input<FactPack | null>> {
  return readPack(file, FACTS_FILE, FactPack, cwd);
}

export async function readMemory(file: string | undefined, cwd: string): Promise<Input<MemoryPack | null>> {
  return readPack(file, MEMORY_FILE, MemoryPack, cwd);
}

async function readPack<T>(
  file: string | undefined,
  usual: string,
  schema: Parameters<typeof readInput<T>>[1],
  cwd: string,
): Promise<Input<T | null>> {
  const found = file ?? (await findFirst([usual], cwd));
  if (found === undefined) return { ok: true, value: null, file: usual, locate: () => ({ line: 1, column: 1 }) };
  return readInput(found, schema, cwd);
}

/** The lock file that stands beside a v0.9.1 intent. */
export function lockFileOf(intentFile: string): string {
  return join(dirname(intentFile), `${basename(intentFile, extname(intentFile))}.lock.json`);
}

export async function readLock(intentFile: string, cwd: string): Promise<Input<IntentLock | null>> {
  const file = lockFileOf(intentFile);
  if (!(await isThere(resolve(cwd, file))))
    return { ok: true, value: null, file, locate: () => ({ line: 1, column: 1 }) };
  return readInput<IntentLock | null>(file, IntentLock, cwd);
}
