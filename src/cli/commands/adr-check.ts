import { breakDown } from "../../adr/break-down.js";
import { parseAdr } from "../../adr/parse-adr.js";
import { readText } from "../../documents/read-document.js";
import { CoordinatorError } from "../../model/errors.js";
import type { TakenAdr } from "../../runs/taken-adrs.js";
import { sha256 } from "../../store/sha256.js";
import { EXIT } from "../exit-codes.js";
import { type AdrRecord, failed, finished, type Finished } from "../report.js";
import { adrJson } from "../views/json/adr.js";
import { adrsTaken } from "./adr-taken.js";
import { type Decided, runBatch } from "./batch.js";
import type { Streams } from "./streams.js";

export interface AdrCheckArguments {
  readonly files: readonly string[];
  readonly batch: boolean;
}

/** Read records and break them into tasks. Contract: a file that cannot be read does not stop the others. */
export async function checkAdrs({ files, batch }: AdrCheckArguments, streams: Streams): Promise<Finished> {
  const [first = "", ...more] = files;
  if (batch && more.length > 0)
    return failed(EXIT.invalid, "USAGE", "--batch takes one file of JSON lines", { fix: "Name it, or - for stdin." });
  if (batch) return runBatch(first, streams, checkLine);
  const records: AdrRecord[] = [];
  const taken = await adrsTaken();
  for (const file of files) records.push(compared(await readAdr(file), taken));
  return finished(records.every(({ ok }) => ok) ? EXIT.done : EXIT.invalid, { type: "adr_check", records });
}

export async function readAdr(file: string): Promise<AdrRecord> {
  try {
    const read = await readText(file);
    return read.ok ? judged(file, read.text) : { ok: false, file, problems: read.diagnostics };
  } catch (error) {
    if (!(error instanceof CoordinatorError)) throw error;
    const { code, message, fix } = error;
    return { ok: false, file, problems: [{ code, path: "", message, file, ...(fix === undefined ? {} : { fix }) }] };
  }
}

function judged(file: string, text: string): AdrRecord {
  const adr = parseAdr(text, file);
  return { ok: true, adr, breakdown: breakDown(adr), checksum: sha256(text), taken: null };
}

/** The record with the run that took it, and whether it has changed since: what was approved is not changed. */
export function compared(record: AdrRecord, runs: readonly TakenAdr[]): AdrRecord {
  if (!record.ok) return record;
  const run = runs.findLast(({ adr }) => adr.label === record.adr.label);
  if (run === undefined) return record;
  return { ...record, taken: { run_id: run.run_id, changed: run.adr.checksum !== record.checksum } };
}

async function checkLine(value: unknown, line: number): Promise<Decided> {
  const { file, text } = isRecord(value) ? value : {};
  if (typeof file !== "string" || file === "" || (text !== undefined && typeof text !== "string"))
    return {
      ok: false,
      problems: [{ code: "DOCUMENT_INVALID", path: "", message: "is not {file, text} with two strings" }],
    };
  const record = text === undefined ? await readAdr(file) : judged(file, text);
  return record.ok ? { ok: true, record: { line, ...adrJson(record) } } : record;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
