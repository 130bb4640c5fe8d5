import { crashPoint } from "../../../foundation/processes/crash-points.js";
import type { RunnableEffect } from "../../engine/effect-runner.js";
import { Check, type CheckResult } from "../../../model/settings/check.js";
import type { RunEvent } from "../../../model/event.js";
import type { IntentSpec, Requirement, RequirementResult } from "../../../model/intent-spec.js";
import { requirementsRecord } from "../../../mind/run/record-names.js";
import { type Git, must, readBlob } from "../../integration/merge.js";
import { compileGlob } from "../../../foundation/globs/glob.js";
import { commandCheck, judgeRequirement } from "../judge-requirements.js";
import { listFailing } from "../compare.js";
import type { RunRecords } from "../../attempts/run-records.js";

/*
 * Every requirement of an Intent Spec on one tree: commands and checks run in the sandbox, in a workspace no agent has
 * been in; files are looked at in git. It changes nothing, so after a crash it can simply be run again.
 */

export interface RequirementParts {
  readonly git: Git;
  readonly checks: readonly Check[];
  /** Results on a tree; `known` ones count where they may. */
  readonly run: (tree: string, checks: readonly Check[], known: boolean, signal: AbortSignal) => Promise<CheckResult[]>;
}

/** The proof of each requirement, kept beside the log. */
interface RequirementsRecord {
  readonly spec: { readonly id: string; readonly checksum: string };
  readonly commit: string;
  readonly tree: string;
  readonly results: readonly (RequirementResult & Pick<Requirement, "priority" | "description" | "verification">)[];
  /** Every command that was run, with its exit code and the end of what it printed. */
  readonly runs: readonly CheckResult[];
}

/** Contract: a result for each requirement, in their order; what could not be evaluated says so. */
export async function proveRequirements(
  parts: RequirementParts,
  spec: IntentSpec,
  tree: string,
  signal: AbortSignal,
): Promise<{ readonly results: readonly RequirementResult[]; readonly runs: readonly CheckResult[] }> {
  const wanted = checksFor(spec.requirements, parts.checks);
  const first = wanted.length === 0 ? [] : await parts.run(tree, wanted, true, signal);
  const expected = new Map(
    spec.requirements.flatMap(({ id, verification }) =>
      verification.kind === "command" ? [[commandCheck(id), verification.exit_code] as const] : [],
    ),
  );
  const bad = (result: CheckResult) =>
    expected.has(result.check) ? result.exit_code !== expected.get(result.check) : listFailing(result).length > 0;
  // As with every verdict: what fails is run once more, and what passes then is reported as flaky.
  const doubtful = wanted.filter(({ name }) => first.some((result) => result.check === name && bad(result)));
  const again = doubtful.length === 0 ? [] : await parts.run(tree, doubtful, false, signal);
  const files = await filesOf(parts.git, tree, spec.requirements);
  const seen = {
    tree,
    ...files,
    results: new Map(first.map((result) => [result.check, result])),
    again: new Map(again.map((result) => [result.check, result])),
    tests: parts.checks.filter(({ kind }) => kind === "test").map(({ name }) => name),
  };
  return {
    results: spec.requirements.map((requirement) => judgeRequirement(requirement, seen)),
    runs: [...first, ...again],
  };
}

/** The project's checks that somebody asks about, and each command as one more. */
function checksFor(requirements: readonly Requirement[], checks: readonly Check[]): Check[] {
  const wanted = requirements.flatMap(({ id, verification }) => {
    switch (verification.kind) {
      case "command":
        return [Check.parse({ name: commandCheck(id), run: verification.run, report: { format: "exit_code" } })];
      case "check":
        return checks.filter(({ name }) => name === verification.name);
      case "test":
        return checks.filter(({ name, kind }) =>
          verification.check === undefined ? kind === "test" : name === verification.check,
        );
      default:
        return [];
    }
  });
  return [...new Map(wanted.map((check) => [check.name, check])).values()];
}

/** Enough for every file somebody would ask about by its text; the rest is said not to have been read. */
const MOST_READ = 2000;

async function filesOf(git: Git, tree: string, requirements: readonly Requirement[]) {
  const listed = await must(git, ["ls-tree", "-r", "-z", tree]);
  const entries = listed.split("\0").flatMap((line) => {
    const [, mode, object, path] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
    return mode === undefined || object === undefined || path === undefined ? [] : [{ mode, object, path }];
  });
  const patterns = requirements.flatMap(({ verification }) =>
    verification.kind === "file_contains" ? [compileGlob(verification.path)] : [],
  );
  const asked = entries.filter(({ mode, path }) => mode.startsWith("100") && patterns.some((matches) => matches(path)));
  const texts = new Map<string, string | null>();
  for (const { object, path } of asked.slice(0, MOST_READ)) texts.set(path, await readBlob(git, object));
  return { paths: entries.map(({ path }) => path), text: (path: string) => texts.get(path) ?? null };
}

export interface RequirementsProofParts extends RequirementParts {
  readonly spec: { readonly spec: IntentSpec; readonly checksum: string };
  readonly records: RunRecords;
  /** Where the run's branch points. */
  readonly tip: () => Promise<string>;
}

/** The effect of a run whose tasks are all done. */
export function createRequirementsProof(parts: RequirementsProofParts) {
  return async (
    { round }: Extract<RunnableEffect, { kind: "prove_requirements" }>,
    signal: AbortSignal,
  ): Promise<RunEvent> => {
    const { git, records } = parts;
    const { spec, checksum } = parts.spec;
    const commit = await parts.tip();
    const tree = (await must(git, ["rev-parse", `${commit}^{tree}`])).trim();
    const { results, runs } = await proveRequirements(parts, spec, tree, signal);
    crashPoint("requirements.proven");
    const record: RequirementsRecord = {
      spec: { id: spec.id, checksum },
      commit,
      tree,
      results: results.map((result, i) => ({ ...result, ...describeRequirement(spec.requirements[i] as Requirement) })),
      runs,
    };
    const { ref } = await records.write(requirementsRecord(round), record);
    crashPoint("requirements.written");
    return { type: "requirements_judged", round, commit, tree, results: results.map(shortenResult), ref };
  };
}

function describeRequirement({ priority, description, verification }: Requirement) {
  return { priority, description, verification };
}

/** The log holds what is decided by; all of it stands in the record. */
function shortenResult(result: RequirementResult): RequirementResult {
  const { evidence } = result;
  return { ...result, evidence: evidence.length > 400 ? `${evidence.slice(0, 399)}…` : evidence };
}
