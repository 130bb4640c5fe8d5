import { join } from "node:path";
import { readFile, readdir } from "../../../foundation/files/read-files.js";
import { rm, writeFile } from "../../../foundation/files/write-files.js";
import { byCodeUnit } from "../../../model/by-code-unit.js";
import type { Finding } from "../finding.js";
import { openWorkspace, setAside, type WorkspaceParts } from "../open-workspace.js";
import type { Quarantine } from "../quarantine.js";
import { ownerLives, ownerOf, readRecord, type WorkspaceRecord } from "../workspace-record.js";

/*
 * Leftovers of ended processes. Folders of the root say by their names what they are: `making~` and `spare~`
 * hold no work, `at~` belongs to an attempt, `trash~` has been salvaged and goes away.
 */

export interface Leftover {
  readonly folder: string;
  readonly kind: "attempt" | "spare" | "trash" | "unknown";
  readonly record: WorkspaceRecord | null;
  /** Whether the process that made it lives: then it is in use and nobody's business. */
  readonly inUse: boolean;
}

export interface Recovered {
  readonly removed: readonly string[];
  readonly kept: readonly { readonly folder: string; readonly findings: readonly Finding[] }[];
  readonly published: readonly string[];
}

export async function listLeftovers(root: string): Promise<readonly Leftover[]> {
  const names = (await readdir(root).catch(() => [])).sort(byCodeUnit);
  return Promise.all(
    names.map(async (name): Promise<Leftover> => {
      const folder = join(root, name);
      const [kind = "", owner = ""] = name.split("~");
      if (kind === "trash") return { folder, kind, record: null, inUse: false };
      if (kind === "making" || kind === "spare")
        return { folder, kind: "spare", record: null, inUse: ownerLives(owner) };
      const record = kind === "at" ? await readRecord(folder) : null;
      if (record === null) return { folder, kind: "unknown", record, inUse: false };
      return { folder, kind: "attempt", record, inUse: ownerLives(record.owner) };
    }),
  );
}

/**
 * Salvage and remove, and finish what was begun.
 *
 * Contract: touches nothing that is in use and nothing it does not know; may be called by several processes at once.
 */
export async function recoverLeftovers(parts: WorkspaceParts, leftovers: readonly Leftover[]): Promise<Recovered> {
  const removed: string[] = [];
  const kept: { folder: string; findings: readonly Finding[] }[] = [];
  for (const { folder, kind, record, inUse } of leftovers) {
    if (inUse) continue;
    if (kind === "trash") parts.discard(folder);
    if (kind === "spare") await setAside(parts, folder);
    if (kind === "unknown")
      kept.push({ folder, findings: [{ gate: "unreadable", path: "", detail: "its record cannot be read" }] });
    if (record === null || !(await claimLeftover(folder))) continue;
    const removal = await openWorkspace(parts, folder, record, null).remove();
    if (removal.status === "removed") removed.push(folder);
    else {
      kept.push({ folder, findings: removal.findings });
      await rm(join(folder, "claimed"), { force: true });
    }
  }
  return { removed, kept, published: await publishPending(parts.quarantine) };
}

/** One process recovers a workspace; another that comes at the same time leaves it alone. */
async function claimLeftover(folder: string): Promise<boolean> {
  const file = join(folder, "claimed");
  const own = ownerOf(process.pid);
  try {
    await writeFile(file, own, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") return false;
  }
  const other = await readFile(file, "utf8").catch(() => "");
  if (other !== "" && ownerLives(other)) return false;
  await rm(file, { force: true });
  return writeFile(file, own, { flag: "wx" }).then(
    () => true,
    () => false,
  );
}

/** Publishes commits of the quarantine that did not reach the user's repository before a process died. */
async function publishPending(quarantine: Quarantine): Promise<readonly string[]> {
  const theirs = await quarantine.refs("repository");
  const pending = [...(await quarantine.refs("quarantine"))].filter(([ref, commit]) => theirs.get(ref) !== commit);
  const published: string[] = [];
  for (const [ref] of pending) if ((await quarantine.publish([ref])).refused === null) published.push(ref);
  return published;
}
