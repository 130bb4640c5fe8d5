import { basename, join, resolve } from "node:path";
import { z } from "zod";
import { parseJson } from "../../foundation/documents/json-text.js";
import { readText } from "../../foundation/documents/read-document.js";
import { mergeNotes } from "../../mind/propose/memory/notes.js";
import { byCodeUnit } from "../../model/by-code-unit.js";
import { type Diagnostic, diagnosticsOf } from "../../model/diagnostic.js";
import { ExecutionGraph } from "../../model/plan/graph.js";
import { MemoryPack } from "../../model/settings/packs.js";
import { CommandId } from "../../model/primitives.js";
import { learn, learnAnswers, type Observation } from "../../mind/plan/models/learn.js";
import { makeStateFolder, stateFolder } from "../project/state-folder.js";
import { EXIT } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { learntRatios, memoryPack } from "../request/learning.js";
import { collectNotes } from "./memory-notes.js";
import { inputFailure } from "../project/input-failure.js";
import { MEMORY_FILE } from "../project/project-documents.js";
import { isThere, readInput } from "../project/read-input.js";
import { withRuns } from "../inspect/runs-at.js";
import { writeWhole } from "../project/write-file.js";

export interface MemoryArguments {
  readonly project: string | undefined;
  readonly plans: readonly string[];
  readonly observations: string | undefined;
  readonly out: string | undefined;
}

const Observed = z.strictObject({
  command_id: CommandId,
  tokens_in: z.int().min(0),
  tokens_out: z.int().min(0),
  minutes: z.number().min(0),
  failed: z.boolean(),
});

/**
 * Add to the memory pack what plans and runs taught, and what is decided, done and handed over. Notes of people stay;
 * the same plan or observation is counted once, however often it is given.
 *
 * Contract: writes that one file, whole or not at all; what cannot be read is the outcome, and nothing is written then.
 */
export async function buildMemory(args: MemoryArguments, { parts, project, cwd }: CommandContext): Promise<Finished> {
  const out = args.out ?? MEMORY_FILE;
  const before = (await isThere(resolve(cwd, out))) ? await readInput(out, MemoryPack, cwd) : null;
  const observed = args.observations === undefined ? [] : await readObservations(args.observations, cwd);
  const graphs = await Promise.all(
    args.plans.map((folder) => readInput(join(folder, "graph.json"), ExecutionGraph, cwd)),
  );
  const problems = [
    ...(before?.ok === false ? before.problems : []),
    ...observed.flatMap((line) => ("problems" in line ? line.problems : [])),
    ...graphs.flatMap((graph) => (graph.ok ? [] : graph.problems)),
  ];
  if (problems.length > 0 || before?.ok === false) return inputFailure(problems);

  const known = before?.value;
  const seen = new Set(known?.learned_from);
  const isNew = (checksum: string) => !seen.has(checksum) && seen.add(checksum).size > 0;
  const observations = numberObservations(observed.flatMap((line) => ("problems" in line ? [] : [line])))
    .filter(({ key }) => isNew(parts.sha256(key)))
    .map(({ observation }) => observation);
  const plans = graphs.flatMap((graph) => (graph.ok && isNew(graph.value.checksum) ? [graph.value] : []));
  const content = {
    project_id: args.project ?? known?.project_id ?? basename(cwd),
    notes: mergeNotes(known?.notes ?? [], await collectNotes(cwd, project.environment)),
    history: learn(observations, known?.history),
    answers: learnAnswers(plans, known?.answers),
    ...(seen.size === 0 ? {} : { learned_from: [...seen].sort(byCodeUnit) }),
  };
  const learnt = await withRuns(
    project,
    (reader) => learntRatios(reader),
    () => ({}),
  );
  const pack = memoryPack({ ...content, ...learnt }, parts);
  if (args.out === undefined) makeStateFolder(stateFolder(cwd));
  await writeWhole(resolve(cwd, out), `${JSON.stringify(pack, null, 2)}\n`);
  const learned = { observations: observations.length, plans: plans.length };
  return finish(EXIT.done, { type: "memory", pack, learned, writtenTo: out });
}

/**
 * Two attempts may have used the same to the last token: the second line of the same content is another observation, and
 * the first one read again is not.
 */
function numberObservations(
  observations: readonly Observation[],
): { readonly key: string; readonly observation: Observation }[] {
  const times = new Map<string, number>();
  return observations.map((observation) => {
    const text = JSON.stringify(observation);
    const time = (times.get(text) ?? 0) + 1;
    times.set(text, time);
    return { key: `observation ${time} ${text}`, observation };
  });
}

/** One observation a line; empty lines are passed over. */
async function readObservations(file: string, cwd: string): Promise<(Observation | { problems: Diagnostic[] })[]> {
  const read = await readText(file, undefined, { from: cwd });
  if (!read.ok) return [{ problems: [...read.diagnostics] }];
  return read.text.split(/\r?\n/).flatMap((text, i): (Observation | { problems: Diagnostic[] })[] => {
    if (text.trim() === "") return [];
    const at = { file, line: i + 1, column: 1 };
    const json = parseJson(text);
    if (!json.ok) return [{ problems: json.diagnostics.map((problem) => ({ ...problem, ...at })) }];
    const parsed = Observed.safeParse(json.value);
    if (parsed.success) return [parsed.data];
    return [{ problems: diagnosticsOf(parsed.error, "DOCUMENT_INVALID").map((problem) => ({ ...problem, ...at })) }];
  });
}
