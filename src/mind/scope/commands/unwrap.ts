import { EDITORS, INTERPRETERS, programName, SHELLS, STARTS, type Wrapper, WRAPPERS } from "./programs.js";
import type { ReadCommand } from "./read-command.js";
import type { Assignment, Redirect, ShellCommand } from "./shell-commands.js";
import type { Word } from "./shell-word.js";

/*
 * A command without what is wrapped around it: `env A=b timeout 5 npm test` is npm test. A shell that is given its lines
 * on the spot is opened, and they are read. A program that runs what nobody can read here makes the line undecidable.
 */

interface Unwrapped {
  readonly command: Omit<ReadCommand, "places" | "fedBy">;
  /** Lines that the command runs. */
  readonly lines: readonly string[];
  /** Commands that it runs, already in words. */
  readonly commands: readonly ShellCommand[];
  readonly problems: readonly string[];
  /** Code it runs that nobody reads here: it may do whatever a script of the workspace may. */
  readonly code: readonly string[];
  /** It is nothing but a shell around those lines, and needs no permission of its own. */
  readonly opened: boolean;
}

const MAX_WRAPPERS = 12;
const ASSIGNS = /^([A-Za-z_]\w*)=/;

export function unwrap(shell: ShellCommand): Unwrapped {
  const problems: string[] = [];
  const lines: string[] = [];
  const wrappers: string[] = [];
  const assignments: Assignment[] = [...shell.assignments];
  let { words } = shell;
  let fed = false;
  for (;;) {
    const first = words[0];
    if (first === undefined) break;
    if (first.dynamic || first.pattern) problems.push("the name of a program cannot be read");
    const name = programName(first.text);
    const double = WRAPPERS.get(`${name} ${words[1]?.text ?? ""}`);
    const wrapper = double ?? WRAPPERS.get(name);
    if (wrapper === undefined) break;
    // `command -v npm` and `exec > file` start nothing.
    if (name === "command" && /^-[vV]+$/.test(words[1]?.text ?? "")) break;
    const inner = inside(words.slice(double === undefined ? 1 : 2), wrapper, assignments, problems);
    wrappers.push(name);
    if (wrappers.length > MAX_WRAPPERS) {
      problems.push("commands are wrapped too often to be read");
      break;
    }
    fed ||= wrapper.feeds;
    if (inner.line !== null) {
      lines.push(inner.line);
      words = [];
      break;
    }
    if (inner.words.length === 0) break;
    ({ words } = inner);
  }
  const name = programName(words[0]?.text ?? "");
  const command = { name, words, assignments, redirects: shell.redirects, wrappers, fed };
  const inner = openShell(command, shell);
  const started = findProgramsOfOptions(command, shell);
  const commands = name === "find" ? listExecutedByFind(words, shell.redirects) : [];
  return {
    command,
    lines: [...lines, ...inner.lines],
    commands,
    problems: [...problems, ...inner.problems, ...started.problems],
    code: [...inner.code, ...started.code],
    opened: (lines.length > 0 && words.length === 0) || inner.opened,
  };
}

/** Past the options, operands and assignments of a wrapper. */
function inside(words: readonly Word[], wrapper: Wrapper, assignments: Assignment[], problems: string[]) {
  let at = 0;
  let { operands } = wrapper;
  while (at < words.length) {
    const word = words[at] as Word;
    const { text } = word;
    const assigned = wrapper.assigns ? ASSIGNS.exec(text) : null;
    if (assigned !== null) {
      const value = text.slice(assigned[0].length);
      assignments.push({ name: assigned[1] as string, value, dynamic: word.dynamic });
      at += 1;
    } else if (text === "--") {
      at += 1;
      if (operands === 0) break;
    } else if (text.startsWith("-") && text !== "-") {
      const [option, value] = text.split(/=(.*)/s, 2) as [string, string?];
      if (wrapper.line.includes(option) || wrapper.line.some((flag) => flag.length === 2 && text.startsWith(flag))) {
        const glued = option.length > 2 && !option.startsWith("--") ? text.slice(2) : value;
        const line = glued === undefined ? words[at + 1] : { ...word, text: glued };
        if (line === undefined || line.dynamic) problems.push("a line that is run cannot be read");
        return { line: line?.text ?? "", words: [] };
      }
      if (option === "-C" || option === "--chdir") problems.push("the directory of a command cannot be read");
      at += wrapper.valued.includes(text) ? 2 : 1;
    } else if (operands > 0) {
      operands -= 1;
      at += 1;
    } else break;
  }
  return { line: null, words: words.slice(at) };
}

type Bare = Omit<ReadCommand, "places" | "fedBy">;
interface Opened {
  readonly lines: readonly string[];
  readonly problems: readonly string[];
  readonly code: readonly string[];
  readonly opened: boolean;
}

const NOT_OPENED: Opened = { lines: [], problems: [], code: [], opened: false };
const notOpened = (problem: string): Opened => ({ ...NOT_OPENED, problems: [problem] });

function openShell(command: Bare, { piped }: ShellCommand): Opened {
  const { name, words, redirects, fed } = command;
  const args = words.slice(1);
  if (name === "eval" || name === "trap") {
    const script = name === "eval" ? args : args.slice(0, 1);
    if (script.some(({ dynamic }) => dynamic)) return notOpened(`what ${name} runs cannot be read`);
    return { ...NOT_OPENED, lines: [script.map(({ text }) => text).join(" ")], opened: true };
  }
  if (name === "source" || name === ".") {
    const unread = args.some(({ dynamic, pattern }) => dynamic || pattern);
    return unread ? notOpened("what is sourced cannot be read") : NOT_OPENED;
  }
  if (!SHELLS.has(name)) return NOT_OPENED;
  if (fed) return notOpened("what the shell runs cannot be read");
  for (let at = 0; at < args.length; at += 1) {
    const { text } = args[at] as Word;
    if (text === "-o" || text === "+o" || text === "-O" || text === "--rcfile" || text === "--init-file") {
      if (text.startsWith("--")) return notOpened("a start file of a shell is not read");
      at += 1;
    } else if (/^-[A-Za-z]*c[A-Za-z]*$/.test(text)) {
      const script = args.slice(at + 1).find((word) => !/^[-+]/.test(word.text));
      if (script === undefined || script.dynamic) return notOpened("the line a shell runs cannot be read");
      return { ...NOT_OPENED, lines: [script.text], opened: true };
    } else if (!/^[-+]/.test(text)) {
      const unread = args[at]?.dynamic === true || args[at]?.pattern === true;
      return unread ? notOpened("the script a shell runs cannot be determined") : NOT_OPENED;
    } else if (text === "-s" || text === "-") break;
  }
  return fromInput(redirects, piped.length > 0);
}

/** A shell without a script reads its lines from its input. */
function fromInput(redirects: readonly Redirect[], isPiped: boolean): Opened {
  const input = redirects.findLast(({ operator }) => operator.startsWith("<"));
  const text = input?.operator === "<<<" ? input.target.text : (input?.body ?? null);
  if (text === null || input?.target.dynamic === true) {
    const from = isPiped ? "another command" : "its input";
    return notOpened(`a shell runs what comes from ${from}`);
  }
  return { ...NOT_OPENED, lines: [text], opened: true };
}

function findProgramsOfOptions(
  { name, words, redirects, fed }: Bare,
  { piped }: ShellCommand,
): { readonly problems: readonly string[]; readonly code: readonly string[] } {
  const args = words.slice(1).map(({ text }) => text);
  const has = (options: readonly string[], among = args) =>
    among.some((arg) =>
      options.some(
        (option) =>
          arg === option ||
          arg.startsWith(`${option}=`) ||
          // Single letters may be joined to others, or to their value.
          (/^-[A-Za-z]$/.test(option) && /^-[A-Za-z]/.test(arg) && new RegExp(`^-[a-zA-Z]*${option[1]}`).test(arg)),
      ),
    );
  const problems: string[] = [];
  const code: string[] = [];
  const carriers = INTERPRETERS.get(name);
  if (carriers !== undefined) {
    // Arguments after the script or module belong to it.
    const script = args.findIndex((arg) => !arg.startsWith("-") || arg === "-m");
    if (has(carriers, script === -1 ? args : args.slice(0, script + 1)))
      code.push(`${name} runs code from the command line, which is not read`);
    const operand = args.find((arg) => !arg.startsWith("-"));
    const input = piped.length > 0 || fed || redirects.some(({ operator }) => operator.startsWith("<"));
    if (args.includes("-") || (operand === undefined && input))
      code.push(`${name} runs what comes from its input, which is not read`);
  }
  if (EDITORS.has(name)) problems.push(`${name} may run anything from inside`);
  const starters = STARTS.get(name);
  if (starters !== undefined && has(starters)) code.push(`an option of ${name} starts another program`);
  if (/^(?:awk|gawk|mawk|nawk)$/.test(name) && (has(["-f"]) || /system|getline|[|>]/.test(args.join(" "))))
    code.push("a program of awk may run or write anything");
  if (/^g?sed$/.test(name) && (has(["-f", "--file"]) || sedScripts(args).some(runsOrWrites)))
    code.push("a script of sed runs or writes");
  if (name === "git") problems.push(...findProgramsOfGit(args));
  if (name === "alias" || name === "enable" || name === "hash")
    problems.push("a name of a command gets another meaning");
  return { problems, code };
}

function sedScripts(args: readonly string[]): readonly string[] {
  const given = args.flatMap((arg, at) => {
    if (arg === "-e" || arg === "--expression" || /^-[a-zA-Z]*e$/.test(arg)) return [args[at + 1] ?? ""];
    return /^(?:-e|--expression=)(.+)$/s.exec(arg)?.slice(1) ?? [];
  });
  return given.length > 0 ? given : args.filter((arg) => !arg.startsWith("-")).slice(0, 1);
}

/** A command e, w or W behind no address, a number or a text; or the same among the flags of a substitution. */
function runsOrWrites(script: string): boolean {
  const command = /(?:^|[;{}\n])\s*(?:[\d$]+(?:[,~+]\s*[\d$]+)?\s*!?\s*|\/(?:\\.|[^/\\])*\/[IM]?\s*!?\s*)?[ewW]/;
  return command.test(script) || /[ew]/.test(flagsOfSubstitution(script));
}

/** The text from the last delimiter of `s/a/b/flags` on, or nothing. */
function flagsOfSubstitution(script: string): string {
  const match = /^[\d,$]*\s*s([^\w\s\\])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*(\1[A-Za-z0-9]*)/.exec(
    script.slice(0, 2048),
  );
  return match?.[2] ?? "";
}

const HARMLESS_KEYS =
  /^(?:user\.(?:name|email)|color\.|advice\.|core\.quote(?:p|P)ath|init\.default|commit\.gpg|tag\.gpg|log\.|column\.|core\.pager=(?:cat)?$)/;

function findProgramsOfGit(args: readonly string[]): string[] {
  const problems: string[] = [];
  for (let at = 0; at < args.length && (args[at] as string).startsWith("-"); at += 1) {
    const arg = args[at] as string;
    if (arg === "-c" || arg === "--config-env") {
      at += 1;
      if (!HARMLESS_KEYS.test(args[at] ?? "")) problems.push("a setting of git given with -c may run anything");
    } else if (/^-c./.test(arg) || arg.startsWith("--exec-path=") || arg.startsWith("--config-env="))
      problems.push("a setting of git may run anything");
    else if (arg === "-C" || arg === "--git-dir" || arg === "--work-tree" || arg === "--namespace") at += 1;
  }
  const rest = args.join(" ");
  if (/(?:^| )--(?:ext-diff|upload-pack|receive-pack|exec)\b/.test(rest)) problems.push("git starts another program");
  if (
    /\b(?:bisect run|submodule foreach|difftool|mergetool|filter-branch)\b|rebase.* (?:-x|--exec)|grep.* (?:-O|--open-files)/.test(
      rest,
    )
  )
    problems.push("git starts another program");
  if (
    /\bconfig\b.*(?:alias\.|\.command|hookspath|fsmonitor|sshcommand|pager|editor|helper|filter\.|textconv|include)/i.test(
      rest,
    )
  )
    problems.push("a setting of git may run anything later");
  return problems;
}

/** `find … -exec COMMAND ;`: the names that are put in for `{}` are not known. */
function listExecutedByFind(words: readonly Word[], redirects: readonly Redirect[]): ShellCommand[] {
  const found: ShellCommand[] = [];
  for (let at = 1; at < words.length; at += 1) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test((words[at] as Word).text)) continue;
    const from = at + 1;
    while (at + 1 < words.length && !/^(?:;|\+)$/.test((words[at + 1] as Word).text)) at += 1;
    const inner = words.slice(from, at + 1);
    found.push({
      words: inner.map((word) => (word.text.includes("{}") ? { ...word, dynamic: true } : word)),
      assignments: [],
      redirects: redirects.filter(({ operator }) => operator !== "runs" && !operator.startsWith(">")),
      piped: [],
    });
  }
  return found;
}
