import { basename, join, resolve } from "node:path";
import { z } from "zod";
import { parseJson } from "../../documents/json-text.js";
import { readText } from "../../documents/read-document.js";
import { type Diagnostic, diagnosticsOf } from "../../model/diagnostic.js";
import { ExecutionGraph } from "../../model/graph.js";
import { MemoryPack } from "../../model/packs.js";
import { CommandId } from "../../model/primitives.js";
import { learn, learnAnswers, type Observation } from "../../plan/learn.js";
import { makeStateFolder, stateFolder } from "../../runs/state-folder.js";
import { EXIT } from "../exit-codes.js";
import { finished, type Finished } from "../report.js";
import type { Surroundings } from "../surroundings.js";
import { inputFailure, MEMORY_FILE } from "./project.js";
import { isThere, readInput } from "./read-input.js";
import { writeWhole } from "./write-file.js";

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

/** Add to the memory pack what plans and runs taught; notes and what it knew before stay. */
export async function buildMemory(args: MemoryArguments, { parts }: Surroundings): Promise<Finished> {
  const out = args.out ?? MEMORY_FILE;
  const before = (await isThere(out)) ? await readInput(out, MemoryPack) : null;
  const observed = args.observations === undefined ? [] : await readObservations(args.observations);
  const graphs = await Promise.all(args.plans.map((folder) => readInput(join(folder, "graph.json"), ExecutionGraph)));
  const problems = [
    ...(before?.ok === false ? before.problems : []),
    ...observed.flatMap((line) => ("problems" in line ? line.problems : [])),
    ...graphs.flatMap((graph) => (graph.ok ? [] : graph.problems)),
  ];
  if (problems.length > 0 || before?.ok === false) return inputFailure(problems);

  const known = before?.value;
  const observations = observed.flatMap((line) => ("problems" in line ? [] : [line]));
  const content = {
    project_id: args.project ?? known?.project_id ?? basename(resolve(".")),
    notes: known?.notes ?? [],
    history: learn(observations, known?.history),
    answers: learnAnswers(
      graphs.flatMap((graph) => (graph.ok ? [graph.value] : [])),
      known?.answers,
    ),
  };
  const pack = MemoryPack.parse({
    schema_version: "1.0.0",
    pack_id: `memory_${parts.sha256(JSON.stringify(content)).slice(0, 16)}`,
    collected_at: parts.now(),
    ...content,
  });
  if (args.out === undefined) makeStateFolder(stateFolder("."));
  await writeWhole(out, `${JSON.stringify(pack, null, 2)}\n`);
  const learned = { observations: observations.length, plans: graphs.length };
  return finished(EXIT.done, { type: "memory", pack, learned, writtenTo: out });
}

/** One observation a line; empty lines are passed over. */
async function readObservations(file: string): Promise<(Observation | { problems: Diagnostic[] })[]> {
  const read = await readText(file);
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
