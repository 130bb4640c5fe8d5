import type { Finding } from "../../../model/settings/check.js";
import { problem, reportUnread, type ReadReport } from "./report.js";

/*
 * Messages that compilers and linters print for people, in one line or a few. Each form is recognised by its own marks: a
 * place alone may stand in any log. Only what makes the program fail is a finding.
 */

interface LineContext {
  readonly lines: readonly string[];
  readonly at: number;
  /** Whether the name of a Go package stands above, with nothing but its messages between. */
  readonly isBelowPackage: boolean;
}

/** The message that stands in a line, or null. */
type Form = (line: string, around: LineContext) => Finding | null;

/** `a.c:3:5: error: …`, as gcc, clang, mypy and javac write it, perhaps with a code behind it. */
const ERROR = /^(\S.*?\.[A-Za-z]\w{0,7}):(\d+)(?::\d+)?: (?:fatal )?error: (.+)$/;
/** ShellCheck writes the same and fails for notes as well. */
const SHELL = /^(\S.*?):(\d+):\d+: (?:error|warning|note): (.+) \[(SC\d+)\]$/;
const compilers: Form = (line) => {
  const [all, file = "", at, message = "", check] = SHELL.exec(line) ?? ERROR.exec(line) ?? [];
  if (all === undefined) return null;
  const [tail = "", code = "error"] = check === undefined ? (/\s\[([\w+=-]+)\]$/.exec(message) ?? []) : ["", check];
  return problem(file, code, message.slice(0, message.length - tail.length).trimEnd(), Number(at));
};

/** `a.py:1:8: F401 [*] …`, as Ruff and Flake8 write it. */
const CODED = /^(\S.*?):(\d+):\d+: (?:([A-Z]{1,4}\d{2,4})(?: \[\*\])?|(invalid-syntax|SyntaxError):) (.+)$/;
const readCoded: Form = (line) => {
  const [all, file = "", at, code, syntax = "", message = ""] = CODED.exec(line) ?? [];
  return all === undefined ? null : problem(file, code ?? syntax, message, Number(at));
};

/** Ruff's longer form: the message, then an arrow to its place. */
const ARROW = /^ *--> (.+?):(\d+):\d+$/;
const arrows: Form = (line, { lines, at: i }) => {
  const [, code, syntax, message = ""] =
    /^(?:([A-Z]{1,4}\d{2,4})(?: \[\*\])?|(invalid-syntax):) (.+)$/.exec(line) ?? [];
  const [all, file = "", at] = ARROW.exec(lines[i + 1] ?? "") ?? [];
  return all === undefined || message === "" ? null : problem(file, code ?? syntax ?? "", message, Number(at));
};

/** `a.rb:1:1: C: [Correctable] Style/Name: …`. An offense that RuboCop has corrected is not one any more. */
const COP = /^(\S.*?):(\d+):\d+: [RCWEF]: (\[Corrected\] )?(?:\[Correctable\] )?([A-Z]\w*(?:\/\w+)+): (.+)$/;
const cops: Form = (line) => {
  const [all, file = "", at, corrected, cop = "", message = ""] = COP.exec(line) ?? [];
  return all === undefined || corrected !== undefined ? null : problem(file, cop, message, Number(at));
};

/** `a.go:5:2: … (errcheck)`, as golangci-lint writes it. */
const GOLANGCI = /^(\S+\.go):(\d+)(?::\d+)?: (.+) \(([a-z][\w-]*)\)$/;
/** Go's compiler and `go vet` have no word of their own; the package stands above in a line of its own. */
const GO = /^(?:vet: )?(\S+\.go):(\d+)(?::\d+)?: (.+)$/;
const golang: Form = (line, { isBelowPackage }) => {
  // Of the compiler's own messages some end with brackets too: below the name of a package they are the compiler's.
  if (isBelowPackage) {
    const [all, file = "", at, message = ""] = GO.exec(line) ?? [];
    // How many more there are changes with other files of the package.
    const own = message.replace(/ \(and \d+ more errors?\)$/, "");
    return all === undefined ? null : problem(file, "go", own, Number(at));
  }
  const [all, file = "", at, message = "", linter = ""] = GOLANGCI.exec(line) ?? [];
  return all === undefined ? null : problem(file, linter, message, Number(at));
};

/** Messages go on in lines further in; anything else ends them. */
function staysBelow(line: string, isBelow: boolean): boolean {
  return /^# \S+(?: \[\S+\])?$/.test(line) || (isBelow && (GO.test(line) || /^\s|^too many errors$/.test(line)));
}

/** `  /ws/a.py:3:5 - error: … (reportName)`; the rest of a long message follows further in. */
const PYRIGHT = /^ *(\S.*?):(\d+):\d+ - error: (.+?)(?: \((report\w+)\))?$/;
const pyright: Form = (line, { lines, at: i }) => {
  const [all, file = "", at, first = "", rule] = PYRIGHT.exec(line) ?? [];
  // TypeScript's errors look alike and have a number.
  if (all === undefined || /^TS\d+:/.test(first)) return null;
  const rest: string[] = [];
  for (let next = i + 1; /^ {4}/.test(lines[next] ?? "") && rest.length < 20; next++) rest.push(lines[next] as string);
  const told = rest.join("\n");
  const [, below] = / \((report\w+)\)$/.exec(told) ?? [];
  const message = [first, told.replace(/ \(report\w+\)$/, "")].filter((part) => part !== "").join("\n");
  return problem(file, rule ?? below ?? "error", message, Number(at));
};

const MOST_ABOVE = 40;

/** ShellCheck for people: `In a.sh line 3:`, the line itself, then an arrow with the message. */
const SHELL_ARROW = /^ *\^-*\^? (SC\d+) \((?:error|warning|info|style)\): (.+)$/;
const shell: Form = (line, { lines, at: i }) => {
  const [all, code = "", message = ""] = SHELL_ARROW.exec(line) ?? [];
  if (all === undefined) return null;
  for (let above = i - 1; above >= 0 && i - above <= MOST_ABOVE; above--) {
    const [, file, at] = /^In (.+) line (\d+):$/.exec(lines[above] as string) ?? [];
    if (file !== undefined) return problem(file, code, message, Number(at));
  }
  return null;
};

/** `A.cs(3,5): error CS1002: … [/ws/a.csproj]`, and Maven's `[ERROR] /ws/A.java:[3,5] …`. */
const MSBUILD = /^\s*(\S.*?)\((\d+),\d+\): error ((?!TS\d)[A-Z]{2,}\d+): (.+?)(?: \[\S+proj(?:::\S+)?\])?$/;
const MAVEN = /^\[ERROR\] (\S.*?):\[(\d+),\d+\] ()(?:error: )?(.+)$/;
const builders: Form = (line) => {
  const [all, file = "", at, code = "", message = ""] = MSBUILD.exec(line) ?? MAVEN.exec(line) ?? [];
  return all === undefined ? null : problem(file, code === "" ? "error" : code, message, Number(at));
};

const FORMS: readonly Form[] = [compilers, readCoded, arrows, cops, golang, pyright, shell, builders];

/** Counts that programs print at the end: when fewer could be read, the rest counts without words. */
const COUNTS: readonly (readonly [program: string, counted: RegExp])[] = [
  ["ruff", /^Found (\d+) errors?\.$/],
  ["mypy", /^Found (\d+) errors? in \d+ files? \(/],
  ["rubocop", /^\d+ files? inspected, (\d+) offenses? detected/],
  ["pyright", /^(\d+) errors?, \d+ warnings?, \d+ informations?/],
  ["golangci-lint", /^(\d+) issues?:$/],
];

/** Longer lines are not messages, and forms are slow on them. */
const MOST_LINE = 4000;

/** Messages of all of these programs: one command may run several. Null when there is none. */
export const readLintLines: ReadReport = (text) => {
  const lines = text.split("\n");
  const found: Finding[] = [];
  let counted = 0;
  const programs = new Set<string>();
  let isBelowPackage = false;
  for (const [i, line] of lines.entries()) {
    if (line.length > MOST_LINE) continue;
    isBelowPackage = staysBelow(line, isBelowPackage);
    const around = { lines, at: i, isBelowPackage };
    const finding = FORMS.reduce<Finding | null>((known, form) => known ?? form(line, around), null);
    if (finding !== null) found.push(finding);
    for (const [program, pattern] of COUNTS) {
      const count = Number(pattern.exec(line)?.[1] ?? 0);
      counted += count;
      if (count > 0) programs.add(program);
    }
  }
  const all = [...found, ...reportUnread([...programs].join(", "), counted, found.length)];
  return all.length === 0 ? null : all;
};
