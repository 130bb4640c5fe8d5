import { basename, join, relative } from "node:path";
import { readdir } from "../../foundation/files/read-files.js";
import type { Block } from "../../foundation/markdown/blocks.js";
import { readText } from "../../foundation/documents/read-document.js";
import { decisionNote, handoffNote, type MemoryNote, runNote } from "../../mind/propose/memory/notes.js";
import { byCodeUnit } from "../../model/by-code-unit.js";
import { foldRun } from "../inspect/fold-run.js";
import { readRuns } from "../project/open-runs.js";
import { stateFolder } from "../project/state-folder.js";
import { findRecords } from "../adr/adr-list.js";

/* Notes that a project has to remember: decisions that hold, runs that are over, handoffs. Read as it is, chosen from later. */

/** Where handoffs are by themselves, and where a project has them in its tree. */
const HANDOFFS = ["sessions", ".coordinator/board/sessions"];
/** The youngest of each; more than this nobody's memory holds. */
const MOST = 300;

export async function collectNotes(root: string, environment: NodeJS.ProcessEnv): Promise<MemoryNote[]> {
  return [...(await decisions(root)), ...(await runs(root, environment)), ...(await handoffs(root))];
}

async function decisions(root: string): Promise<MemoryNote[]> {
  const { folders, records } = await findRecords(root, root);
  // Without a folder for them every page would have to be taken for a decision.
  if (folders.includes(root)) return [];
  return records.flatMap((record) => {
    if (!record.ok || record.adr.status !== "accepted") return [];
    const { file, label, title, sections } = record.adr;
    const decided = sections.filter(({ role }) => role === "decision");
    const text = decided.flatMap(({ blocks }) => blocks.map(wordsOf)).join(" ");
    return [decisionNote({ file: relative(root, file), label, title, text })];
  });
}

function wordsOf(block: Block): string {
  if ("text" in block) return block.text;
  if ("lines" in block) return block.lines.join(" ");
  return "rows" in block ? block.rows.flat().join(" ") : "";
}

async function runs(root: string, environment: NodeJS.ProcessEnv): Promise<MemoryNote[]> {
  const store = await readRuns(stateFolder(root, environment));
  if (store === null) return [];
  try {
    const found: MemoryNote[] = [];
    for (const { run_id } of (await store.runs()).slice(-MOST)) {
      const { state, request, last_at } = await foldRun(store, run_id);
      const { status, reason } = state;
      if (status !== "completed" && status !== "failed") continue;
      found.push(runNote({ run_id, request, status, reason, at: last_at, tasks: state.layout?.plan.tasks ?? [] }));
    }
    return found;
  } finally {
    await store.close();
  }
}

async function handoffs(root: string): Promise<MemoryNote[]> {
  const found = await Promise.all(
    HANDOFFS.map(async (folder) => {
      const names = await readdir(join(root, folder)).catch(() => []);
      return names.filter((name) => name.endsWith(".md")).map((name) => `${folder}/${name}`);
    }),
  );
  // Their names begin with the day.
  const wanted = found
    .flat()
    .sort((a, b) => byCodeUnit(basename(a), basename(b)))
    .slice(-MOST);
  const notes = await Promise.all(
    wanted.map(async (path): Promise<MemoryNote[]> => {
      const read = await readText(join(root, path));
      return read.ok ? [handoffNote(path, read.text)] : [];
    }),
  );
  return notes.flat();
}
