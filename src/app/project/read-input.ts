import { existsSync } from "node:fs";
import { access } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { z } from "zod";
import { type DocumentResult, readDocument } from "../../foundation/documents/read-document.js";
import { type Diagnostic, diagnosticsOf } from "../../model/diagnostic.js";
import { type Located, placeIn } from "../../foundation/documents/path-segments.js";

export type Input<T> =
  | ({ readonly ok: true; readonly value: T } & Located)
  | { readonly ok: false; readonly problems: readonly Diagnostic[] };

/** How a file becomes a document: readDocument, or readShipped for what comes with the package. */
type Read = (file: string) => Promise<DocumentResult>;

/**
 * Read one document without asking what it says. `cwd` is the folder that a relative path is taken from; problems name the
 * path as it was given.
 *
 * Contract: throws when there is no such file, as readDocument does.
 */
export async function readRaw(file: string, cwd: string, read?: Read): Promise<Input<unknown>> {
  const document = read === undefined ? await readDocument(file, { from: cwd }) : await read(file);
  if (!document.ok) return { ok: false, problems: document.diagnostics };
  return { ok: true, value: document.value, file, locate: document.locate };
}

/** Read one document of a known shape; every problem comes back with its place. */
export async function readInput<T>(file: string, schema: z.ZodType<T>, cwd: string, read?: Read): Promise<Input<T>> {
  const raw = await readRaw(file, cwd, read);
  if (!raw.ok) return raw;
  const parsed = schema.safeParse(raw.value);
  if (parsed.success) return { ...raw, value: parsed.data };
  return { ok: false, problems: placeIn(raw, diagnosticsOf(parsed.error, "DOCUMENT_INVALID")) };
}

export async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/**
 * The first of these files of a project that is there: where somebody stands, or above it, up to the root of the
 * repository. A project's rules must not depend on the folder in which a command is typed.
 *
 * Contract: the path is relative to `cwd`, as it is shown to people.
 */
export async function findFirst(files: readonly string[], cwd: string): Promise<string | undefined> {
  for (const folder of waysUp(cwd))
    for (const file of files) if (await isThere(resolve(cwd, folder, file))) return join(folder, file);
  return undefined;
}

/** `""`, `".."`, `"../.."` up to the root of the repository; outside of one, no further than where somebody stands. */
function waysUp(cwd: string): string[] {
  const ways = [""];
  for (let at = cwd; !existsSync(join(at, ".git")); at = dirname(at)) {
    if (dirname(at) === at) return [""];
    ways.push(join(ways.at(-1) ?? "", ".."));
  }
  return ways;
}
