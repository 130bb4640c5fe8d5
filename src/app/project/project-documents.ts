import { basename, dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { IntentLock } from "../../model/plan/intent.js";
import { FactPack, MemoryPack } from "../../model/settings/packs.js";
import { CoordinatorError } from "../../model/errors.js";
import { ExecutionPolicy } from "../../model/plan/policy.js";
import { ScopePolicy } from "../../model/settings/scope-policy.js";
import { readDocument } from "../../foundation/documents/read-document.js";
import type { ReadBytes } from "../../foundation/files/read-once.js";
import { findFirst, type Input, isThere, readInput } from "./read-input.js";

/* Where a project keeps what plans are made from: under the folder somebody stands in, or above it in the repository. */

const POLICY_FILES = [
  "governance/execution-policy.yaml",
  "governance/execution-policy.yml",
  "governance/execution-policy.json",
];
const SCOPE_FILES = ["governance/scope.yaml", "governance/scope.yml", "governance/scope.json"];
export const FACTS_FILE = ".coordinator/facts.json";
export const MEMORY_FILE = ".coordinator/memory.json";

export async function readPolicy(file: string | undefined, cwd: string): Promise<Input<ExecutionPolicy>> {
  const found = file ?? (await findFirst(POLICY_FILES, cwd));
  if (found !== undefined) return readInput(found, ExecutionPolicy, cwd);
  const value = ExecutionPolicy.parse({ schema_version: "1.0.0", policy_id: "policy_default" });
  return { ok: true, value, file: "the default policy", locate: () => ({ line: 1, column: 1 }) };
}

/** Reads the scope policy: what attempts may do from the start, and what none may be given. */
export async function readScopePolicy(cwd: string, read: ReadBytes): Promise<ScopePolicy> {
  const own = await findFirst(SCOPE_FILES, cwd);
  const found = await readInput(
    own ?? fileURLToPath(new URL("../../../policy/scope.yaml", import.meta.url)),
    ScopePolicy,
    cwd,
    (file) => readDocument(file, { from: cwd, read }),
  );
  if (found.ok) return found.value;
  const [first] = found.problems;
  throw new CoordinatorError("DOCUMENT_INVALID", `${own}: ${first?.path ?? ""} ${first?.message ?? ""}`, {
    fix: "Mend the scope policy, or remove it to use the built-in one.",
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
