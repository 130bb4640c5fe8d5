import { join } from "node:path";
import { CoordinatorError } from "../../model/errors.js";
import { MemoryPack } from "../../model/settings/packs.js";
import { learnRatios } from "../../mind/plan/models/learn.js";
import type { Services } from "../../mind/plan/services.js";
import { figuresOfRuns } from "../inspect/all-figures.js";
import type { StateFolder } from "../project/state-folder.js";
import type { EventReader } from "../../hands/store/event-store.js";
import { type Input, isThere, readInput } from "../project/read-input.js";
import { writeWhole } from "../project/write-file.js";

/*
 * Estimates learnt from runs are in the memory pack: a document that plans are made from and keep a copy of.
 * Equal packs give equal plans, whatever was learnt since.
 */

/** Learnt from the newest runs only: what agents needed long ago says little, and every end of a run reads these logs. */
const LEARNT_FROM = 200;

export type PackContent = Pick<MemoryPack, "project_id" | "notes" | "history" | "answers" | "learned_from" | "ratios">;

interface Parts extends Services {
  readonly now: () => string;
}

/** Contract: the id follows from what the pack says, so that two packs that say the same have the same. */
export function memoryPack(content: PackContent, parts: Parts): MemoryPack {
  return MemoryPack.parse({
    schema_version: "1.0.0",
    pack_id: `memory_${parts.sha256(JSON.stringify(content)).slice(0, 16)}`,
    collected_at: parts.now(),
    ...content,
  });
}

/** How what tasks used stood to what was estimated, over the newest runs; nothing where nothing was learnt. */
export async function learntRatios(reader: EventReader): Promise<Pick<MemoryPack, "ratios">> {
  const { figures } = await figuresOfRuns(reader, { most: LEARNT_FROM });
  const ratios = learnRatios(figures.flatMap(({ observed }) => observed));
  return ratios.length === 0 ? {} : { ratios };
}

/**
 * Put what the runs taught into the project's memory pack, if it has one: the next plan uses it.
 *
 * Contract: a pack that cannot be written is left as it is, and said; a run that is over is over all the same.
 */
export async function rememberRuns(
  reader: EventReader,
  at: StateFolder,
  parts: Parts,
  say: (message: string) => void,
): Promise<void> {
  try {
    await remember(reader, at, parts);
  } catch (error) {
    if (!(error instanceof CoordinatorError)) throw error;
    say(`What the run taught is not remembered: ${error.message}`);
  }
}

async function remember(reader: EventReader, { folder }: StateFolder, parts: Parts): Promise<void> {
  const file = join(folder, "memory.json");
  const before = (await isThere(file)) ? await readInput(file, MemoryPack, folder) : null;
  // A pack that somebody is writing by hand is not ours to replace.
  if (before === null || !before.ok) return;
  const { project_id, notes, history, answers, learned_from, ratios } = before.value;
  const learnt = await learntRatios(reader);
  if (JSON.stringify(learnt.ratios) === JSON.stringify(ratios)) return;
  // Without what it was made from, the next build would count the same plans once more.
  const from = learned_from === undefined ? {} : { learned_from };
  const pack = memoryPack({ project_id, notes, history, answers, ...from, ...learnt }, parts);
  await writeWhole(file, `${JSON.stringify(pack, null, 2)}\n`);
}

/** The pack without what runs taught: estimates are then those of tasks and registry. */
export function withoutLearning(memory: Input<MemoryPack | null>, parts: Parts): Input<MemoryPack | null> {
  if (!memory.ok || memory.value === null) return memory;
  const { project_id, notes, answers, collected_at } = memory.value;
  const pack = memoryPack({ project_id, notes, history: [], answers }, parts);
  return { ...memory, value: { ...pack, collected_at } };
}
