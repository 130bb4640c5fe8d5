import { dangersOf } from "./dangers.js";
import { hostsOf } from "./command-hosts.js";
import { pathsOf } from "./command-paths.js";
import { BUILTINS, isHarmlessVariable, programName, RUNNERS } from "./programs.js";
import { join, type PathUse, type ReadCommand } from "./read-command.js";
import { type Assignment, readShell, type ShellCommand } from "./shell-commands.js";
import type { Word } from "./shell-word.js";
import { unwrap } from "./unwrap.js";

/*
 * Reads what a command line would do, without running it: every simple command in it, wherever it
 * hides, the paths those commands write and read, and the hosts they reach. Parts that cannot be read are reported, not guessed.
 */

export interface SimpleCommand {
  /** The base name of the program. */
  readonly name: string;
  readonly args: readonly string[];
  /** The whole command, one blank between words and quotes only where they are needed: what a pattern is matched with. */
  readonly text: string;
  /** The command without the wrappers around it. A pattern has to match it: `timeout *` permits nothing. */
  readonly inner: string;
  /** Both with quoted signs masked that would join or redirect commands if they were not quoted: there they are text. */
  readonly masked: { readonly text: string; readonly inner: string };
  /** Its wrappers are runners of packages, such as npx, which a pattern may name: `npx vitest *`. */
  readonly runner: boolean;
  /** A builtin that changes nothing. */
  readonly harmless: boolean;
}

export interface CommandLine {
  readonly commands: readonly SimpleCommand[];
  readonly paths: readonly PathUse[];
  readonly hosts: readonly string[];
  /** Classes of harm, by name: see `dangers.ts`. */
  readonly dangers: readonly string[];
  /** Why the line cannot be read in full; empty when it can. */
  readonly undecidable: readonly string[];
  /** Code that it runs and that is not read: `node -e …`, a script of awk, the files a patch changes. */
  readonly code: readonly string[];
}

const MAX_LENGTH = 64 * 1024;
const MAX_DEPTH = 8;
const MAX_COMMANDS = 256;

/**
 * Contract: pure and total. `place` is the directory the line starts in, "" for the root of the workspace.
 * INVARIANT: what a nested, quoted or wrapped part would do is in the result just like what stands in the open.
 */
export function readCommandLine(line: string, place = ""): CommandLine {
  const collected = new Collected();
  if (line.length > MAX_LENGTH) collected.problems.add("the line is too long to be read");
  else if (line.includes("\0")) collected.problems.add("the line contains a NUL");
  else readInto(line, [place], 0, collected);
  if (collected.commands.length === 0 && collected.problems.size === 0) collected.problems.add("the line is empty");
  return collected.done();
}

class Collected {
  readonly commands: SimpleCommand[] = [];
  readonly paths: PathUse[] = [];
  readonly hosts = new Set<string>();
  readonly dangers = new Set<string>();
  readonly problems = new Set<string>();
  readonly code = new Set<string>();

  done(): CommandLine {
    return {
      commands: this.commands,
      paths: this.paths,
      hosts: [...this.hosts],
      dangers: [...this.dangers],
      undecidable: [...this.problems],
      code: [...this.code],
    };
  }
}

type Places = readonly (string | null)[];

/** Where the commands after a `cd` run: for certain after `&&`, else there or still here. */
class Directory {
  private sure: Places;
  private possible: Places;
  private readonly outer: { sure: Places; possible: Places }[] = [];

  constructor(places: Places) {
    this.sure = places;
    this.possible = places;
  }

  get places(): Places {
    return this.sure;
  }

  move(target: string | null): void {
    const moved = this.sure.map((place) => (target === null || place === null ? null : join(place, target)));
    this.sure = moved;
    this.possible = [...new Set([...this.possible, ...moved])];
  }

  join(operator: string): void {
    if (operator !== "&&") this.sure = this.possible;
  }

  open(): void {
    this.outer.push({ sure: this.sure, possible: this.possible });
  }

  close(): void {
    const before = this.outer.pop();
    if (before === undefined) return;
    ({ sure: this.sure, possible: this.possible } = before);
  }
}

function readInto(line: string, places: Places, depth: number, into: Collected): void {
  if (depth > MAX_DEPTH) {
    into.problems.add("commands are nested too deep to be read");
    return;
  }
  const { steps, problems } = readShell(line);
  for (const problem of problems) into.problems.add(problem);
  const directory = new Directory(places);
  for (const step of steps) {
    if (step.type === "open") directory.open();
    else if (step.type === "close") directory.close();
    else if (step.type === "join") directory.join(step.operator);
    else {
      readCommand(step.command, directory.places, depth, into);
      const target = cdTarget(step.command);
      if (target !== undefined) directory.move(target);
    }
  }
}

function readCommand(shell: ShellCommand, places: Places, depth: number, into: Collected): void {
  if (into.commands.length >= MAX_COMMANDS) {
    into.problems.add("the line has too many commands to be read");
    return;
  }
  const nested = [...shell.words, ...shell.redirects.map(({ target }) => target)].flatMap(({ runs }) => runs);
  for (const run of nested) readInto(run, places, depth + 1, into);

  const unwrapped = unwrap(shell);
  for (const problem of unwrapped.problems) into.problems.add(problem);
  for (const code of unwrapped.code) into.code.add(code);
  for (const inner of unwrapped.lines) readInto(inner, places, depth + 1, into);
  for (const inner of unwrapped.commands) readCommand(inner, places, depth + 1, into);

  const command: ReadCommand = {
    ...unwrapped.command,
    places,
    fedBy: shell.piped.map(({ words }) => programName(words[0]?.text ?? "")),
  };
  const paths = pathsOf(command);
  into.paths.push(...paths.uses);
  for (const problem of paths.problems) into.problems.add(problem);
  for (const code of paths.code) into.code.add(code);
  const hosts = hostsOf(command);
  for (const host of hosts.hosts) into.hosts.add(host);
  for (const problem of hosts.problems) into.problems.add(problem);
  for (const danger of dangersOf(command, hosts.hosts, paths.uses)) into.dangers.add(danger);
  if (!unwrapped.opened) into.commands.push(simpleCommand(shell, command));
}

function simpleCommand(shell: ShellCommand, { name, words, assignments, wrappers }: ReadCommand): SimpleCommand {
  const spellAssignments = (list: readonly Assignment[]) =>
    list
      .filter((one) => !isHarmlessVariable(one.name))
      .map((one) => `${one.name}=${quoteWord(one.value, one.dynamic)}`);
  const spell = (list: readonly Assignment[], of: readonly Word[]) =>
    [...spellAssignments(list), ...of.map((word) => quoteWord(word.text, word.dynamic))].join(" ");
  const inner = spell(assignments, words);
  const mask = (of: readonly Word[]) =>
    of.map((word) => (word.dynamic ? word : { ...word, text: word.text.replace(/[;&|<>()$`\n\r]/g, "\u0002") }));
  const first = words[0];
  const plain =
    first === undefined ? inner === "" : first.text === name && BUILTINS.has(name) && inner.startsWith(name);
  return {
    name,
    args: words.slice(1).map(({ text }) => text),
    text: spell(shell.assignments, shell.words),
    inner,
    masked: { text: spell(shell.assignments, mask(shell.words)), inner: spell(assignments, mask(words)) },
    runner: wrappers.every((wrapper) => RUNNERS.has(wrapper)),
    harmless: plain,
  };
}

/** As a person would write it. A word the shell would change stays bare, and its `$` keeps patterns from matching it. */
function quoteWord(text: string, dynamic: boolean): string {
  if (dynamic || /^[\w@%+=:,./~^*?{}[\]!#-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** undefined: the command does not move. null: nobody can tell where to. */
function cdTarget({ words, assignments }: ShellCommand): string | null | undefined {
  const at = words[0]?.text === "command" || words[0]?.text === "builtin" ? 1 : 0;
  const name = words[at]?.text;
  if (name === "pushd" || name === "popd") return null;
  if (name !== "cd") return undefined;
  const [target, ...rest] = words.slice(at + 1).filter(({ text }) => !/^-[LPe@]+$|^--$/.test(text));
  if (target === undefined || rest.length > 0 || assignments.length > 0) return null;
  return target.dynamic || target.pattern || target.text === "-" ? null : target.text;
}
