import { join } from "node:path";
import { z } from "zod";
import { jsonOrUndefined } from "../../foundation/documents/json-or-undefined.js";
import { readFile } from "../../foundation/files/read-files.js";
import { appendFile } from "../../foundation/files/write-files.js";
import { CoordinatorError } from "../../model/errors.js";
import { makeStateFolder, type StateFolder } from "../project/state-folder.js";

/*
 * What people corrected: a route, a refusal, a list of tasks. It is kept in the project, as data that `npm run fit` of a team
 * can take in, and is sent nowhere. One JSON document a line, in `.coordinator/corrections.jsonl`.
 */

const CORRECTIONS = "corrections.jsonl";

const Correction = z.object({
  kind: z.enum(["route", "refusal", "task"]),
  /** The words that were judged, without secrets. */
  text: z.string(),
  decided: z.object({ category: z.string(), rule_id: z.string() }),
  chosen: z.object({ category: z.string() }),
  by: z.string(),
  at: z.string(),
});
export type Correction = z.infer<typeof Correction>;

/** How often each kind was corrected. */
export type CorrectionCounts = Readonly<Record<Correction["kind"], number>>;

/**
 * Keep a correction. Contract: the same one is kept once. Where it cannot be written it is said, and nothing else fails: the
 * person's word holds for this request all the same.
 */
export async function keepCorrection(
  at: StateFolder,
  correction: Correction,
  say: (message: string) => void,
): Promise<void> {
  try {
    const known = await readCorrections(at);
    if (
      known.some((one) => one.kind === correction.kind && one.text === correction.text && sameChoice(one, correction))
    )
      return;
    makeStateFolder(at);
    await appendFile(join(at.folder, CORRECTIONS), `${JSON.stringify(correction)}\n`);
  } catch (error) {
    const reason = error instanceof CoordinatorError ? error.message : String(error);
    say(`The correction is not kept: ${reason}`);
  }
}

function sameChoice(a: Correction, b: Correction): boolean {
  return a.chosen.category === b.chosen.category;
}

/** Every correction that can be read, the oldest first. A line that cannot is passed over: it teaches nothing. */
async function readCorrections({ folder }: StateFolder): Promise<readonly Correction[]> {
  const text = await readFile(join(folder, CORRECTIONS), "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => {
    const parsed = Correction.safeParse(jsonOrUndefined(line));
    return parsed.success ? [parsed.data] : [];
  });
}

export async function countCorrections(at: StateFolder): Promise<CorrectionCounts> {
  const counts = { route: 0, refusal: 0, task: 0 };
  for (const { kind } of await readCorrections(at)) counts[kind]++;
  return counts;
}
