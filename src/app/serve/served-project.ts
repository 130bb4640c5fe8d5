import { basename, resolve } from "node:path";
import { readWhenChanged } from "../../foundation/files/read-once.js";
import { CoordinatorError } from "../../model/errors.js";
import type { CommandContext } from "../command-context.js";
import { createFoldCache } from "../inspect/fold-cache.js";
import { enterProject, guardCommand } from "../project/enter-project.js";
import { projectId } from "./project-id.js";
import { quietContext } from "../quiet-context.js";

/** A project that a server works on. */
export interface ServedProject {
  /** `prj_` and the beginning of the checksum of its root: the same in every process. */
  readonly id: string;
  readonly name: string;
  readonly root: string;
  readonly context: CommandContext;
}

/**
 * This project for one operation: its settings, contract and registry are read again where they have changed since,
 * and stay as they are for as long as the operation takes.
 */
export function reopenServed(served: ServedProject): ServedProject {
  const { context } = served;
  return { ...served, context: { ...context, project: context.project.reopen() } };
}

/**
 * The guards that a command passes at the command line, before a server does the same in a project.
 *
 * Contract: as `guardCommand`.
 */
export async function guardServed({ context }: ServedProject, command: string): Promise<void> {
  await guardCommand(command, context.project, context.approved);
}

/**
 * Open a project for a server, with a context and variables of its own.
 *
 * Contract: throws FILE_NOT_FOUND for a folder that is not there, STORE_TOO_NEW and STORE_CORRUPT for a store that cannot be
 * read, and as `enterProject` does. Nothing is written.
 */
export async function openServedProject(
  folder: string,
  { cwd, environment }: { readonly cwd: string; readonly environment: NodeJS.ProcessEnv },
): Promise<ServedProject> {
  const here = await quietContext({
    cwd: resolve(cwd),
    environment: { ...environment },
    approved: false,
    read: readWhenChanged(),
    folds: createFoldCache(),
  });
  const entered = await enterProject(folder, "--project", "serve", here);
  const { root } = entered.project;
  // A server works at the root of a project, wherever in it somebody stood.
  const context = root === entered.cwd ? entered : await enterProject(root, "--project", "serve", here);
  const { configuration, problems } = await context.project.settings();
  const [first] = problems;
  if (first !== undefined)
    throw new CoordinatorError("DOCUMENT_INVALID", `${first.file ?? root}: ${first.path} ${first.message}`, {
      fix: first.fix ?? "`coordinator doctor` shows every problem of the settings.",
    });
  // A store that this version cannot read is found now, and not by the first reader.
  await (await context.project.readRuns())?.close();
  return {
    id: projectId(root),
    name: configuration.project ?? basename(root),
    root,
    context,
  };
}
