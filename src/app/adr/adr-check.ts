import { dirname, resolve } from "node:path";
import { readdir } from "../../foundation/files/read-files.js";
import { breakDown } from "../../mind/adr/break-down.js";
import { isDecisionRecord } from "../../mind/adr/is-record.js";
import { parseAdr } from "../../mind/adr/parse-adr.js";
import { nameApart, filesSharingNumber } from "../../mind/adr/share-number.js";
import { readText } from "../../foundation/documents/read-document.js";
import { readLearnedModel } from "../../foundation/documents/shipped-model.js";
import type { LearnedModel } from "../../foundation/learned/model.js";
import type { Diagnostic } from "../../model/diagnostic.js";
import { CoordinatorError } from "../../model/errors.js";
import { sha256 } from "../../hands/store/sha256.js";
import { EXIT } from "../exit-codes.js";
import { fail, finish, type Finished } from "../report.js";
import type { AdrRecord } from "../adr-reports.js";
import { adrJson } from "./adr-json.js";
import { mayBeRecord } from "./adr-files.js";
import { readTakenAdrs, withTakenRuns } from "./recognise-records.js";
import { type Decided, runBatch } from "../request/batch.js";
import type { Project } from "../project/project.js";
import type { Streams } from "../streams.js";

export interface AdrCheckArguments {
  readonly files: readonly string[];
  readonly batch: boolean;
}

/** Read records and break them into tasks. Contract: a file that cannot be read does not stop the others. */
export async function checkAdrs(
  { files, batch }: AdrCheckArguments,
  project: Project,
  streams: Streams,
): Promise<Finished> {
  const { cwd } = project;
  const [first = "", ...more] = files;
  if (batch && more.length > 0)
    return fail(EXIT.invalid, "USAGE", "--batch takes one file of JSON lines", { fix: "Name it, or - for stdin." });
  if (batch) return runBatch(first, cwd, streams, (value, line) => checkLine(value, line, cwd));
  const records: AdrRecord[] = [];
  const siblings = siblingsReader(cwd);
  for (const file of files) records.push(mustBeRecord(await readAdr(file, cwd, siblings)));
  const compared = withTakenRuns(records, await readTakenAdrs(project), project);
  return finish(records.every(({ ok }) => ok) ? EXIT.done : EXIT.invalid, { type: "adr_check", records: compared });
}

/** Reads which files a folder has, each folder once. */
export type Siblings = (file: string) => Promise<readonly string[]>;

export function siblingsReader(cwd: string): Siblings {
  const known = new Map<string, Promise<readonly string[]>>();
  return (file) => {
    const folder = dirname(file);
    const names =
      known.get(folder) ??
      readdir(resolve(cwd, folder)).then(
        (all) => all.filter(mayBeRecord),
        () => [],
      );
    known.set(folder, names);
    return names;
  };
}

export async function readAdr(file: string, cwd: string, siblings?: Siblings): Promise<AdrRecord> {
  return (await readAdrText(file, cwd, siblings)).record;
}

/** A record with the text it was read from. Contract: one read; the checksum of the record is that of the text. */
export async function readAdrText(
  file: string,
  cwd: string,
  siblings: Siblings = siblingsReader(cwd),
): Promise<{ readonly record: AdrRecord; readonly text: string }> {
  try {
    const read = await readText(file, undefined, { from: cwd });
    if (!read.ok) return { record: { ok: false, file, problems: read.diagnostics }, text: "" };
    const { text } = read;
    return { record: await checkRecord(file, text, filesSharingNumber(file, await siblings(file))), text };
  } catch (error) {
    if (!(error instanceof CoordinatorError)) throw error;
    const { code, message, fix } = error;
    const problem = { code, path: "", message, file, ...(fix === undefined ? {} : { fix }) };
    return { record: { ok: false, file, problems: [problem] }, text: "" };
  }
}

/** A folder of records may hold other texts, which say nothing; a file that somebody names is meant to be a record. */
function mustBeRecord(record: AdrRecord): AdrRecord {
  if (!record.ok || isDecisionRecord(record.adr)) return record;
  const { file } = record.adr;
  const problem: Diagnostic = {
    code: "ADR_NOT_A_RECORD",
    path: "",
    message: "is not a decision record: it states no status and has no section that decides",
    file,
    line: 1,
    column: 1,
    fix: "Name a decision record, or give the text a section Status and a section Decision.",
  };
  return { ok: false, file, problems: [problem] };
}

/** The weights, read once by a process that reads records. */
let weights: Promise<LearnedModel> | undefined;

async function checkRecord(file: string, text: string, others: readonly string[] = []): Promise<AdrRecord> {
  const adr = nameApart(parseAdr(text, file), others);
  weights ??= readLearnedModel("adr");
  return { ok: true, adr, breakdown: breakDown(adr, await weights), checksum: sha256(text), taken: null };
}

async function checkLine(value: unknown, line: number, cwd: string): Promise<Decided> {
  const { file, text } = isRecord(value) ? value : {};
  if (typeof file !== "string" || file === "" || (text !== undefined && typeof text !== "string"))
    return {
      ok: false,
      problems: [{ code: "DOCUMENT_INVALID", path: "", message: "is not {file, text} with two strings" }],
    };
  const record = mustBeRecord(text === undefined ? await readAdr(file, cwd) : await checkRecord(file, text));
  return record.ok ? { ok: true, record: { line, ...adrJson(record) } } : record;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
