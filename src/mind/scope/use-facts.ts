import type { Scope, ToolUse } from "../../model/scope.js";
import type { FactSchema, FactType } from "../../foundation/conditions/fact-schema.js";
import { type CommandLine, readCommandLine, type SimpleCommand } from "./commands/command-line.js";
import { ANY_PROGRAM, type CommandPattern, compileCommandPattern } from "./commands/command-pattern.js";
import { normaliseHost } from "./commands/command-hosts.js";
import { foldPath, isGitPath } from "../../model/fold-path.js";
import { compilePaths, isCredentialPath, type PathSet, placePath, type SandboxPaths } from "./paths.js";

/*
 * Facts that a guardrail's condition may use: the use of a tool, read into its parts, and those parts that the scope does not
 * permit. The schema is declared, so a condition that misspells a field does not load.
 */

const strings = (max: number): FactType => ({ list: "string", max });

export const USE_FACTS: FactSchema = {
  use: {
    object: {
      stage: "string",
      kind: "string",
      title: "string",
      in_tools: "bool",
      named: "bool",
      commands: {
        list: { object: { name: "string", args: strings(200), text: "string" } },
        max: 100,
      },
      commands_outside: strings(100),
      reads: strings(500),
      reads_outside: strings(500),
      writes: strings(500),
      writes_outside: strings(500),
      writes_unnamed: strings(500),
      deletes: strings(500),
      outside_workspace: strings(500),
      credentials: strings(500),
      git_internals: strings(500),
      hosts: strings(100),
      hosts_outside: strings(100),
      dangers: strings(20),
      undecidable: strings(100),
    },
  },
  scope: { object: { tools: strings(20), network: strings(200), files: "number", minutes: "number" } },
};

/** The use of a tool, as conditions see it, and what `judge` needs beside. */
export interface UseFacts {
  readonly stage: "request" | "deed";
  readonly kind: string;
  readonly title: string;
  readonly in_tools: boolean;
  /** Somebody put this very line into the scope. */
  readonly named: boolean;
  readonly commands: readonly { readonly name: string; readonly args: readonly string[]; readonly text: string }[];
  readonly commands_outside: readonly string[];
  readonly reads: readonly string[];
  readonly reads_outside: readonly string[];
  readonly writes: readonly string[];
  readonly writes_outside: readonly string[];
  /** Written, and covered only by a pattern with a wildcard or not at all. */
  readonly writes_unnamed: readonly string[];
  readonly deletes: readonly string[];
  readonly outside_workspace: readonly string[];
  readonly credentials: readonly string[];
  readonly git_internals: readonly string[];
  readonly hosts: readonly string[];
  readonly hosts_outside: readonly string[];
  readonly dangers: readonly string[];
  readonly undecidable: readonly string[];
}

/** Contract: pure; the returned function too, and total. */
export function createUseReader(scope: Scope, places: SandboxPaths): (use: ToolUse) => UseFacts {
  const write = compilePaths(scope.write);
  const read = compilePaths(scope.read);
  const patterns = scope.commands.map((pattern) => compileCommandPattern(pattern));
  const whole = new Set(patterns.flatMap(({ literal }) => (literal === null ? [] : [literal])));
  const permitted = compileHosts(scope.network);
  // Where any program may run, a script may: code that stands in the line can do no more than that.
  const isAnyProgram = scope.commands.includes(ANY_PROGRAM);

  return (use) => {
    const line = use.command === null ? null : readCommandLine(use.command);
    const named = use.command !== null && whole.has(use.command.trim());
    const paths = new PathFacts({ read, write, places });
    for (const { path, access } of use.paths) paths.add(path, access, false);
    for (const { path, access, pattern } of line?.paths ?? []) paths.add(path, access, pattern);
    const hosts = [...new Set([...use.hosts.map((host) => normaliseHost(host) ?? host), ...(line?.hosts ?? [])])];
    const undecidable = named ? [] : [...listUnread(line, isAnyProgram), ...missingParts(use), ...paths.undecidable];
    const outside = named || isAnyProgram ? [] : outsideOf(line, patterns);
    return {
      stage: use.stage,
      kind: use.kind,
      title: use.title,
      in_tools: scope.tools.includes(use.kind),
      named,
      commands: (line?.commands ?? []).map(({ name, args, text }) => ({ name, args, text })),
      commands_outside: outside.map(({ text }) => text),
      ...paths.facts(),
      hosts,
      hosts_outside: hosts.filter((host) => !permitted(host)),
      dangers: line?.dangers ?? [],
      undecidable: [...new Set(undecidable)],
    };
  };
}

function listUnread(line: CommandLine | null, isAnyProgram: boolean): readonly string[] {
  if (line === null) return [];
  return isAnyProgram ? line.undecidable : [...line.undecidable, ...line.code];
}

/** A tool that says neither what it touches nor what it runs cannot be judged by what it touches. */
function missingParts({ kind, paths, command, hosts }: ToolUse): string[] {
  if (kind === "execute" && (command === null || command.trim() === "")) return ["the command is not said"];
  const touches = kind === "edit" || kind === "delete" || kind === "move";
  if (touches && paths.length === 0 && command === null) return ["the paths are not said"];
  if (touches && paths.length > 0 && paths.every(({ access }) => access === "read"))
    return ["the paths that change are not said"];
  return kind === "fetch" && hosts.length === 0 && command === null ? ["the host is not said"] : [];
}

function outsideOf(line: CommandLine | null, patterns: readonly CommandPattern[]): SimpleCommand[] {
  if (line === null) return [];
  return line.commands.filter((command) => !command.harmless && !patterns.some((pattern) => permits(pattern, command)));
}

function permits({ literal, matches }: CommandPattern, { text, inner, masked, runner }: SimpleCommand): boolean {
  if (literal !== null) return literal === text || (inner !== "" && literal === inner);
  return (inner !== "" && matches(masked.inner)) || (runner && matches(masked.text));
}

/** Names as they are, or `*.example.com` for all names below. */
function compileHosts(network: readonly string[]): (host: string) => boolean {
  const exact = new Set<string>();
  const below: string[] = [];
  for (const given of network) {
    const host = normaliseHost(given) ?? given;
    if (host.startsWith("*.")) below.push(host.slice(1));
    else exact.add(host);
  }
  return (host) => exact.has(host) || below.some((ending) => host.endsWith(ending) && !host.includes("*"));
}

interface Limits {
  readonly read: PathSet;
  readonly write: PathSet;
  readonly places: SandboxPaths;
}

class PathFacts {
  private readonly limits: Limits;
  private readonly lists = {
    reads: new Set<string>(),
    reads_outside: new Set<string>(),
    writes: new Set<string>(),
    writes_outside: new Set<string>(),
    writes_unnamed: new Set<string>(),
    deletes: new Set<string>(),
    outside_workspace: new Set<string>(),
    credentials: new Set<string>(),
    git_internals: new Set<string>(),
  };
  readonly undecidable: string[] = [];

  constructor(limits: Limits) {
    this.limits = limits;
  }

  add(given: string, access: "read" | "write" | "delete", pattern: boolean): void {
    const { lists } = this;
    const placed = placePath(given, this.limits.places);
    if (isCredentialPath(given) || isCredentialPath(placed.path)) lists.credentials.add(foldPath(given));
    if (placed.where === "unreadable") {
      this.undecidable.push("a path has signs that leave a doubt what it names");
      return;
    }
    // A wildcard behind a dot, or one among braces, may stand for the very files that are not to be read.
    if (pattern && /(?:^|[/{,])\.(?!\.?(?:\/|$))[^/]*[*?[{]|[{,]\.[^./]/.test(given))
      this.undecidable.push("a pattern may match hidden files");
    if (isGitPath(placed.path) && access !== "read") lists.git_internals.add(placed.path);
    if (placed.where === "scratch" || (placed.where === "readable" && access === "read")) return;
    if (placed.where !== "inside") {
      lists.outside_workspace.add(placed.path);
      (access === "read" ? lists.reads_outside : lists.writes_outside).add(placed.path);
      return;
    }
    // The root of the workspace stands for all of it.
    const [path, wide] = placed.path === "." ? ["**", true] : [placed.path, pattern];
    if (access === "read") this.addRead(path, wide);
    else this.addWrite(path, given, access, wide);
  }

  private addRead(path: string, pattern: boolean): void {
    const { read } = this.limits;
    this.lists.reads.add(path);
    // A directory may be listed: what is out of scope is not in the workspace at all.
    const permitted = pattern || read.has(path) || read.leadsTo(path);
    if (!permitted) this.lists.reads_outside.add(path);
  }

  private addWrite(path: string, given: string, access: "write" | "delete", pattern: boolean): void {
    const { write } = this.limits;
    const { lists } = this;
    lists.writes.add(path);
    if (access === "delete") lists.deletes.add(path);
    // Another spelling of a name is another file on some disks: only the one the scope uses is in it.
    const inScope = given === given.normalize("NFC") && (pattern ? write.covers(path) : write.has(path));
    if (!inScope) lists.writes_outside.add(path);
    if (pattern || !write.names(path)) lists.writes_unnamed.add(path);
  }

  facts() {
    const { lists } = this;
    const list = (set: ReadonlySet<string>): readonly string[] => [...set];
    return {
      reads: list(lists.reads),
      reads_outside: list(lists.reads_outside),
      writes: list(lists.writes),
      writes_outside: list(lists.writes_outside),
      writes_unnamed: list(lists.writes_unnamed),
      deletes: list(lists.deletes),
      outside_workspace: list(lists.outside_workspace),
      credentials: list(lists.credentials),
      git_internals: list(lists.git_internals),
    };
  }
}
