import { randomBytes } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { readFileSync, readdirSync } from "../../foundation/files/read-files.js";
import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from "../../foundation/files/write-files-sync.js";
import { crashPoint } from "../../foundation/processes/crash-points.js";
import { syncFolderNow } from "../../foundation/files/durable.js";
import { withoutKeys } from "../../foundation/files/known-secrets.js";
import { byCodeUnit } from "../../model/by-code-unit.js";
import { CoordinatorError } from "../../model/errors.js";
import { RunEvent } from "../../model/event.js";
import { DateTime } from "../../model/primitives.js";
import { LogKey } from "../../model/run.js";

/*
 * How a person's decision reaches a run that another process works on: a file for each. It is complete and durable
 * before it has its name, and goes away only when its verdict is durable beside it. Anyone who writes to the store takes
 * them; a process that dies in between leaves them for the next.
 *
 *   signals/sig_….json           left: what was decided, and by whom
 *   signals/sig_….verdict.json   judged: taken as which event, or refused and why
 */

export const Signal = z.strictObject({
  signal_id: z.string().regex(/^sig_[a-z0-9-]{4,60}$/),
  run_id: LogKey,
  event: RunEvent,
  /** The sender: their name, and the role they act as. */
  roles: z.array(z.string().min(1).max(200)).min(1).max(100),
  /** The last event the sender had seen: the decision can only stand behind it. */
  after: z.int().min(0),
  sent_at: DateTime,
});
export type Signal = z.infer<typeof Signal>;

export const SignalVerdict = z.discriminatedUnion("status", [
  z.strictObject({ status: z.literal("taken"), sequence: z.int().min(1) }),
  z.strictObject({ status: z.literal("refused"), reason: z.string() }),
]);
export type SignalVerdict = z.infer<typeof SignalVerdict>;

/** Ids sort as they were made, so that signals are taken in the order they were sent. */
export function newSignalId(nowMs: number): string {
  return `sig_${nowMs.toString(36).padStart(9, "0")}-${randomBytes(6).toString("hex")}`;
}

const VERDICT = ".verdict.json";
const signalFile = (folder: string, id: string) => join(folder, `${id}.json`);
const verdictFile = (folder: string, id: string) => join(folder, `${id}${VERDICT}`);

/**
 * Put a signal into the box. Contract: durable when it returns; throws FILE_WRITE_FAILED, and USAGE for one that nobody
 * could read again.
 */
export function leaveSignal(folder: string, signal: Signal): void {
  refuseUnreadable(signal);
  mkdirSync(folder, { recursive: true });
  writeOnce(signalFile(folder, signal.signal_id), signal);
  crashPoint("signal.left");
}

/** Contract: throws USAGE for a signal that nobody could read again. */
export function refuseUnreadable(signal: Signal): void {
  const problem = Signal.safeParse(signal).error?.issues[0];
  if (problem !== undefined)
    throw new CoordinatorError("USAGE", `This cannot be sent: ${problem.path.join(".")}: ${problem.message}`, {
      fix: "Names and roles have at most 200 characters together.",
    });
}

export function isLeft(folder: string, signalId: string): boolean {
  return existsSync(signalFile(folder, signalId));
}

/** Reads the signals that are not judged yet, oldest first. A file that is not a signal is set aside and not read again. */
export function leftSignals(folder: string): Signal[] {
  return names(folder)
    .filter((name) => /^sig_[a-z0-9-]+\.json$/.test(name))
    .sort(byCodeUnit)
    .flatMap((name) => {
      const path = join(folder, name);
      const signal = readAs(path, Signal);
      if (signal === "gone") return [];
      if (signal !== null && `${signal.signal_id}.json` === name) return [signal];
      renameSync(path, `${path}.unreadable`);
      return [];
    });
}

/** Contract: null while nobody has judged it. */
export function readVerdict(folder: string, signalId: string): SignalVerdict | null {
  const verdict = readAs(verdictFile(folder, signalId), SignalVerdict);
  return verdict === "gone" ? null : verdict;
}

/** Write down what became of a signal, then take it out of the box. Contract: the first verdict stands. */
export function judgeSignal(folder: string, { signal_id }: Signal, verdict: SignalVerdict): void {
  writeOnce(verdictFile(folder, signal_id), verdict);
  crashPoint("signal.judged");
  rmSync(signalFile(folder, signal_id), { force: true });
}

/** The sender has read the verdict. One whose signal is still there stays: it says that it was judged. */
export function forgetVerdict(folder: string, signalId: string): void {
  if (!isLeft(folder, signalId)) rmSync(verdictFile(folder, signalId), { force: true });
}

const A_DAY_MS = 86_400_000;

/** Take away what nobody will come back for: verdicts whose senders are gone, and drafts of those who died writing. */
export function sweepBox(folder: string, nowMs: number): void {
  for (const name of names(folder)) {
    const path = join(folder, name);
    const isOld = nowMs - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs) > A_DAY_MS;
    const isSpent =
      name.endsWith(".draft") || (name.endsWith(VERDICT) && !isLeft(folder, name.slice(0, -VERDICT.length)));
    if (isOld && isSpent) rmSync(path, { force: true });
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    if (cause instanceof CoordinatorError) throw cause;
    throw new CoordinatorError("FILE_UNREADABLE", `The signals in ${folder} cannot be read`, { cause });
  }
}

function readAs<T>(path: string, schema: z.ZodType<T>): T | null | "gone" {
  try {
    const read = schema.safeParse(JSON.parse(readFileSync(path, "utf8")));
    return read.success ? read.data : null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "gone" : null;
  }
}

/** A file that is there complete or not at all, and that survives the power. One that is there already stays. */
function writeOnce(path: string, value: unknown): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}.draft`;
  try {
    writeFileSync(draft, `${JSON.stringify(withoutKeys(value))}\n`, { flag: "wx", mode: 0o600, flush: true });
    try {
      linkSync(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    syncFolderNow(dirname(path));
  } catch (cause) {
    if (cause instanceof CoordinatorError) throw cause;
    throw new CoordinatorError("FILE_WRITE_FAILED", `Cannot write ${path}: ${(cause as Error).message}`, {
      cause,
      fix: "Check that its folder can be written to and has room.",
    });
  } finally {
    rmSync(draft, { force: true });
  }
}
