import { join } from "node:path";
import { placeIn } from "../../foundation/documents/path-segments.js";
import { readText } from "../../foundation/documents/read-document.js";
import { type Diagnostic, diagnosticsOf, documentPath } from "../../model/diagnostic.js";
import { CoordinatorError } from "../../model/errors.js";
import { text } from "../../model/primitives.js";
import { unsafePath } from "../../model/plan/registry.js";
import { CONTEXT_FILES, ContextDocument } from "../../model/routing.js";
import { findFirst, type Input, readRaw } from "./read-input.js";

/* The context registry: the documents an agent may be given. Nobody but the Coordinator reads from it. */

export type ContextEntry = string | ContextDocument;

/** The project's own registry; an empty one when it has none. */
export async function readProjectContext(cwd: string): Promise<Input<readonly ContextEntry[]>> {
  return readContext(await projectContextFile(cwd), cwd);
}

export function projectContextFile(cwd: string): Promise<string | undefined> {
  return findFirst(CONTEXT_FILES, cwd);
}

const Reference = text(1, 1024);

/** The registry: a list of references, or of documents with what is known of them. */
export async function readContext(file: string | undefined, cwd: string): Promise<Input<readonly ContextEntry[]>> {
  if (file === undefined) return { ok: true, value: [], file: "", locate: () => ({ line: 1, column: 1 }) };
  const raw = await readRaw(file, cwd);
  if (!raw.ok) return raw;
  const bad = (problem: Diagnostic) => ({ ok: false, problems: placeIn(raw, [problem]) }) as const;
  if (!Array.isArray(raw.value))
    return bad({ code: "DOCUMENT_INVALID", path: "", message: "must be a list of references or of documents" });
  const entries: ContextEntry[] = [];
  const problems: Diagnostic[] = [];
  for (const [index, entry] of raw.value.entries()) {
    const parsed = (typeof entry === "string" ? Reference : ContextDocument).safeParse(entry);
    if (parsed.success) entries.push(parsed.data);
    else
      for (const { path, ...problem } of diagnosticsOf(parsed.error, "DOCUMENT_INVALID"))
        problems.push({ ...problem, path: `${documentPath([index])}${path === "" ? "" : `.${path}`}` });
  }
  if (problems.length > 0) return { ok: false, problems: placeIn(raw, problems) };
  return { ...raw, value: entries };
}

/** Documents by their references, which are paths from the root. Contract: throws for one that cannot be read. */
export async function readDocuments(
  root: string,
  refs: readonly string[],
): Promise<{ readonly ref: string; readonly text: string }[]> {
  return Promise.all(
    refs.map(async (ref) => {
      const unsafe = unsafePath(ref);
      const read = unsafe === null ? await readText(join(root, ref)) : null;
      if (read?.ok === true) return { ref, text: read.text };
      const why = unsafe ?? read?.diagnostics[0]?.message ?? "it cannot be read";
      throw new CoordinatorError(
        "FILE_UNREADABLE",
        `The document ${ref} of the context registry cannot be given: ${why}`,
        {
          fix: "References are paths from the root of the repository; mend governance/context.yaml.",
        },
      );
    }),
  );
}
