import { prepareRegistry } from "../../mind/plan/inputs.js";
import { precheck } from "../../mind/plan/rules/precheck.js";
import type { Guard } from "../../mind/plan/transition.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { placeIn } from "../../foundation/documents/path-segments.js";
import { inputFailure } from "../project/input-failure.js";
import { readLock, readPolicy } from "../project/project-documents.js";
import { registryFailure } from "../project/project-registry.js";
import { readRaw } from "../project/read-input.js";

export interface CheckArguments {
  readonly file: string;
  readonly policy: string | undefined;
  readonly registries: readonly string[];
}

/**
 * Everything that can be said of an intent without planning it: the engine's own first checks, all of them.
 *
 * Contract: changes nothing. Problems are the outcome, each with its place.
 */
export async function checkIntent(args: CheckArguments, { parts, project, cwd }: CommandContext): Promise<Finished> {
  const intent = await readRaw(args.file, cwd);
  const lock = await readLock(args.file, cwd);
  const policy = await readPolicy(args.policy, cwd);
  if (!intent.ok || !lock.ok || !policy.ok)
    return inputFailure([intent, lock, policy].flatMap((input) => (input.ok ? [] : input.problems)));
  const registry = await project.registry(args.registries);
  const broken = registryFailure(registry);
  if (broken !== null) return broken;

  const { guards, parsed } = precheck(
    {
      intent: intent.value,
      lock: lock.value,
      policy: policy.value,
      registry: prepareRegistry(registry.registry, parts),
      facts: null,
      memory: null,
      answers: [],
      instants: [parts.now()],
    },
    parts,
  );
  const failing = guards.filter((guard) => !guard.passed);
  const problems = failing.flatMap(
    ({ guard_name, reason, onFail }) =>
      onFail?.diagnostics ?? [{ code: guard_name.toUpperCase(), path: "", message: reason }],
  );
  return finish(exitCodeOf(failing), {
    type: "intent_check",
    file: args.file,
    intentId: parsed?.intent.id ?? null,
    schemaVersion: parsed?.schemaVersion ?? null,
    checks: guards.map(({ guard_name, passed, reason }) => ({ name: guard_name, passed, reason })),
    problems: placeIn(intent, problems),
    recovery: [...new Set(failing.flatMap(({ onFail }) => onFail?.recovery ?? []))],
  });
}

/** A red line is refused even where the document is wrong as well; a wrong document cannot be judged further. */
function exitCodeOf(failing: readonly Guard[]): ExitCode {
  if (failing.length === 0) return EXIT.done;
  if (failing.some(({ onFail }) => onFail?.state === "ABORTED")) return EXIT.refused;
  return failing.some(({ onFail }) => onFail?.invalidInput === true) ? EXIT.invalid : EXIT.refused;
}
