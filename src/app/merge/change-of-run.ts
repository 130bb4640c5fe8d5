import { CoordinatorError } from "../../model/errors.js";
import type { RunGate } from "../../model/run.js";
import type { ChangedFile, RunChange } from "../../model/run-change.js";
import { BASE_RECORD, REVIEWS_RECORD } from "../../mind/run/record-names.js";
import type { ProjectBase } from "../project/project.js";
import { openQuarantine } from "../../hands/workspace/quarantine.js";
import { type DiffRequest, spanOfRun } from "./diff-run.js";
import type { RunRecords } from "../../hands/attempts/run-records.js";
import { headRef } from "../../hands/workspace/names-of-refs.js";

export interface ChangeRequest {
  readonly runId: string;
  readonly project: ProjectBase;
  readonly records: RunRecords;
  readonly events: DiffRequest["events"];
}

/** Reads the change of a run's branch over its base; null while it is empty or cannot be read. */
export async function changeOfRun({ runId, project, records, events }: ChangeRequest): Promise<RunChange | null> {
  // Without where it began nothing was ever carried out, and nothing need be opened to know it.
  if ((await records.read(BASE_RECORD)) === null) return null;
  try {
    const quarantine = await openQuarantine({ repository: project.root, environment: project.environment });
    const span = await spanOfRun({ runId, records, events }, quarantine);
    if (span === null || span.from === span.to) return null;
    const git = async (form: string) =>
      (
        await quarantine.git.must("Counting the change", {
          gitDir: quarantine.gitDir,
          args: ["diff", form, "-z", "--no-renames", "--no-ext-diff", "--no-textconv", span.from, span.to, "--"],
        })
      ).toString("utf8");
    const files = filesIn(await git("--numstat"), await git("--name-status"));
    return { ref: headRef(runId), files, merge_as: await rolesToMerge(records) };
  } catch (error) {
    // A response is given also where the repository is gone: it then says less.
    if (error instanceof CoordinatorError) return null;
    throw error;
  }
}

/** As whom a run is merged: the reviews its plan asks for before are not in the log. */
export async function rolesToMerge(records: RunRecords): Promise<string[]> {
  return mergeRoles(((await records.read(REVIEWS_RECORD)) ?? []) as RunGate[]);
}

/** A reviewer for each of these reviews, as few as will do. Contract: pure. */
export function mergeRoles(gates: readonly Pick<RunGate, "reviewers">[]): string[] {
  const roles: string[] = [];
  for (const { reviewers } of gates) {
    const [first] = reviewers;
    if (first !== undefined && !reviewers.some((reviewer) => roles.includes(reviewer))) roles.push(first);
  }
  return roles;
}

const CHANGES: Readonly<Record<string, ChangedFile["change"]>> = { A: "created", D: "removed" };

function filesIn(numbers: string, names: string): ChangedFile[] {
  const fields = names.split("\0");
  const changes = new Map<string, ChangedFile["change"]>();
  for (let i = 0; i + 1 < fields.length; i += 2)
    changes.set(fields[i + 1] as string, CHANGES[fields[i] as string] ?? "changed");
  return numbers
    .split("\0")
    .filter((line) => line !== "")
    .map((line) => {
      const [added = "", removed = "", ...rest] = line.split("\t");
      const path = rest.join("\t");
      const number = (text: string) => (text === "-" ? null : Number(text));
      return { path, change: changes.get(path) ?? "changed", added: number(added), removed: number(removed) };
    });
}
