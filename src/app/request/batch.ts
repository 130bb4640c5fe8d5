import { resolve } from "node:path";
import { parseJson } from "../../foundation/documents/json-text.js";
import { openToRead } from "../../foundation/files/read-files.js";
import type { Diagnostic } from "../../model/diagnostic.js";
import { CoordinatorError } from "../../model/errors.js";
import { EXIT } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import { STDIN } from "./read-request.js";
import { type Line, splitLines } from "../project/split-lines.js";
import type { Streams } from "../streams.js";

/** The outcome of one line: the record to write, or why there is none. */
export type Decided =
  | { readonly ok: true; readonly record: object }
  | { readonly ok: false; readonly problems: readonly Diagnostic[] };

export type Decide = (value: unknown, line: number) => Promise<Decided> | Decided;

const LONGEST_LINE = 4 * 1024 * 1024;
const WRITTEN_AT_ONCE = 64 * 1024;
const MOST_PROBLEMS = 5;

/**
 * Decide JSON lines one after the other, in their order, one record out for each line in.
 *
 * Contract: what is held is one chunk of input and 64 KiB of output and one line, however many lines there are. A bad
 * line gives an error record and the others go on; an empty line gives nothing.
 */
export async function runBatch(
  file: string,
  cwd: string,
  { input, write }: Streams,
  decide: Decide,
): Promise<Finished> {
  const count = { decided: 0, bad: 0 };
  let ready = "";
  for await (const lines of splitLines(file === STDIN ? input : readFile(file, cwd), LONGEST_LINE)) {
    for (const line of lines) {
      const record = await recordOf(line, decide);
      if (record === null) continue;
      count[record.bad ? "bad" : "decided"]++;
      ready += `${record.json}\n`;
      if (ready.length < WRITTEN_AT_ONCE) continue;
      await write(ready);
      ready = "";
    }
    // Nothing waits here for more input to come.
    if (ready !== "") await write(ready);
    ready = "";
  }
  return finish(count.bad > 0 ? EXIT.invalid : EXIT.done, { type: "batch", ...count });
}

async function* readFile(file: string, cwd: string): AsyncGenerator<Uint8Array> {
  const handle = await openToRead(resolve(cwd, file)).catch((cause: unknown) => {
    throw cannotRead(file, cause);
  });
  try {
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(64 * 1024)).catch((cause: unknown) => {
        throw cannotRead(file, cause);
      });
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

function cannotRead(file: string, cause: unknown): CoordinatorError {
  if (cause instanceof CoordinatorError) return cause;
  if (cause instanceof Error && "code" in cause && cause.code === "ENOENT")
    return new CoordinatorError("FILE_NOT_FOUND", `There is no file ${file}.`, {
      cause,
      fix: "Check the path; it is taken from the current directory.",
    });
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CoordinatorError("FILE_UNREADABLE", `Cannot read ${file}: ${reason}.`, { cause, fix: "Check the file." });
}

async function recordOf(line: Line, decide: Decide): Promise<{ readonly bad: boolean; readonly json: string } | null> {
  const parsed = parse(line);
  if (parsed === null) return null;
  const decided = parsed.ok ? await decide(parsed.value, line.number) : parsed;
  if (decided.ok) return { bad: false, json: JSON.stringify(decided.record) };
  const { problems } = decided;
  const [first] = problems;
  const message = `${first?.path === undefined || first.path === "" ? "the line" : first.path} ${first?.message ?? ""}`;
  const record = {
    type: "error",
    line: line.number,
    code: first?.code ?? "DOCUMENT_INVALID",
    message,
    problems: problems.slice(0, MOST_PROBLEMS).map((problem) => ({ ...problem, line: line.number })),
  };
  return { bad: true, json: JSON.stringify(record) };
}

function parse({ bytes }: Line): { ok: true; value: unknown } | (Decided & { ok: false }) | null {
  const bad = (code: string, message: string): Decided & { ok: false } => ({
    ok: false,
    problems: [{ code, path: "", message }],
  });
  if (bytes === null) return bad("DOCUMENT_TOO_LARGE", `is longer than ${LONGEST_LINE} bytes`);
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    return bad("DOCUMENT_ENCODING", "is not valid UTF-8");
  }
  if (text.trim() === "") return null;
  const parsed = parseJson(text);
  return parsed.ok ? parsed : { ok: false, problems: parsed.diagnostics };
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });
