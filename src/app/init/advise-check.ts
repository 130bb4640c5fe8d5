import { programOf } from "../../hands/attempts/missing-programs.js";
import type { TriedCheck } from "../../hands/checks/on-trees/try-checks.js";

/* Advice about a check that proved nothing, or a setup that failed. Pure: what is known of the machine is passed in. */

type Cause = NonNullable<TriedCheck["proof"]["cause"]>;

export interface AdviceFacts {
  /** Where this machine has a program, outside of the sandbox; null when it has none. */
  readonly outside: (program: string) => string | null;
  /** The command that installs this project's packages, such as `npm ci`; null when none is known. */
  readonly install: string | null;
  /** The command that fills the caches setup reads, also where they seem to be filled; null when none is known. */
  readonly fill: string | null;
  /** Whether the project makes its workspaces ready by a setup. */
  readonly hasSetup: boolean;
  /** Files that setup reads, that are there, and that the commit which was tried does not have. */
  readonly uncommitted: readonly string[];
}

const SETTINGS = "coordinator.yaml";
const NETWORK =
  "Checks run without a network: have what it fetches there before (workspace.setup), or name a command that needs none.";
const BY_HAND = `Run it by hand on a clean checkout of this commit, and mend it, or name another command under checks in ${SETTINGS}.`;

export function adviseCheck({ kind, message }: Cause, output: string, facts: AdviceFacts): string {
  switch (kind) {
    case "program_missing":
    case "not_started":
      return adviseProgram(
        /^(?:package\.json has no|No rule|No targets)/.test(message) ? null : missingIn(message),
        facts,
      );
    case "does_not_compile":
      return "Build it by hand on this commit: its first error is the first thing to mend, unless the toolchain is another than the project needs.";
    case "collection_error":
    case "environment":
      return adviseEnvironment(`${message}\n${output}`, message, facts);
    case "timed_out":
      return `Give it longer (minutes: under this check in ${SETTINGS}), or name a command that runs fewer tests.`;
    case "no_tests":
      return `Name the command that runs the tests under checks in ${SETTINGS}, or take this check out.`;
    case "failed_whole":
      return WANTS_NETWORK.test(output) ? NETWORK : BY_HAND;
  }
}

const WANTS_NETWORK =
  /ENOTFOUND|EAI_AGAIN|getaddrinfo|Could not resolve host|Temporary failure in name resolution|Network is unreachable|ENOTCACHED/;

function adviseEnvironment(text: string, message: string, facts: AdviceFacts): string {
  if (/is not in (?:GOROOT|std)\b|requires? (?:go|rustc)\b/i.test(message))
    return "The toolchain of this machine is older than the project needs: install a newer one.";
  if (/no required module provides|missing go\.sum|cannot find module providing/.test(message))
    return "Run go mod download first, so that its packages are in the cache of this machine; inside there is no network.";
  if (/no matching package|failed to (?:get|download|load source)|unable to get packages/.test(message))
    return "Run cargo fetch first, so that its packages are in the cache of this machine; inside there is no network.";
  const module =
    /No module named ['"]?([\w.-]+)/.exec(text)?.[1] ??
    /PackageNotFoundError: (?:No package metadata was found for )?([\w.-]+)/.exec(text)?.[1];
  if (module !== undefined) return adviseModule(module, facts);
  if (/Cannot find (?:module|package)/.test(message)) return adviseProgram(missingIn(message), facts);
  return WANTS_NETWORK.test(message) || /Could not resolve dependencies/.test(message) ? NETWORK : BY_HAND;
}

/** The program or package that was not there, in the words of anyone who looked for it. */
function missingIn(message: string): string | null {
  return (
    /^(?:.*\s)?(\S+): not found$/.exec(message)?.[1] ??
    /Cannot find (?:module|package) ['"]?([^'"\s]+)/.exec(message)?.[1] ??
    null
  );
}

function adviseProgram(name: string | null, { outside, install, hasSetup }: AdviceFacts): string {
  if (name === null) return `Look at its command under checks in ${SETTINGS}.`;
  const place = outside(name);
  if (place !== null)
    return `It is installed as ${place}, which no sandbox shows: name its folder under workspace.tools in ${SETTINGS}; coordinator init --dry-run finds it.`;
  // Where the package manager itself is missing, no command of it helps.
  const program = install === null ? [] : programOf(install);
  // Tools of a Python project are seldom among what it needs to run, and pip installs only that.
  if (install === null || program.includes(name) || program.includes("python3"))
    return `Install ${name}, or take what needs it out of checks in ${SETTINGS}.`;
  return hasSetup
    ? `Run ${install} first, so that setup finds the packages in the cache of this machine.`
    : `Run ${install} first, then coordinator init --force: it writes the setup that puts the packages into workspaces.`;
}

function adviseModule(name: string, { install }: AdviceFacts): string {
  const how =
    install === null
      ? `Install ${name} for the Python that the check calls`
      : `Run ${install} first, or install ${name}`;
  return `${how}; inside there is no network.`;
}
