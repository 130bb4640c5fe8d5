import { CoordinatorError } from "../../model/errors.js";
import { hasEnded, newestFirst } from "../../hands/store/list-runs.js";
import { foldRun, type FoldedRun, keepFolds, keepSnapshots } from "./fold-run.js";
import { readRuns } from "../project/open-runs.js";
import type { Project } from "../project/project.js";
import type { StateFolder } from "../project/state-folder.js";

export type Reader = NonNullable<Awaited<ReturnType<typeof readRuns>>>;

/** Look at the runs of a project, and close them again. `none` says what there is when no run was ever started. */
export async function withRuns<T>(
  { at, folds }: Pick<Project, "at" | "folds">,
  act: (reader: Reader, at: StateFolder) => Promise<T>,
  none?: () => T,
): Promise<T> {
  const reader = await readRuns(at);
  if (reader === null) {
    if (none !== undefined) return none();
    throw new CoordinatorError("NOT_FOUND", "No run was started here yet", {
      fix: "Start one: coordinator run --plan DIR. --cwd says where to look.",
    });
  }
  if (folds !== undefined) keepFolds(reader, folds);
  keepSnapshots(reader, at);
  try {
    return await act(reader, at);
  } finally {
    await reader.close();
  }
}

/** Every run, newest first. One whose log is damaged comes with the reason instead, and hides no other. */
export async function foldAll(
  reader: Reader,
  wanted: "all" | "open",
): Promise<({ run_id: string; run: FoldedRun } | { run_id: string; problem: string })[]> {
  const found = [];
  for (const { run_id, sequence } of await newestFirst(reader)) {
    try {
      if (wanted === "open" && (await hasEnded(reader, run_id, sequence))) continue;
      found.push({ run_id, run: await foldRun(reader, run_id) });
    } catch (error) {
      if (!(error instanceof CoordinatorError)) throw error;
      found.push({ run_id, problem: error.message });
    }
  }
  return found;
}
