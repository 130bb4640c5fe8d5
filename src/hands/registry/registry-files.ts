import { realpath, stat } from "node:fs/promises";
import { extname, join, resolve, sep } from "node:path";
import { readdir } from "../../foundation/files/read-files.js";
import type { Diagnostic } from "../../model/diagnostic.js";
import type { RegistryEntry } from "../../model/plan/registry.js";
import { byCodeUnit } from "../../model/by-code-unit.js";

export type Kind = RegistryEntry["kind"];

/** The folder an entry lies in decides its kind. */
const KIND_OF_FOLDER: ReadonlyMap<string, Kind> = new Map([
  ["workflows", "workflow"],
  ["agents", "agent"],
  ["commands", "command"],
  ["rules", "rule"],
  ["facts", "fact"],
  ["models", "model"],
  ["guardrails", "guardrail"],
]);

const EXTENSIONS = new Set([".yaml", ".yml", ".json"]);
const FOLDERS = [...KIND_OF_FOLDER.keys()].join(", ");

export interface RegistryFile {
  readonly kind: Kind;
  readonly file: string;
}

export interface FoundFiles {
  readonly files: readonly RegistryFile[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The files of one registry directory, in the order of their paths. Hidden files and files that are neither YAML nor
 * JSON are left out; a folder with an unknown name is a problem, because its rules would be missed in silence.
 */
export async function findRegistryFiles(
  directory: string,
  options: { optional: boolean; from?: string | undefined },
): Promise<FoundFiles> {
  const placeOf = (path: string) => (options.from === undefined ? path : resolve(options.from, path));
  let root: string;
  try {
    root = await realpath(placeOf(directory));
  } catch {
    return { files: [], diagnostics: options.optional ? [] : [missingDirectory(directory)] };
  }
  const files: RegistryFile[] = [];
  const diagnostics: Diagnostic[] = [];
  const seen = new Set<string>();

  const visit = async (folder: string, kind: Kind | null): Promise<void> => {
    const names = (await readdir(placeOf(folder))).filter((name) => !name.startsWith(".")).sort(byCodeUnit);
    for (const name of names) {
      const path = join(folder, name);
      const real = await realpath(placeOf(path)).catch(() => null);
      if (real === null || (real !== root && !real.startsWith(root + sep))) {
        diagnostics.push(leadsOutside(path));
        continue;
      }
      const isFolder = (await stat(real)).isDirectory();
      if (!isFolder && !EXTENSIONS.has(extname(name))) continue;
      const ofKind = kind ?? (isFolder ? KIND_OF_FOLDER.get(name) : undefined);
      if (ofKind === undefined) {
        diagnostics.push(isFolder ? unknownFolder(path) : outsideFolders(path));
        continue;
      }
      // A link may name a file or folder a second time: it is read once.
      if (seen.has(real)) continue;
      seen.add(real);
      if (isFolder) await visit(path, ofKind);
      else files.push({ kind: ofKind, file: path });
    }
  };

  try {
    await visit(directory, null);
  } catch (error) {
    const message = `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    diagnostics.push({
      code: "REGISTRY_UNREADABLE",
      path: "",
      file: directory,
      message,
      fix: "Check its permissions.",
    });
  }
  return { files, diagnostics };
}

function missingDirectory(directory: string): Diagnostic {
  return {
    code: "REGISTRY_DIRECTORY_MISSING",
    path: "",
    file: directory,
    message: "the registry directory does not exist",
    fix: `Create it with the folders ${FOLDERS}, or name another directory.`,
  };
}

function leadsOutside(file: string): Diagnostic {
  return {
    code: "REGISTRY_LINK_OUTSIDE",
    path: "",
    file,
    message: "is a link that leads out of the registry directory or to nothing, and is not followed",
    fix: "Copy the file into the registry directory.",
  };
}

function unknownFolder(file: string): Diagnostic {
  return {
    code: "REGISTRY_UNKNOWN_FOLDER",
    path: "",
    file,
    message: "is not a folder of the registry, so nothing in it is read",
    fix: `Use one of ${FOLDERS}.`,
  };
}

function outsideFolders(file: string): Diagnostic {
  return {
    code: "REGISTRY_UNKNOWN_FOLDER",
    path: "",
    file,
    message: "lies outside the folders that say what kind of entry it holds",
    fix: `Move it into one of ${FOLDERS}.`,
  };
}
