import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { rename } from "../../foundation/files/write-files.js";
import { crashPoint } from "../../foundation/processes/crash-points.js";
import type { Pristine } from "./changes.js";
import type { Finding } from "./finding.js";
import { type Given, readGiven, NOTHING_GIVEN } from "./given.js";
import { type ImportOutcome, type ImportRequest, importWorkspace, type Site } from "./import.js";
import { attemptRef, salvageRef } from "./names-of-refs.js";
import type { Quarantine } from "./quarantine.js";
import { type WorkspaceRecord, writeRecord } from "./workspace-record.js";
import { type SalvageOutcome, salvageWorkspace } from "./clean/salvage.js";

export type Removal =
  | { readonly status: "removed"; readonly salvage: SalvageOutcome }
  /** Something could not be salvaged: the workspace is still there. */
  | { readonly status: "kept"; readonly findings: readonly Finding[] };

export interface Workspace {
  /** The folder that the agent works in; the only one that goes into its sandbox. */
  readonly path: string;
  readonly base: string;
  readonly viewCommit: string;
  readonly record: WorkspaceRecord;
  /**
   * Takes everything there now for output of setup, except for these paths; returns the names of what is new.
   *
   * Contract: before an agent is in it, and when nothing runs in it.
   */
  readonly settle: (work?: ReadonlySet<string>) => Promise<readonly string[]>;
  /** Contract: when no agent runs in it any more. */
  readonly import: (request: ImportRequest) => Promise<ImportOutcome>;
  /** Contract: as for import. Saved work is kept under `refs/coord/salvage/`. */
  readonly salvage: () => Promise<SalvageOutcome>;
  /** Contract: salvages first, always; what cannot be salvaged is kept. */
  readonly remove: () => Promise<Removal>;
}

export interface WorkspaceParts {
  readonly quarantine: Quarantine;
  readonly salvageBytes: number;
  /** Removes a folder some time later, without following links. */
  readonly discard: (folder: string) => void;
}

/** A workspace that is there. `pristine` is null when it is not known how it was handed over: every file is read. */
export function openWorkspace(
  parts: WorkspaceParts,
  folder: string,
  first: WorkspaceRecord,
  pristine: Pristine | null,
): Workspace {
  const { quarantine, salvageBytes } = parts;
  let record = first;
  const name = { runId: record.run_id, taskId: record.task_id, attemptId: record.attempt_id };
  const path = join(folder, "tree");
  const place = { quarantine, path, base: record.base, viewCommit: record.view_commit, pristine };
  let given: Given = NOTHING_GIVEN;
  const site = (): Site => ({ ...place, given });
  const salvage = () => {
    const { imported, git_files: gitFiles } = record;
    return salvageWorkspace(site(), { ref: salvageRef(name), imported, gitFiles, mostBytes: salvageBytes });
  };
  return {
    path,
    base: record.base,
    viewCommit: record.view_commit,
    get record() {
      return record;
    },
    async settle(work) {
      given = await readGiven(place, work);
      return given.names;
    },
    async import(request) {
      const outcome = await importWorkspace(site(), attemptRef(name), request);
      record = { ...record, imported: outcome.status === "imported" ? outcome.commit : null };
      await writeRecord(folder, record);
      return outcome;
    },
    salvage,
    async remove() {
      const saved: SalvageOutcome = record.disposable ? { status: "nothing" } : await salvage();
      if (saved.status === "incomplete") return { status: "kept", findings: saved.findings };
      await setAside(parts, folder);
      return { status: "removed", salvage: saved };
    },
  };
}

/** INVARIANT: called only for what has been salvaged or never held anything. */
export async function setAside({ discard }: Pick<WorkspaceParts, "discard">, folder: string): Promise<void> {
  const trash = join(dirname(folder), `trash~${randomUUID()}`);
  try {
    await rename(folder, trash);
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  crashPoint("workspace.set_aside");
  discard(trash);
}
