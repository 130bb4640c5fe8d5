import { posix } from "node:path";
import type { Check } from "../../../model/settings/check.js";
import { compileGlob } from "../../../foundation/globs/glob.js";
import { readCommandLine } from "../../../mind/scope/commands/command-line.js";
import type { ProjectView } from "./examined.js";
import { findExisting, steersToo, importsOfFile, findTakenInBySettings } from "./imports.js";
import { readMakefile } from "./makefile.js";
import { packageCommands, readPackage } from "./package-scripts.js";
import { isInSourceFolder, isTestFile } from "./test-files.js";
import { isInterpreter, isTool, settingsOf, toolName } from "./tools.js";

/*
 * The files that steer the checks of a project: found from the command lines of the checks and from what those start, down
 * to the settings of each tool. A result that changes one of them changes what judges it.
 */

export interface Steer {
  /** The checks it steers, and why it is among the files that do. */
  readonly checks: ReadonlySet<string>;
  readonly why: string;
  /** Of a package.json: the scripts that are run. */
  readonly scripts: ReadonlySet<string>;
  /** The tools that read their settings there. */
  readonly tools: ReadonlySet<string>;
}
export type Steering = ReadonlyMap<string, Steer>;

interface Found {
  readonly steering: Steering;
  /** Files that a runner goes through one by one, whatever they are called: they are tests. */
  readonly tests: ReadonlySet<string>;
}

const MOST_DEPTH = 8;
/** A project inside of a project that tests only look at. */
const FIXTURE = /(?:^|\/)(?:__)?(?:fixtures?|testdata|test-data|examples?)(?:__)?\//i;
/** Arguments of these programs are files they look at or move, never settings that steer their judgement. */
const ONLY_LOOKS = new Set(
  "[ [[ test ls cat head tail wc cmp stat cp mv rm mkdir touch chmod echo printf cut tr".split(" "),
);
const COMPILERS = /^(?:gcc|cc|clang|g\+\+|c\+\+|clang\+\+|rustc|javac|kotlinc|ld|ar)$/;
/** `A=b C='d e' ` before a program. */
const ASSIGNMENTS = /^(?:\w+=(?:'[^']*'|"[^"]*"|\S*)\s+)*/;
/** `for t in cases/*.sh` in a line of the shell. */
const LOOP = /\bfor\s+\w+\s+in\s+([^;\n]+)/g;
const RUNNER = /(?:^|[._-])(?:run|runner|runtests|main|index|all|harness|suite|bootstrap)(?:[._-]|$)/i;

/** Contract: the same view and checks give the same files; a line that cannot be read in full is read as far as it can. */
export async function steeringFiles(checks: readonly Check[], view: ProjectView): Promise<Found> {
  const finder = new Finder(view);
  for (const check of checks) await finder.line({ check: check.name, place: "", depth: 0 }, check.run);
  return { steering: finder.found, tests: finder.tests };
}

interface Place {
  readonly check: string;
  /** From the root of the project, "" for the root itself. */
  readonly place: string;
  readonly depth: number;
}

class Finder {
  readonly found = new Map<string, { checks: Set<string>; why: string; scripts: Set<string>; tools: Set<string> }>();
  readonly tests = new Set<string>();
  readonly #view: ProjectView;
  readonly #byName = new Map<string, string[]>();
  readonly #seen = new Set<string>();

  constructor(view: ProjectView) {
    this.#view = view;
    for (const path of view.paths) {
      const name = posix.basename(path);
      this.#byName.set(name, [...(this.#byName.get(name) ?? []), path]);
    }
  }

  async line(at: Place, text: string): Promise<void> {
    const key = JSON.stringify([at.check, at.place, text]);
    if (at.depth > MOST_DEPTH || this.#seen.has(key)) return;
    this.#seen.add(key);
    for (const [, list = ""] of text.matchAll(LOOP)) this.#each(at, list.split(/\s+/));
    let { place } = at;
    for (const { name, args, inner } of readCommandLine(text, at.place).commands) {
      if (name === "cd") place = posix.join(place, args[0] ?? "").replace(/^\.$/, "");
      else await this.#command({ ...at, place }, name, args, inner);
    }
  }

  async #command(at: Place, name: string, args: readonly string[], inner = ""): Promise<void> {
    const [assigned = ""] = ASSIGNMENTS.exec(inner) ?? [];
    const program = inner.slice(assigned.length).split(" ")[0] ?? "";
    if (program.includes("/")) await this.#script(at, program, `${at.check} starts it`);
    for (const part of assigned.split(/[=\s'"]+/)) if (/[./]/.test(part)) await this.#option(at, name, part);
    if (isInterpreter(name)) this.#each(at, args);
    await this.#settings(at, name);
    if (isInterpreter(name)) await this.#readInterpreted(at, name, args);
    if (name === "make" || name === "gmake") await this.#make(at, args);
    for (const [index, arg] of args.entries()) {
      const next = args[index + 1];
      if (arg.startsWith("-") && arg.includes("=")) await this.#option(at, name, arg.slice(arg.indexOf("=") + 1));
      else if (arg.startsWith("-") && next !== undefined) await this.#option(at, name, next);
      const [first = ""] = arg.split(/\s/);
      if (arg !== first && isTool(first)) await this.line({ ...at, depth: at.depth + 1 }, arg);
      else if (isTool(arg) || isInterpreter(arg)) await this.#command(at, toolName(arg), args.slice(index + 1));
    }
    for (const { file, script, folder } of await packageCommands(name, args, at.place, this.#view)) {
      const { lines, used } = script === null ? { lines: [], used: [] } : await readPackage(file, script, this.#view);
      this.#add(at, file, `${at.check} runs its script ${script ?? ""}`, used);
      for (const line of lines) await this.line({ ...at, place: folder, depth: at.depth + 1 }, line);
    }
  }

  #each({ place }: Place, words: readonly string[]): void {
    for (const word of words) {
      if (!word.includes("*") || word.startsWith("-")) continue;
      const fits = compileGlob(posix.join(place, word.replaceAll(/["']/g, "")));
      for (const path of this.#view.paths) if (!isInSourceFolder(path) && fits(path)) this.tests.add(path);
    }
  }

  async #settings(at: Place, name: string): Promise<void> {
    for (const pattern of settingsOf(name))
      for (const path of this.#findNamed(pattern)) {
        const folder = posix.dirname(path) === "." ? "" : `${posix.dirname(path)}/`;
        const own = at.place === "" ? "" : `${at.place}/`;
        if (!FIXTURE.test(path) && (own.startsWith(folder) || folder.startsWith(own)))
          await this.#follow(at, path, `it steers ${name}, which ${at.check} starts`, name);
      }
  }

  #findNamed(pattern: string): readonly string[] {
    if (pattern.includes("/")) return [...this.#view.paths].filter(compileGlob(pattern));
    if (!pattern.includes("*")) return this.#byName.get(pattern) ?? [];
    const fits = compileGlob(pattern);
    return [...this.#byName].flatMap(([name, paths]) => (fits(name) ? paths : []));
  }

  /** A value of an option that is a file of the project. */
  async #option(at: Place, name: string, value: string): Promise<void> {
    if (COMPILERS.test(name) || ONLY_LOOKS.has(name) || value === "" || value.startsWith("-")) return;
    const file = findExisting(posix.join(at.place, value), this.#view);
    if (file === null || isTestFile(file) || isInSourceFolder(file)) return;
    await this.#follow(at, file, `${name} is told to use it by ${at.check}`);
    await this.#readScript(at, file);
  }

  async #readInterpreted(at: Place, name: string, args: readonly string[]): Promise<void> {
    const module = args.indexOf("-m");
    const [from, rest] = module === -1 ? [args, []] : [args.slice(0, module), args.slice(module + 1)];
    if (rest[0] !== undefined) {
      if (isTool(rest[0])) await this.#command(at, rest[0], rest.slice(1));
      else await this.#script(at, rest[0].replaceAll(".", "/"), `${at.check} starts it`);
    }
    const script = from.find(
      (arg, index) => !arg.startsWith("-") && !/^-(?:r|-require|-import|-loader|[CWX])$/.test(from[index - 1] ?? ""),
    );
    const isList = toolName(name) === "node" && args.includes("--test");
    if (script !== undefined && module === -1 && !isList) await this.#script(at, script, `${at.check} starts it`);
  }

  async #script(at: Place, name: string, why: string): Promise<void> {
    const file = findExisting(posix.join(at.place, name), this.#view);
    if (file === null || (isInSourceFolder(file) && !RUNNER.test(posix.basename(file)))) return;
    // A test that is called by its name is a test; a runner beside tests is none.
    if (!isTestFile(file) || RUNNER.test(posix.basename(file))) this.#add(at, file, why);
    await this.#readScript(at, file);
    await this.#takeFile(at, file, false);
  }

  /** Follows the programs that a shell script starts. */
  async #readScript(at: Place, file: string): Promise<void> {
    const text = await this.#view.read(file);
    if (text === null || !(/\.(?:sh|bash|zsh)$/.test(file) || /^#!.*\b(?:ba|da|z)?sh\b/.test(text))) return;
    await this.line({ ...at, depth: at.depth + 1 }, text);
  }

  async #make(at: Place, args: readonly string[]): Promise<void> {
    const after = (...names: string[]) => args.find((_, index) => names.includes(args[index - 1] ?? ""));
    const place = posix.join(at.place, after("-C", "--directory") ?? "").replace(/^\.$/, "");
    const names = [after("-f", "--file") ?? "", "GNUmakefile", "makefile", "Makefile"].filter(Boolean);
    const file = names.map((name) => posix.join(place, name)).find((path) => this.#view.paths.has(path));
    if (file === undefined) return;
    const targets = args.filter((arg, index) => !/^-|=/.test(arg) && !/^-[Cfj]$/.test(args[index - 1] ?? ""));
    await this.#makefile({ ...at, place }, file, targets);
  }

  async #makefile(at: Place, file: string, targets: readonly string[]): Promise<void> {
    this.#add(at, file, `make, which ${at.check} starts, reads it`);
    const text = await this.#view.read(file);
    if (text === null || at.depth > MOST_DEPTH) return;
    const { includes, linesFor } = readMakefile(text);
    for (const name of includes) {
      const included = findExisting(posix.join(at.place, name), this.#view);
      if (included !== null) await this.#makefile({ ...at, depth: at.depth + 1 }, included, targets);
    }
    for (const line of linesFor(targets))
      await this.line({ ...at, depth: at.depth + 1 }, line.replaceAll(/\$[({]MAKE[)}]/g, "make"));
  }

  async #follow(at: Place, file: string, why: string, tool?: string): Promise<void> {
    this.#add(at, file, why, [], tool === undefined ? [] : [toolName(tool)]);
    await this.#takeFile(at, file, true);
  }

  async #takeFile(at: Place, file: string, isSettings: boolean): Promise<void> {
    if (at.depth > MOST_DEPTH || this.#seen.has(`${at.check} ${file}`)) return;
    this.#seen.add(`${at.check} ${file}`);
    const text = (await this.#view.read(file))?.replaceAll("<rootDir>/", "") ?? "";
    for (const taken of isSettings
      ? findTakenInBySettings(file, text, this.#view)
      : importsOfFile(file, text, this.#view)) {
      if (!isSettings && !steersToo(taken, file)) continue;
      this.#add(at, taken, `${file} takes it in, which steers ${at.check}`);
      await this.#takeFile({ ...at, depth: at.depth + 1 }, taken, isSettings);
    }
  }

  #add(
    { check }: Place,
    file: string,
    why: string,
    scripts: readonly string[] = [],
    tools: readonly string[] = [],
  ): void {
    const known = this.found.get(file) ?? { checks: new Set(), why, scripts: new Set(), tools: new Set() };
    known.checks.add(check);
    for (const script of scripts) known.scripts.add(script);
    for (const tool of tools) known.tools.add(tool);
    this.found.set(file, known);
  }
}
