import { join } from "node:path";
import { jsonOrUndefined } from "../../foundation/documents/json-or-undefined.js";
import { readLearnedModel } from "../../foundation/documents/shipped-model.js";
import type { LearnedModel } from "../../foundation/learned/model.js";
import { readdir, readFile } from "../../foundation/files/read-files.js";
import { breakDown } from "../../mind/adr/break-down.js";
import { parseAdr } from "../../mind/adr/parse-adr.js";
import { speakingUnits } from "../../mind/adr/units.js";
import { type AdrSource, RequestOrigin } from "../../model/request-origin.js";
import { adrIn } from "../inspect/taken-adrs.js";
import type { StateFolder } from "../project/state-folder.js";
import type { FoundCorrection } from "./corrections.js";
import { likenessOf } from "./safety-correction.js";

/*
 * How people change the list of tasks of a decision record: a plan of the record is shown, they change the record, and have
 * it planned again. The earlier plan is kept by its origin, with the text of the record as it was.
 */

/** Finds changes by a person in a record since it was last planned; none when it is planned for the first time. */
export async function findTaskCorrections(
  at: StateFolder,
  adr: AdrSource,
  text: string,
): Promise<readonly FoundCorrection[]> {
  const before = await readPlannedText(at, adr);
  return before === null ? [] : taskCorrections(before, text, adr.file, await readLearnedModel("adr"));
}

/** The text of a record when a plan was last made of it, if it was another one than now. */
async function readPlannedText({ folder }: StateFolder, adr: AdrSource): Promise<string | null> {
  const files = await readdir(join(folder, "requests")).catch(() => []);
  let last: { readonly at: number; readonly checksum: string; readonly text: string } | null = null;
  for (const file of files) {
    if (!file.endsWith(".json")) continue;
    const read = await readFile(join(folder, "requests", file), "utf8").catch(() => "");
    // Most are of other requests, and reading a whole origin is dear.
    if (!read.includes(JSON.stringify(adr.file))) continue;
    const origin = RequestOrigin.safeParse(jsonOrUndefined(read));
    if (!origin.success) continue;
    const source = adrIn(origin.data.messages);
    const document = origin.data.brief.documents.find(({ ref }) => ref === adr.file);
    if (source === null || source.file !== adr.file || document === undefined) continue;
    const planned = Date.parse(origin.data.times?.planned_at ?? "") || 0;
    if (last === null || planned > last.at) last = { at: planned, checksum: source.checksum, text: document.text };
  }
  return last === null || last.checksum === adr.checksum ? null : last.text;
}

/** A task is the same task in other words from here on. */
const REWORDED = 0.5;

/**
 * The tasks that were taken out of a record, put into it, or worded otherwise.
 *
 * Contract: pure. A reworded task is one correction, not one taken out and one put in.
 */
export function taskCorrections(before: string, now: string, file: string, model: LearnedModel): FoundCorrection[] {
  const [old, fresh] = [tasksOf(before, file, model), tasksOf(now, file, model)];
  const removed = old.filter(({ text }) => fresh.every((task) => task.text !== text));
  const added = new Set(fresh.filter(({ text }) => old.every((task) => task.text !== text)));
  const changed = removed.map((task): FoundCorrection => {
    const reworded = [...added]
      .map((other) => ({ other, like: likenessOf(task.text, other.text) }))
      .reduce<{ other: Task; like: number } | null>((best, one) => (one.like > (best?.like ?? 0) ? one : best), null);
    const known = { kind: "task", ...task, decided: { category: "task", rule_id: "adr_tasks" } } as const;
    if (reworded === null || reworded.like < REWORDED) return { ...known, chosen: { category: "none" } };
    added.delete(reworded.other);
    return { ...known, chosen: { category: "task", text: reworded.other.text } };
  });
  const put = [...added].map((task): FoundCorrection => ({
    kind: "task",
    ...task,
    decided: { category: "none", rule_id: "adr_tasks" },
    chosen: { category: "task" },
  }));
  return [...changed, ...put];
}

interface Task {
  readonly text: string;
  readonly section: string;
}

function tasksOf(text: string, file: string, model: LearnedModel): readonly Task[] {
  const adr = parseAdr(text, file);
  const sections = new Map(speakingUnits(adr.sections).map((unit) => [unit.text, unit.section.heading]));
  return breakDown(adr, model).tasks.map(({ description }) => {
    const [words = ""] = description.split("\n");
    return { text: words, section: sections.get(words) ?? "" };
  });
}
