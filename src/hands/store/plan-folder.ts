import { createHash } from "node:crypto";
import { access, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { readFile, readdir } from "../../foundation/files/read-files.js";
import { mkdir, rename, rm } from "../../foundation/files/write-files.js";
import { crashPoint } from "../../foundation/processes/crash-points.js";
import { syncFolder, writeSynced } from "../../foundation/files/durable.js";
import { withoutKeys } from "../../foundation/files/known-secrets.js";
import { CoordinatorError } from "../../model/errors.js";

/*
 * A plan on disk is a folder. A folder cannot be replaced in one step, so a new plan is written beside the old one
 * under `.NAME.next`, then the old one steps aside to `.NAME.previous`, the new one takes its name, and the old one is
 * removed. Anyone who dies in between leaves a state that `recover` completes: the old plan or the new one, never half.
 */

/** A file of a plan as it was found. */
export interface FoundFile {
  readonly text: string;
  readonly sha256: string;
}

const beside = (folder: string, suffix: "next" | "previous") => join(dirname(folder), `.${basename(folder)}.${suffix}`);

/**
 * Write a plan. Refuses to replace a folder that holds anything but a plan: it would be lost; and to write one that says
 * a key of this process: taken out, it would no longer be what its manifest seals. A relative folder is taken from `from`,
 * or from the working directory of the process; messages name it as it was given.
 */
export async function writePlanFolder(named: string, files: ReadonlyMap<string, string>, from?: string): Promise<void> {
  const folder = placeOf(named, from);
  refuseKeys(files);
  await recover(folder);
  await refuseForeignFolder(folder, named);
  const next = beside(folder, "next");
  const previous = beside(folder, "previous");
  try {
    await rm(next, { recursive: true, force: true });
    await writeFiles(next, files);
    crashPoint("plan.files_written");
    if (await exists(folder)) await rename(folder, previous);
    crashPoint("plan.old_set_aside");
    await rename(next, folder);
    await syncFolder(dirname(folder));
    crashPoint("plan.new_in_place");
    await rm(previous, { recursive: true, force: true });
    crashPoint("plan.old_removed");
  } catch (cause) {
    await recover(folder);
    if (cause instanceof CoordinatorError) throw cause;
    throw new CoordinatorError(
      "PLAN_WRITE_FAILED",
      `The plan could not be written to ${named}: ${(cause as Error).message}`,
      {
        cause,
        fix: "Check that the folder's parent exists, is writable and has room.",
      },
    );
  }
}

function placeOf(folder: string, from: string | undefined): string {
  return from === undefined ? folder : resolve(from, folder);
}

function refuseKeys(files: ReadonlyMap<string, string>): void {
  const name = [...files.keys()].find((each) => withoutKeys(files.get(each)) !== files.get(each));
  if (name === undefined) return;
  const [, key = "a key"] = /\[secret ([^\]]+)\]/.exec(withoutKeys(files.get(name) ?? "")) ?? [];
  throw new CoordinatorError("PLAN_WRITE_FAILED", `The plan would say the value of ${key} in ${name}`, {
    fix: `Take the value out of what the plan is made from, and plan again. If it is not a secret, name ${key} otherwise.`,
  });
}

/** The files of a plan by their names, `/` between the parts. `from` is as in writePlanFolder. */
export async function readPlanFolder(named: string, from?: string): Promise<Map<string, FoundFile>> {
  const folder = placeOf(named, from);
  await recover(folder);
  if (!(await exists(join(folder, "manifest.json"))))
    throw new CoordinatorError("PLAN_NOT_FOUND", `There is no plan in ${named}: it has no manifest.json`, {
      fix: "Name a folder that `coordinator plan --out` wrote.",
    });
  const found = new Map<string, FoundFile>();
  for (const path of (await filesIn(folder)).sort()) {
    const bytes = await readFile(path);
    const name = relative(folder, path).split(sep).join("/");
    found.set(name, { text: bytes.toString("utf8"), sha256: createHash("sha256").update(bytes).digest("hex") });
  }
  return found;
}

async function filesIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    found.push(...(entry.isDirectory() ? await filesIn(path) : [path]));
  }
  return found;
}

/** Complete what a crash interrupted. Safe to call at any time. */
async function recover(folder: string): Promise<void> {
  const next = beside(folder, "next");
  const previous = beside(folder, "previous");
  if (!(await exists(folder)) && (await exists(previous))) {
    // The old plan had stepped aside. A complete new one takes the name; anything less is dropped.
    await rename((await isComplete(next)) ? next : previous, folder);
  }
  if ((await exists(folder)) && (await isPlanOrEmpty(previous))) await rm(previous, { recursive: true, force: true });
}

/** The manifest is written last and synced, so a folder that has it has everything. */
async function isComplete(folder: string): Promise<boolean> {
  return exists(join(folder, "manifest.json"));
}

/** Whatever else has the name that a plan steps aside to is left alone. */
async function isPlanOrEmpty(folder: string): Promise<boolean> {
  if (await isComplete(folder)) return true;
  return (await exists(folder)) && (await readdir(folder).catch(() => ["a file"])).length === 0;
}

async function writeFiles(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  await mkdir(folder, { recursive: true });
  const names = [...files.keys()].sort((a, b) => Number(a === "manifest.json") - Number(b === "manifest.json"));
  for (const name of names) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeSynced(path, files.get(name) ?? "");
  }
  if (await exists(join(folder, "inputs"))) await syncFolder(join(folder, "inputs"));
  await syncFolder(folder);
}

async function refuseForeignFolder(folder: string, named: string): Promise<void> {
  if (!(await exists(folder))) return;
  const isFolder = (await stat(folder)).isDirectory();
  if (isFolder && ((await readdir(folder)).length === 0 || (await exists(join(folder, "manifest.json"))))) return;
  throw new CoordinatorError(
    "PLAN_WRITE_FAILED",
    `${named} ${isFolder ? "holds other files" : "is a file"}, and a plan would replace it`,
    {
      fix: "Name an empty folder, a new one, or one that holds a plan.",
    },
  );
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
