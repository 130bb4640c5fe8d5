import type { TriedCheck } from "../../execute/try-checks.js";

/* What to do about a check that proved nothing, or a setup that failed. Pure: what is known of the machine is passed in. */

type Cause = NonNullable<TriedCheck["proof"]["cause"]>;

export interface AdviceFacts {
  /** Where this machine has a program, outside of the sandbox; null when it has none. */
  readonly outside: (program: string) => string | null;
  /** The command that installs this project's packages, such as `npm ci`; null when none is known. */
  readonly install: string | null;
  /** Whether the project makes its workspaces ready by a setup. */
  readonly hasSetup: boolean;
}

const SETTINGS = "coordinator.yaml";

export function adviseCheck(cause: Cause, output: string, facts: AdviceFacts): string {
  switch (cause.kind) {
    case "program_missing":
    case "not_started":
      return adviseProgram(missingIn(`${cause.message}\n${output}`), facts);
    case "does_not_compile":
      return "Build it by hand on this commit: its error is the first thing to mend, or the toolchain is another than the project needs.";
    case "collection_error":
      return adviseModule(`${cause.message}\n${output}`, facts);
    case "timed_out":
      return `Give it longer (minutes: under this check in ${SETTINGS}), or name a command that runs fewer tests.`;
    case "no_tests":
      return `Name the command that runs the tests under checks in ${SETTINGS}, or take this check out.`;
    case "failed_whole":
      return /network|ENOTFOUND|EAI_AGAIN|getaddrinfo|Could not resolve|connection/i.test(output)
        ? "Checks run without a network: have what it fetches there before (workspace.setup), or name a command that needs none."
        : `Run it by hand on a clean checkout of this commit, and mend it, or name another command under checks in ${SETTINGS}.`;
  }
}

interface Missing {
  readonly name: string;
  readonly what: "program" | "module";
}

/** The program or the Python module that was not there, in the words of shells, of Node.js and of Python. */
export function missingIn(text: string): Missing | null {
  const module = /No module named ['"]?([\w.-]+)/.exec(text)?.[1];
  if (module !== undefined) return { name: module, what: "module" };
  const program =
    /(?:^|[\s:])([\w./@+-]+): (?:command )?not found/m.exec(text)?.[1] ??
    /env: ['‘"]?([\w./@+-]+)['’"]?: No such file/.exec(text)?.[1] ??
    /Cannot find (?:module|package) ['"]([^'"]+)['"]/.exec(text)?.[1] ??
    /bash: (?:line \d+: )?([\w./@+-]+): (?:No such file|command not found)/.exec(text)?.[1];
  return program === undefined ? null : { name: program, what: "program" };
}

function adviseProgram(missing: Missing | null, { outside, install, hasSetup }: AdviceFacts): string {
  if (missing === null) return `Look at its command under checks in ${SETTINGS}.`;
  const { name, what } = missing;
  if (what === "module") return adviseModule(`No module named ${name}`, { outside, install, hasSetup });
  const place = outside(name);
  if (place !== null)
    return `It is installed in ${place}, which no sandbox shows: name its folder under workspace.tools in ${SETTINGS}; coordinator init --dry-run finds it.`;
  if (install !== null)
    return hasSetup
      ? `Run ${install} first, so that setup finds the packages in the cache of this machine.`
      : `Run ${install} first, then coordinator init --force: it writes the setup that puts the packages into workspaces.`;
  return `Install ${name}, or take what needs it out of checks in ${SETTINGS}.`;
}

function adviseModule(text: string, { install }: AdviceFacts): string {
  const name =
    /No module named ['"]?([\w.-]+)/.exec(text)?.[1] ??
    /PackageNotFoundError: (?:No package metadata was found for )?([\w.-]+)/.exec(text)?.[1];
  if (name === undefined) return `Run it by hand on a clean checkout of this commit, and mend what it names.`;
  const how =
    install === null
      ? `Install ${name} for the Python that the check calls`
      : `Run ${install} first, or install ${name}`;
  return `${how}; inside there is no network.`;
}
