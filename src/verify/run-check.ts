import { createHash } from "node:crypto";
import type { Check, CheckResult } from "../model/check.js";
import type { Cage, CagedProcess } from "../workspace/sandbox/cage.js";
import { readReport } from "./reports/read-report.js";

/** What is kept of the output for people; the report is read from all of it, up to a limit. */
const TAIL = 8_000;
const MOST = 64 * 1024 * 1024;

export interface CheckPlace {
  readonly cage: Cage;
  /** The tree that stands in the cage. */
  readonly tree: string;
  /** A file the check wrote in its workspace, or null. Contract: follows no link and reads no more than `most` bytes. */
  readonly readFile: (path: string, most: number) => Promise<string | null>;
  /** What it is told beside the usual, such as its ports. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Contract: never rejects for what the program does; a program that cannot be started has not passed. */
export async function runCheck(check: Check, place: CheckPlace): Promise<CheckResult> {
  const child = place.cage.spawn({
    argv: ["sh", "-c", check.run],
    env: { CI: "1", NO_COLOR: "1", TERM: "dumb", ...place.env },
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end();
  const output = gather(child);
  const ended = await untilEnd(child, check.minutes, place.signal);
  const printed = await output;
  const file = check.report.file;
  const report = file === undefined ? printed : ((await place.readFile(file, MOST)) ?? printed);
  const { format, findings } = readReport(report, check.report.format);
  return {
    check: check.name,
    kind: check.kind,
    command: check.run,
    tree: place.tree,
    exit_code: ended.code,
    ended: ended.how,
    format,
    findings,
    output: printed.slice(-TAIL),
    output_sha256: createHash("sha256").update(printed).digest("hex"),
  };
}

interface Ended {
  readonly how: CheckResult["ended"];
  readonly code: number | null;
}

async function untilEnd(child: CagedProcess, minutes: number, signal: AbortSignal): Promise<Ended> {
  let stoppedBy: "timed_out" | "killed" | null = null;
  const stop = (how: "timed_out" | "killed") => {
    stoppedBy ??= how;
    child.kill();
  };
  const cancel = () => stop("killed");
  const timer = setTimeout(() => stop("timed_out"), minutes * 60_000);
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  const { code, signal: by, error } = await child.exited;
  clearTimeout(timer);
  signal.removeEventListener("abort", cancel);
  if (error !== undefined) return { how: "not_started", code: null };
  return { how: stoppedBy ?? (by === null ? "exited" : "killed"), code };
}

/** Both streams in the order they came, the first part up to the limit and not a byte more in memory. */
function gather({ stdout, stderr }: CagedProcess): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  const take = (piece: Buffer) => {
    if (size < MOST) pieces.push(piece);
    size += piece.length;
  };
  const drained = [stdout, stderr].map(
    (stream) =>
      new Promise<void>((resolve) => {
        stream.on("data", take);
        stream.once("close", resolve).once("error", () => resolve());
      }),
  );
  return Promise.all(drained).then(() => Buffer.concat(pieces).toString("utf8"));
}
