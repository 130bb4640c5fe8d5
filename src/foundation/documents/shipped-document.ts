import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { readFile } from "../files/read-files.js";
import { type DocumentResult, parseDocument, readText, type TakenFrom } from "./read-document.js";

/** Where the build puts what the YAML files of the package say, as JSON under the checksum of their text. */
const BUILT = new URL("../../shipped/", import.meta.url);

/**
 * Read a YAML file that comes with the package, from the JSON the build made of it where there is one: reading a large
 * policy as YAML takes longer than everything else a short command does.
 *
 * Contract: the value readDocument gives. The JSON is found by the checksum of the file's text, so a file that was changed
 * after the build is read itself. Of what came as JSON no places are known: the build took only what is sound.
 */
export async function readShipped(
  file: string,
  options: TakenFrom & { readonly built?: URL } = {},
): Promise<DocumentResult> {
  const { built = BUILT } = options;
  const read = await readText(file, undefined, options);
  if (!read.ok) return read;
  const json = await readFile(fileURLToPath(new URL(builtName(read.text), built)), "utf8").catch(() => null);
  if (json === null) return parseDocument(read.text, file);
  return { ok: true, value: JSON.parse(json) as unknown, locate: () => ({ line: 1, column: 1 }) };
}

export function builtName(text: string): string {
  return `${createHash("sha256").update(text).digest("hex")}.json`;
}
