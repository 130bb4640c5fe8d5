import { z } from "zod";
import { diagnosticsOf } from "../../model/diagnostic.js";
import { IntentLock } from "../../model/plan/intent.js";
import { PlanManifest } from "../../model/plan/manifest.js";
import { FactPack, MemoryPack } from "../../model/settings/packs.js";
import { ExecutionPolicy } from "../../model/plan/policy.js";
import { DateTime } from "../../model/primitives.js";
import { AnswerPack } from "../../model/plan/questions.js";
import { Registry } from "../../model/plan/registry.js";
import { renderBundle } from "./bundle.js";
import { type PlanInputs, prepareRegistry } from "./inputs.js";
import { plan } from "./plan.js";
import type { Services } from "./services.js";

/** One file of a plan as it was found: its text, and the SHA-256 of its bytes (a text may hide what bytes show). */
export interface FoundFile {
  readonly text: string;
  readonly sha256: string;
}

interface PlanCheck {
  readonly name: "manifest" | "files" | "inputs" | "derivation";
  readonly passed: boolean;
  readonly detail: string;
}

export interface PlanVerification {
  readonly passed: boolean;
  readonly checks: readonly PlanCheck[];
  readonly manifest: PlanManifest | null;
  /** The first place where what was found is not what the inputs give. */
  readonly difference: {
    readonly file: string;
    readonly line: number;
    readonly found: string;
    readonly expected: string;
  } | null;
}

/**
 * Prove a plan: its files are the ones the manifest seals, and the inputs saved in it give exactly these files again.
 *
 * Contract: pure and total. Any change of one bit in any file is found, in the files that say how to check as well.
 * It proves that the plan follows from its inputs, not who made it.
 */
export function verifyPlan(found: ReadonlyMap<string, FoundFile>, services: Services): PlanVerification {
  const checks: PlanCheck[] = [];
  const check = (name: PlanCheck["name"], problem: string | null, holds: string) => {
    checks.push({ name, passed: problem === null, detail: problem ?? holds });
    return problem === null;
  };
  const manifest = readJson(found, "manifest.json", PlanManifest);
  if (!check("manifest", manifest.problem, "The manifest is whole") || manifest.value === null)
    return { passed: false, checks, manifest: null, difference: null };
  check("files", fileProblem(found, manifest.value), `${found.size} files, each with the bytes the manifest seals`);
  const inputs = readSavedInputs(found, services);
  if (!check("inputs", inputs.problem, "The inputs the plan was made from are readable") || inputs.value === null)
    return { passed: false, checks, manifest: manifest.value, difference: null };
  // A plan is held against the version that made it: only then is a difference a change of the plan.
  const again = deriveAgain(inputs.value, { ...services, coordinatorVersion: manifest.value.coordinator_version });
  const difference = again.files === null ? null : firstDifference(found, again.files);
  const problem =
    again.problem ??
    (difference === null
      ? null
      : `${difference.file}, line ${difference.line}: found ${difference.found}, expected ${difference.expected}`);
  check("derivation", problem, "The inputs give exactly these files again");
  return { passed: checks.every((c) => c.passed), checks, manifest: manifest.value, difference };
}

interface Read<T> {
  readonly value: T | null;
  readonly problem: string | null;
}

function readJson<T>(found: ReadonlyMap<string, FoundFile>, name: string, schema: z.ZodType<T>): Read<T> {
  const file = found.get(name);
  if (file === undefined) return { value: null, problem: `${name} is missing` };
  let document: unknown;
  try {
    document = JSON.parse(file.text);
  } catch (error) {
    return { value: null, problem: `${name} is not JSON: ${(error as Error).message}` };
  }
  const parsed = schema.safeParse(document);
  if (parsed.success) return { value: parsed.data, problem: null };
  const [first] = diagnosticsOf(parsed.error, "PLAN_FILE");
  return { value: null, problem: `${name}: ${first?.path ?? ""}: ${first?.message ?? "is not valid"}` };
}

function fileProblem(found: ReadonlyMap<string, FoundFile>, manifest: PlanManifest): string | null {
  const sealed = { ...manifest.inputs, ...manifest.outputs };
  for (const [name, { file_checksum }] of Object.entries(sealed)) {
    const file = found.get(name);
    if (file === undefined) return `${name} is missing`;
    if (file.sha256 !== file_checksum)
      return `${name} was changed: its bytes give ${file.sha256}, the manifest says ${file_checksum}`;
  }
  const foreign = [...found.keys()].find((name) => name !== "manifest.json" && !Object.hasOwn(sealed, name));
  return foreign === undefined ? null : `${foreign} is not part of the plan`;
}

const Clock = z.strictObject({ instants: z.array(DateTime).min(1) });

function readSavedInputs(found: ReadonlyMap<string, FoundFile>, services: Services): Read<PlanInputs> {
  const read = <T>(name: string, schema: z.ZodType<T>) => readJson(found, `inputs/${name}.json`, schema);
  const answers: Read<AnswerPack>[] = [];
  while (found.has(`inputs/answers-${answers.length + 1}.json`))
    answers.push(read(`answers-${answers.length + 1}`, AnswerPack));
  const parts = {
    intent: read("intent", z.unknown()),
    lock: found.has("inputs/lock.json") ? read<IntentLock | null>("lock", IntentLock) : { value: null, problem: null },
    policy: read("policy", ExecutionPolicy),
    registry: read("registry", Registry),
    facts: read("facts", FactPack.nullable()),
    memory: read("memory", MemoryPack.nullable()),
    clock: read("clock", Clock),
  };
  const problem = [...Object.values(parts), ...answers].find((part) => part.problem !== null)?.problem ?? null;
  const { policy, registry, clock } = parts;
  if (problem !== null || policy.value === null || registry.value === null || clock.value === null)
    return { value: null, problem };
  return {
    problem: null,
    value: {
      intent: parts.intent.value,
      lock: parts.lock.value,
      policy: policy.value,
      registry: prepareRegistry(registry.value, services),
      facts: parts.facts.value,
      memory: parts.memory.value,
      answers: answers.flatMap(({ value }) => (value === null ? [] : [value])),
      instants: clock.value.instants,
    },
  };
}

/** The inputs a saved plan was made from, for going on with it. Null when they cannot be read. */
export function inputsOf(found: ReadonlyMap<string, FoundFile>, services: Services): PlanInputs | null {
  return readSavedInputs(found, services).value;
}

function deriveAgain(
  inputs: PlanInputs,
  services: Services,
): { files: ReadonlyMap<string, string> | null; problem: string | null } {
  const outcome = plan(inputs, services);
  if (outcome.state !== "DONE" && outcome.state !== "AWAITING_ANSWERS")
    return {
      files: null,
      problem: `The saved inputs do not give a plan but end in ${outcome.state}: ${outcome.tape.failure_info?.failure_message ?? ""}`,
    };
  return { files: renderBundle(outcome, inputs, services).files, problem: null };
}

function firstDifference(
  found: ReadonlyMap<string, FoundFile>,
  expected: ReadonlyMap<string, string>,
): PlanVerification["difference"] {
  for (const [file, text] of expected) {
    const actual = found.get(file)?.text;
    if (actual === text) continue;
    if (actual === undefined) return { file, line: 1, found: "nothing", expected: "the file" };
    const lines = actual.split("\n");
    const wanted = text.split("\n");
    const at = wanted.findIndex((line, i) => line !== lines[i]);
    const line = at === -1 ? wanted.length : at;
    return { file, line: line + 1, found: shorten(lines[line]), expected: shorten(wanted[line]) };
  }
  return null;
}

function shorten(line: string | undefined): string {
  if (line === undefined) return "the end of the file";
  const trimmed = line.trim();
  return trimmed.length > 120 ? `${trimmed.slice(0, 119)}…` : trimmed;
}
