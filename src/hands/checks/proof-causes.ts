/*
 * Why a check did not run, read from what it printed. Each pattern is what a shell, a package manager, a compiler or a
 * runner of tests prints itself when it cannot begin; the first that fits is the cause, so those that lead to others come first.
 */

export type ProofKind =
  | "not_started"
  | "program_missing"
  | "does_not_compile"
  | "collection_error"
  | "timed_out"
  | "no_tests"
  | "failed_whole"
  | "environment";

export interface ProofCause {
  readonly kind: ProofKind;
  /** For people, in one line: "xo: not found". */
  readonly message: string;
}

interface Sign {
  readonly kind: ProofKind;
  readonly pattern: RegExp;
  /** The message for people; the whole line when absent. */
  readonly tell?: (match: RegExpExecArray) => string;
}

const notFoundText = (match: RegExpExecArray) => `${match[1] ?? ""}: not found`;

const SIGNS: readonly Sign[] = [
  // Shells and what they were asked to start.
  {
    kind: "program_missing",
    pattern: /^(?:\S*sh|dash|busybox): (?:line )?(?:\d+: )?(\S+): (?:command )?not found$/m,
    tell: notFoundText,
  },
  { kind: "program_missing", pattern: /^\S+: (?:line )?\d+: (\S+): (?:command )?not found$/m, tell: notFoundText },
  {
    kind: "program_missing",
    pattern: /^(?:\S*\/)?g?make(?:\[\d+\])?: (\S+): No such file or directory$/m,
    tell: notFoundText,
  },
  {
    kind: "program_missing",
    pattern: /^(?:\/usr\/bin\/)?env: [‘'"]?([^’'":]+)[’'"]?: No such file or directory$/m,
    tell: notFoundText,
  },
  { kind: "program_missing", pattern: /exec: "([^"]+)": executable file not found in \$PATH/, tell: notFoundText },
  { kind: "program_missing", pattern: /\bspawn (\S+) ENOENT\b/, tell: notFoundText },
  {
    kind: "program_missing",
    pattern: /^\S*python[\d.]*: No module named (\S+?)(?:\.__main__)?(?:;.*)?$/m,
    tell: notFoundText,
  },
  {
    kind: "program_missing",
    pattern: /^error: no such (?:sub)?command: `?([\w-]+)`?/m,
    tell: (m) => `cargo ${m[1] ?? ""}: not found`,
  },
  {
    kind: "program_missing",
    pattern: /^\S*sh: (?:line )?(?:\d+: )?(\S+): Permission denied$/m,
    tell: (m) => `${m[1] ?? ""}: may not be executed`,
  },
  {
    kind: "program_missing",
    pattern: /Missing script: "?([^"\s]+)"?/,
    tell: (m) => `package.json has no script "${m[1] ?? ""}"`,
  },
  {
    kind: "program_missing",
    pattern: /ERR_PNPM_NO_SCRIPT\S*\s+Missing script: (\S+)/,
    tell: (m) => `package.json has no script "${m[1] ?? ""}"`,
  },
  {
    kind: "program_missing",
    pattern: /^(?:error )?(?:Command|Couldn't find a script named) "([^"]+)"(?: not found\.?| ?\.)?/m,
    tell: notFoundText,
  },
  {
    kind: "program_missing",
    pattern: /npx canceled due to missing packages and no YES option: \["([^"@]+)/,
    tell: notFoundText,
  },
  { kind: "program_missing", pattern: /ERR_PNPM_\w+\s+Command "([^"]+)" not found/, tell: notFoundText },
  {
    kind: "program_missing",
    pattern:
      /^g?make(?:\[\d+\])?: \*\*\* (No rule to make target .*|No targets specified and no makefile found)\.? +Stop\.$/m,
    tell: (m) => m[1] ?? "",
  },

  // Runners that say themselves that there was nothing to run.
  { kind: "no_tests", pattern: /Error: no test specified/ },

  // Tests that could not be loaded.
  {
    kind: "collection_error",
    pattern: /^ImportError while loading conftest .*$(?:\n.*?)*?^E\s+(.+)$/m,
    tell: (m) => `conftest.py cannot be loaded: ${m[1] ?? ""}`,
  },
  {
    kind: "collection_error",
    pattern: /^_+ ERROR collecting (\S+) _+$(?:\n(?!_{3,} ).*?)*?^E\s+(.+)$/m,
    tell: (m) => `${m[1] ?? ""} cannot be collected: ${m[2] ?? ""}`,
  },
  {
    kind: "collection_error",
    pattern: /^!+ (Interrupted: \d+ errors? during collection) !+$/m,
    tell: (m) => m[1] ?? "",
  },
  {
    kind: "collection_error",
    pattern: /^ImportError: Failed to import test module: (\S+)$/m,
    tell: (m) => `${m[1] ?? ""} cannot be imported`,
  },

  // Packages and programs that are missing.
  {
    kind: "environment",
    pattern:
      /^.*?((?:package|cannot find package|cannot find module providing package) .* is not in (?:GOROOT|std)\b|no required module provides package \S+|missing go\.sum entry\b.*|cannot find module providing package \S+)/m,
    tell: (m) => m[1] ?? "",
  },
  {
    kind: "environment",
    pattern: /^go: (?:go\.mod requires go|module .* requires go|download go|errors parsing go\.mod).*$/m,
  },
  { kind: "environment", pattern: /^note: module requires Go .*$/m },
  {
    kind: "environment",
    pattern: /\bCannot find (?:module|package) '([^']+)'/,
    tell: (m) => `Cannot find module ${m[1] ?? ""}`,
  },
  {
    kind: "environment",
    pattern: /\b(?:ModuleNotFoundError|ImportError): No module named '?([\w.]+)'?/,
    tell: (m) => `No module named ${m[1] ?? ""}`,
  },
  { kind: "environment", pattern: /\bPackageNotFoundError: .*$/m },
  {
    kind: "environment",
    pattern:
      /^error: (?:no matching package named .*|failed to (?:get|download|load source for) .*|unable to get packages from source.*|attempting to make an HTTP request.*|package `.*` cannot be built because it requires rustc .*|rustc .* is not supported by.*)$/m,
  },
  {
    kind: "environment",
    pattern:
      /\b(?:getaddrinfo (?:ENOTFOUND|EAI_AGAIN) \S+|Could not resolve host: \S+|Temporary failure in name resolution|ENOTCACHED.*|Network is unreachable|Could not resolve dependencies .*)/,
  },
  {
    kind: "environment",
    pattern: /\b(?:EACCES: permission denied, .*|EROFS: read-only file system, .*|ENOSPC: .*|No space left on device)/,
  },
  { kind: "environment", pattern: /^npm (?:error|ERR!) code (E\w+)$/m, tell: (m) => `npm failed with ${m[1] ?? ""}` },
  { kind: "environment", pattern: /^Could not find '[^']+'$/m },

  // Errors of compilers.
  { kind: "does_not_compile", pattern: /^.*\berror TS\d+: .*$/m },
  {
    kind: "does_not_compile",
    pattern:
      /^error(?:\[E\d+\])?: (?!could not compile|aborting|test failed|process didn't|\d+ target)(.*)$(?=[^]*could not compile)/m,
    tell: (m) => m[1] ?? "",
  },
  { kind: "does_not_compile", pattern: /^error: could not compile .*$/m },
  { kind: "does_not_compile", pattern: /^\S.*?:\d+(?::\d+)?: (?:fatal )?error: .*$/m },
  { kind: "does_not_compile", pattern: /^\S+\.go:\d+(?::\d+)?: .*$(?=[^]*(?:\[build failed\]|\[setup failed\]))/m },
  { kind: "does_not_compile", pattern: /^FAIL\s+\S+ \[(?:build|setup) failed\]$/m },
  { kind: "does_not_compile", pattern: /^\[ERROR\] (?:COMPILATION ERROR|.*\.java:\[\d+,\d+\] .*)$/m },
  {
    kind: "does_not_compile",
    pattern: /^(?:FAILURE: Build failed with an exception\.|Execution failed for task ':compile\w+'\.)$/m,
  },
  {
    kind: "does_not_compile",
    pattern: /^# \S+(?: \[\S+\])?\n\S+\.go:\d+:\d+: .*$/m,
    tell: (m) => m[0].split("\n")[1] ?? "",
  },
  { kind: "does_not_compile", pattern: /^SyntaxError: .*$/m },
  { kind: "does_not_compile", pattern: /\bCMake Error\b.*$/m },
];

const NO_TESTS =
  /^(?:no tests ran|=+ no tests ran in .*|\?\s+\S+\s+\[no test files\]|# tests 0|ℹ tests 0|1\.\.0|Ran 0 tests in .*|No tests? (?:files )?found.*|No tests were found!*|No tests executed!*|.*No tests to run\.?|.*:test NO-SOURCE|running 0 tests|\s*0 passing.*|0 examples, 0 failures.*|No test is available .*|(?:g?make(?:\[\d+\])?: )(?:Nothing to be done for .*|'.*' is up to date\.))$/m;
const SOME_RAN =
  /^ok\s+\S+\s+(?:[\d.]+s|\(cached\))|\b[1-9]\d* (?:passed|passing|tests? passed|examples?\b)|Tests run: [1-9]|\bRan [1-9]\d* tests?|^OK \([1-9]\d* tests?|^# pass [1-9]|^ok [1-9]\d*\b|[1-9]\d* assertions?/m;

/** The most of an output that is looked at: causes stand near the beginning or the end. */
const MOST = 32_000;

/** Why a program could not do its work, as far as what it printed says; null when it says nothing of the kind. Contract: pure. */
export function causeIn(output: string): ProofCause | null {
  const text = output.length > 2 * MOST ? `${output.slice(0, MOST)}\n${output.slice(-MOST)}` : output;
  for (const { kind, pattern, tell } of SIGNS) {
    const match = pattern.exec(text);
    if (match !== null) return { kind, message: oneLine(tell?.(match) ?? match[0]) };
  }
  const empty = SOME_RAN.test(text) ? null : NO_TESTS.exec(text);
  return empty === null
    ? null
    : { kind: "no_tests", message: `no test ran: ${oneLine(empty[0].replaceAll(/=+/g, " "))}` };
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, 200);
}
