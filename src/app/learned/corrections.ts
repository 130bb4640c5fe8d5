import { join } from "node:path";
import { z } from "zod";
import { jsonOrUndefined } from "../../foundation/documents/json-or-undefined.js";
import { withoutSecrets } from "../../foundation/files/known-secrets.js";
import { readFile } from "../../foundation/files/read-files.js";
import { appendFile } from "../../foundation/files/write-files.js";
import { CoordinatorError } from "../../model/errors.js";
import { makeStateFolder, type StateFolder } from "../project/state-folder.js";

/*
 * Corrections by people: of a route, a refusal, a hold, a list of tasks. They are kept in the project, as data that `npm run fit` of
 * a team can take in, and are sent nowhere. One JSON document a line, in `.coordinator/corrections.jsonl`.
 */

const CORRECTIONS = "corrections.jsonl";

const Correction = z.object({
  kind: z.enum(["route", "refusal", "hold", "task"]),
  /** The words that were judged, without secrets. */
  text: z.string(),
  /** For a task: the heading it stands under in its decision record. */
  section: z.string().optional(),
  decided: z.object({ category: z.string(), rule_id: z.string() }),
  chosen: z.object({
    category: z.string(),
    /** The words that took the place of `text`; for a hold: what was answered to its questions. */
    text: z.string().optional(),
  }),
  by: z.string(),
  at: z.string(),
});
export type Correction = z.infer<typeof Correction>;

/** A correction without its author and time. */
export type FoundCorrection = Omit<Correction, "by" | "at">;

/** How often each kind was corrected. */
export type CorrectionCounts = Readonly<Record<Correction["kind"], number>>;

/**
 * Keep a correction. Contract: the same one is kept once, without secrets. Where it cannot be written it is said, and nothing
 * else fails: the person's word holds for this request all the same.
 */
export async function keepCorrection(
  at: StateFolder,
  given: Correction,
  say: (message: string) => void,
): Promise<void> {
  try {
    const correction = withoutSecrets(given);
    const known = await readCorrections(at);
    if (known.some((one) => isSameCorrection(one, correction))) return;
    makeStateFolder(at);
    await appendFile(join(at.folder, CORRECTIONS), `${JSON.stringify(correction)}\n`);
  } catch (error) {
    const reason = error instanceof CoordinatorError ? error.message : String(error);
    say(`The correction is not kept: ${reason}`);
  }
}

function isSameCorrection(a: Correction, b: Correction): boolean {
  return a.kind === b.kind && a.text === b.text && a.chosen.category === b.chosen.category;
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
  const counts = { route: 0, refusal: 0, hold: 0, task: 0 };
  for (const { kind } of await readCorrections(at)) counts[kind]++;
  return counts;
}
