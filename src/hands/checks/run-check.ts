import { createHash } from "node:crypto";
import { withoutSecrets } from "../../foundation/files/known-secrets.js";
import type { Check, CheckResult } from "../../model/settings/check.js";
import { tailOf } from "../../foundation/secrets/tail-of.js";
import type { Sandbox, SandboxedProcess } from "../sandbox/sandbox.js";
import { startObservation } from "./observe.js";
import { COVERAGE_FILES, readCoverage } from "./reach/coverage.js";
import { readPrinted, readReport } from "./reports/read-report.js";
import { UNATTENDED } from "./unattended.js";

/** Characters of the output that are kept for people; the report is read from all of it, up to a limit. */
const TAIL = 8_000;
const MOST = 64 * 1024 * 1024;

export interface CheckPlace {
  readonly sandbox: Sandbox;
  /** The tree that stands in the sandbox. */
  readonly tree: string;
  /** A file the check wrote in its workspace, or null. Contract: follows no link and reads no more than `most` bytes. */
  readonly readFile: (path: string, most: number) => Promise<string | null>;
  /** Further environment variables, such as its ports. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * Contract: never rejects for what the program does; a program that cannot be started has not passed. Secrets it printed
 * are taken out of what is kept, ids of findings included: the same ones on every tree, so that they still compare.
 */
export async function runCheck(check: Check, place: CheckPlace): Promise<CheckResult> {
  const first = await runOnce(check, place);
  if (!STOPPED_AT_COLLECTION.test(first.output)) return first;
  // Files of tests that cannot be loaded must not hide all the others.
  const env = { ...place.env, PYTEST_ADDOPTS: "--continue-on-collection-errors" };
  const second = await runOnce(check, { ...place, env });
  return second.findings.some(({ status }) => status === "passed") ? second : first;
}

/** Pytest runs nothing at all when it cannot load one of its files. */
const STOPPED_AT_COLLECTION = /^!+ (?:xdist\.dsession\.)?Interrupted: \d+ errors? during collection !+$/m;

async function runOnce(check: Check, place: CheckPlace): Promise<CheckResult> {
  const { file } = check.report;
  // A report that lies there already is none of this run.
  if (file !== undefined) await removeFile(place, file);
  const before = check.kind === "test" ? await coverageIn(place) : [];
  const child = place.sandbox.spawn({
    argv: ["sh", "-c", check.run],
    env: { ...UNATTENDED, ...place.env },
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end();
  const seen = startObservation(check, place.tree);
  const output = gather(child, seen.printed);
  const ended = await untilEnd(child, check.minutes, place.signal);
  const printed = await output;
  const written = file === undefined ? null : await writtenReport(place, file);
  const coverage = check.kind === "test" ? newCoverage(before, await coverageIn(place)) : null;
  const { format, findings } =
    written === null
      ? readPrinted(printed, check.report.format, check.kind)
      : readReport(written, check.report.format, check.kind);
  seen.ended({ ended: ended.how, exit_code: ended.code, findings });
  return {
    check: check.name,
    kind: check.kind,
    command: check.run,
    tree: place.tree,
    exit_code: ended.code,
    ended: ended.how,
    format,
    findings: withoutSecrets(findings),
    // More than is kept: of a secret that is cut in two, neither part would be known.
    output: tailOf(withoutSecrets(tailOf(printed.all, 8 * TAIL)), TAIL),
    output_sha256: createHash("sha256").update(printed.all).digest("hex"),
    ...(coverage === null ? {} : { coverage }),
  };
}

/** The texts of reports of coverage that lie in the workspace, in a fixed order. */
async function coverageIn({ readFile }: CheckPlace): Promise<(string | null)[]> {
  return Promise.all(COVERAGE_FILES.map((path) => readFile(path, MOST).catch(() => null)));
}

/** Reads the coverage report that this run wrote: one that was there before says nothing of it. */
function newCoverage(
  before: readonly (string | null)[],
  after: readonly (string | null)[],
): CheckResult["coverage"] | null {
  for (const [i, text] of after.entries()) {
    const read = text === null || text === before[i] ? null : readCoverage(text);
    if (read !== null) return read;
  }
  return null;
}

interface Ended {
  readonly how: CheckResult["ended"];
  readonly code: number | null;
}

async function untilEnd(child: SandboxedProcess, minutes: number, signal: AbortSignal): Promise<Ended> {
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

interface Printed {
  readonly stdout: string;
  readonly all: string;
}

/** Both streams line by line in the order they came, the first part up to the limit and not a byte more in memory. */
function gather(
  { stdout, stderr }: SandboxedProcess,
  seen: (piece: Buffer) => void = () => undefined,
): Promise<Printed> {
  const all: Buffer[] = [];
  let size = 0;
  const linesOf = (stream: typeof stdout) =>
    new Promise<string>((resolve) => {
      const lines: Buffer[] = [];
      let rest: Buffer[] = [];
      const take = (...pieces: readonly Buffer[]) => {
        lines.push(...pieces);
        all.push(...pieces);
      };
      stream.on("data", (piece: Buffer) => {
        seen(piece);
        if (size < MOST) {
          const end = piece.lastIndexOf(10) + 1;
          if (end > 0) take(...rest.splice(0), piece.subarray(0, end));
          if (end < piece.length) rest.push(piece.subarray(end));
        }
        size += piece.length;
      });
      const finish = () => {
        take(...rest);
        rest = [];
        resolve(Buffer.concat(lines).toString("utf8"));
      };
      stream.once("close", finish).once("error", finish);
    });
  return Promise.all([linesOf(stdout), linesOf(stderr)]).then(([out]) => ({
    stdout: out,
    all: Buffer.concat(all).toString("utf8"),
  }));
}

/** Programs that write a file for each class of tests are named by a pattern; `*` in it stands for anything. */
function asPattern(file: string): string | null {
  if (!file.includes("*")) return null;
  const pattern = file.replace(/^\.\//, "").replaceAll(/\*\*\/?/g, "*");
  return file.startsWith("**/") ? `*/${pattern.slice(1)}` : `./${pattern}`;
}

/** All that fit the pattern, one behind the other in the order of their names. */
async function writtenReport(place: CheckPlace, file: string): Promise<string | null> {
  const pattern = asPattern(file);
  if (pattern === null) return place.readFile(file, MOST);
  const found = await inSandbox(place, ["find", ".", "-type", "f", "-path", pattern, "-print0"]);
  const texts: string[] = [];
  let left = MOST;
  for (const name of found
    .split("\0")
    .filter((each) => each !== "")
    .sort()) {
    const text = left > 0 ? await place.readFile(name.replace(/^\.\//, ""), left) : null;
    if (text !== null) texts.push(text);
    left -= text?.length ?? 0;
  }
  return texts.length === 0 ? null : texts.join("\n");
}

/** In the sandbox, where whatever the name leads to is the workspace's own. */
async function removeFile(place: CheckPlace, file: string): Promise<void> {
  const pattern = asPattern(file);
  await inSandbox(
    place,
    pattern === null ? ["rm", "-f", "--", file] : ["find", ".", "-type", "f", "-path", pattern, "-delete"],
  );
}

/** Runs a command in the sandbox and returns its output. */
async function inSandbox({ sandbox, signal }: CheckPlace, argv: readonly [string, ...string[]]): Promise<string> {
  const child = sandbox.spawn({ argv, env: {} });
  child.stdin.on("error", () => undefined);
  child.stdin.end();
  const output = gather(child);
  await untilEnd(child, 1, signal);
  return (await output).stdout;
}
