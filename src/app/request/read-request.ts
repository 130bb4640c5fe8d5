import { extname } from "node:path";
import { DEFAULT_MAX_BYTES, parseJson, tooLarge } from "../../foundation/documents/json-text.js";
import { readText } from "../../foundation/documents/read-document.js";
import { locateInJson } from "../../foundation/documents/scan-json.js";
import type { Diagnostic } from "../../model/diagnostic.js";
import type { Located } from "../../foundation/documents/path-segments.js";
import { readRaw } from "../project/read-input.js";

export const STDIN = "-";

/** The content of FILE: a request in plain words, or a document. */
export type Given =
  | { readonly ok: true; readonly form: "words"; readonly text: string; readonly file: string }
  | ({ readonly ok: true; readonly form: "document"; readonly value: unknown } & Located)
  | { readonly ok: false; readonly problems: readonly Diagnostic[] };

const DOCUMENTS = new Set([".json", ".yaml", ".yml"]);
const WORDS = new Set([".txt", ".md"]);

/**
 * Read a request from a file or from `-`, stdin. The extension says what a file holds; without one that says so, what
 * begins with `{` is a JSON document and everything else is plain words.
 *
 * Contract: never rejects; what cannot be read is told with its place. `input` is read for `-` alone.
 */
export async function readRequest(file: string, cwd: string, input: AsyncIterable<Uint8Array>): Promise<Given> {
  const extension = file === STDIN ? "" : extname(file).toLowerCase();
  if (DOCUMENTS.has(extension)) {
    const raw = await readRaw(file, cwd);
    return raw.ok ? { ...raw, form: "document" } : raw;
  }
  const name = file === STDIN ? "stdin" : file;
  const read = file === STDIN ? await readAll(input, name) : await readText(file, undefined, { from: cwd });
  if (!read.ok) return { ok: false, problems: read.diagnostics };
  const { text } = read;
  if (WORDS.has(extension) || !/^\s*\{/.test(text)) return { ok: true, form: "words", text, file: name };
  const parsed = parseJson(text);
  if (parsed.ok)
    return {
      ok: true,
      form: "document",
      value: parsed.value,
      file: name,
      locate: (path) => locateInJson(text, path).value,
    };
  const fix = "What begins with { is read as JSON; plain words that do belong in a file that ends in .txt or .md.";
  return { ok: false, problems: parsed.diagnostics.map((problem) => ({ fix, ...problem, file: name })) };
}

async function readAll(input: AsyncIterable<Uint8Array>, file: string): ReturnType<typeof readText> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    size += chunk.length;
    if (size > DEFAULT_MAX_BYTES) return { ok: false, diagnostics: [{ ...tooLarge(DEFAULT_MAX_BYTES), file }] };
    chunks.push(chunk);
  }
  try {
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)) };
  } catch {
    return {
      ok: false,
      diagnostics: [
        { code: "DOCUMENT_ENCODING", path: "", message: "is not valid UTF-8", file, fix: "Send the text as UTF-8." },
      ],
    };
  }
}
