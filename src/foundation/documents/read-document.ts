import { extname, resolve } from "node:path";
import type { Diagnostic } from "../../model/diagnostic.js";
import { readUpTo } from "../files/read-files.js";
import type { ReadBytes } from "../files/read-once.js";
import { CoordinatorError } from "../../model/errors.js";
import { DEFAULT_MAX_BYTES, parseJson, tooLarge, type JsonLimits } from "./json-text.js";
import type { PathSegments, Position } from "./position.js";
import { locateInJson } from "./scan-json.js";

export type TextResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

export type DocumentResult =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Where the value at a path begins, for a problem that a schema found. */
      readonly locate: (path: PathSegments) => Position;
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** The folder that a relative path is taken from; the working directory of the process when absent. Messages name the path as it was given. */
export interface TakenFrom {
  readonly from?: string | undefined;
  /** Reads the bytes; `readUpTo` when absent. */
  readonly read?: ReadBytes | undefined;
}

/**
 * Read one JSON or YAML document: by the file's extension, otherwise by its first character.
 *
 * Contract: throws CoordinatorError FILE_NOT_FOUND or FILE_UNREADABLE; whatever is wrong inside the file comes back as
 * diagnostics that name the file.
 */
export async function readDocument(file: string, limits: JsonLimits & TakenFrom = {}): Promise<DocumentResult> {
  const read = await readText(file, limits.maxBytes, limits);
  return read.ok ? parseDocument(read.text, file, limits) : read;
}

/** The document that a text holds. `file` says which form it has, and is named by problems. */
export async function parseDocument(text: string, file: string, limits: JsonLimits = {}): Promise<DocumentResult> {
  if (!isJson(file, text)) return yamlDocument(text, file);
  const parsed = parseJson(text, limits);
  if (!parsed.ok) return { ok: false, diagnostics: parsed.diagnostics.map((diagnostic) => ({ ...diagnostic, file })) };
  return { ok: true, value: parsed.value, locate: (path) => locateInJson(text, path).value };
}

function isJson(file: string, text: string): boolean {
  const extension = extname(file).toLowerCase();
  if (extension === ".json") return true;
  if (extension === ".yaml" || extension === ".yml") return false;
  return /^\s*[[{"]/.test(text);
}

/** The YAML parser is loaded with the first YAML: most of what is read is JSON, and it is slow to load. */
async function yamlDocument(text: string, file: string): Promise<DocumentResult> {
  const { parseYaml } = await import("./yaml-text.js");
  const parsed = parseYaml(text, file);
  if (!parsed.ok) return parsed;
  const [document, second] = parsed.documents;
  if (document !== undefined && second === undefined)
    return { ok: true, value: document.value, locate: document.locate };
  const diagnostic: Diagnostic =
    second === undefined
      ? {
          code: "DOCUMENT_EMPTY",
          path: "",
          message: "has no content",
          file,
          line: 1,
          column: 1,
          fix: "Write the document.",
        }
      : {
          code: "DOCUMENT_SEVERAL",
          path: "",
          message: `holds ${parsed.documents.length} documents where one is expected`,
          file,
          ...second.locate([]),
          fix: "Keep one document per file.",
        };
  return { ok: false, diagnostics: [diagnostic] };
}

/** Read a file as UTF-8 text without a byte order mark. Its contract is that of readDocument. */
export async function readText(
  file: string,
  maxBytes: number = DEFAULT_MAX_BYTES,
  { from, read = readUpTo }: TakenFrom = {},
): Promise<TextResult> {
  let bytes: Uint8Array | null;
  try {
    bytes = await read(from === undefined ? file : resolve(from, file), maxBytes);
  } catch (error) {
    throw readError(file, error);
  }
  if (bytes === null) return { ok: false, diagnostics: [{ ...tooLarge(maxBytes), file }] };
  try {
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    const message = "is not valid UTF-8";
    return {
      ok: false,
      diagnostics: [{ code: "DOCUMENT_ENCODING", path: "", message, file, fix: "Save the file as UTF-8." }],
    };
  }
}

function readError(file: string, cause: unknown): CoordinatorError {
  if (cause instanceof CoordinatorError) return cause;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (code === "ENOENT" || code === "ENOTDIR")
    return new CoordinatorError("FILE_NOT_FOUND", `There is no file ${file}.`, {
      cause,
      fix: "Check the path; it is taken from the current directory.",
    });
  const known: Record<string, [reason: string, fix: string]> = {
    EACCES: ["permission is denied", "Give this user the right to read it."],
    EPERM: ["permission is denied", "Give this user the right to read it."],
    EMFILE: ["too many files are open", "Raise the limit of open files and try again."],
  };
  const [reason, fix] = known[code] ?? [cause instanceof Error ? cause.message : String(cause), "Check the file."];
  return new CoordinatorError("FILE_UNREADABLE", `Cannot read ${file}: ${reason}.`, {
    cause,
    fix,
    retryable: code === "EMFILE",
  });
}
