import { programName, VALUED_BY_FETCHERS } from "./programs.js";
import { gitParts, join, type PathUse, type ReadCommand } from "./read-command.js";
import type { Word } from "./shell-word.js";

/*
 * The paths a command would write, remove or read: by redirection, and by what is known of common programs. A program
 * that is not known here may write anywhere; the sandbox and the gate over the whole result hold it, not this table.
 */

interface Found {
  readonly uses: readonly PathUse[];
  readonly problems: readonly string[];
  /** Reasons why the words of the line do not show what it changes in the workspace. */
  readonly code: readonly string[];
}

type Access = PathUse["access"];
type Uses = readonly (readonly [Word, Access])[];

/** Contract: pure and total. A path that cannot be determined is a problem. */
export function pathsOf(command: ReadCommand): Found {
  const known = WRITERS.get(command.name);
  const uses: (readonly [Word, Access])[] = [
    ...redirectedPaths(command),
    ...(known?.(command) ?? mentionedPaths(command)),
  ];
  const problems = new Set<string>();
  const found: PathUse[] = [];
  const writes = uses.filter(([, access]) => access !== "read");
  if (command.fed && known !== undefined && WRITES_OPERANDS.has(command.name))
    problems.add(`what ${command.name} writes cannot be determined`);
  for (const [word, access] of uses) {
    if (word.text === "") continue;
    if (word.dynamic) {
      problems.add(
        access === "read" ? "a path that is read cannot be determined" : "a path that is written cannot be determined",
      );
      continue;
    }
    for (const place of command.places) {
      if (place === null && !/^[/~]/.test(word.text)) problems.add("the directory of a path cannot be determined");
      else found.push({ path: join(place ?? "", word.text), access, pattern: word.pattern });
    }
  }
  if (writes.length > 10_000) problems.add("too many paths are written");
  return { uses: found, problems: [...problems], code: findUnnamedChanges(command) };
}

/** Programs that apply a change from a file: it is not read here, and judged where it lands. */
function findUnnamedChanges({ name, words }: ReadCommand): string[] {
  const applies = name === "patch" || (name === "git" && /^(?:apply|am)$/.test(gitParts(words).name));
  return applies ? ["which files a patch changes is not read"] : [];
}

function redirectedPaths({ redirects }: ReadCommand): Uses {
  return redirects.flatMap(({ operator, target }): Uses => {
    if (operator === "runs" || operator.startsWith("<<")) return [];
    // `2>&1` copies a descriptor.
    if (operator.endsWith("&") && /^(?:\d+-?|-)$/.test(target.text)) return [];
    if (operator === "<" || operator === "<&") return [[target, "read"]];
    return [[target, "write"]];
  });
}

/** Options and operands, each option that takes a value with it. */
function split({ words }: ReadCommand, valued: readonly string[] = []) {
  const operands: Word[] = [];
  const options = new Map<string, Word | true>();
  const args = words.slice(1);
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] as Word;
    const { text } = word;
    if (text === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (!text.startsWith("-") || text === "-") {
      if (text !== "-") operands.push(word);
      continue;
    }
    const equals = text.startsWith("--") ? text.indexOf("=") : -1;
    const option = equals === -1 ? text : text.slice(0, equals);
    const glued = valued.find((flag) => flag.length === 2 && text.startsWith(flag) && text.length > 2);
    if (equals !== -1) options.set(option, { ...word, text: text.slice(equals + 1) });
    else if (glued !== undefined) options.set(glued, { ...word, text: text.slice(2) });
    else if (valued.includes(text)) {
      options.set(text, args[at + 1] ?? true);
      at += 1;
    } else options.set(option, true);
  }
  return { operands, options };
}

const all = (words: readonly Word[], access: Access): Uses => words.map((word) => [word, access] as const);
const value = (options: ReadonlyMap<string, Word | true>, ...names: readonly string[]): Word[] =>
  names.map((name) => options.get(name)).filter((word): word is Word => typeof word === "object");
const here = (text: string): Word => ({ text, dynamic: false, pattern: false, plain: true, bare: text, runs: [] });

/** A name in a directory, when the target is one or may be one. */
function into(target: Word, sources: readonly Word[], isDirectory: boolean): Uses {
  const directory = isDirectory || /(?:^|\/)\.{0,2}$/.test(target.text) || sources.length > 1;
  const below = sources.map((source): readonly [Word, Access] => {
    const name = source.text.replace(/\/+$/, "").split("/").at(-1) ?? "";
    const text = `${target.text.replace(/\/+$/, "")}/${name}`;
    return [{ ...target, text, dynamic: target.dynamic || source.dynamic, pattern: source.pattern }, "write"];
  });
  if (directory) return below;
  // A name with an extension is a file; any other may be a directory that is there already.
  return /\.[^./]+$/.test(target.text) ? [[target, "write"]] : [[target, "write"], ...below];
}

function copier(command: ReadCommand, source: Access): Uses {
  const { operands, options } = split(command, ["-t", "--target-directory", "-m", "--mode", "-o", "-g", "-S"]);
  const [named] = value(options, "-t", "--target-directory");
  const target = named ?? operands.at(-1);
  const sources = named === undefined ? operands.slice(0, -1) : operands;
  if (target === undefined) return [];
  const itself = [...options.keys()].some((option) => /^-[a-zA-Z]*T|^--no-target-directory$/.test(option));
  if (itself) return [...all(sources, source), [target, "write"]];
  return [...all(sources, source), ...into(target, sources, named !== undefined)];
}

const writtenPaths = (command: ReadCommand, valued: readonly string[] = []): Uses =>
  all(split(command, valued).operands, "write");
const removedPaths = (command: ReadCommand): Uses => all(split(command).operands, "delete");
const afterFirst = (command: ReadCommand): Uses => {
  const { operands, options } = split(command, ["--reference"]);
  return all(options.has("--reference") ? operands : operands.slice(1), "write");
};

function dd({ words }: ReadCommand): Uses {
  return words.slice(1).flatMap((word): Uses => {
    const match = /^(if|of)=(.*)$/s.exec(word.text);
    return match === null ? [] : [[{ ...word, text: match[2] as string }, match[1] === "of" ? "write" : "read"]];
  });
}

function sed(command: ReadCommand): Uses {
  const { operands, options } = split(command, ["-e", "-f", "--expression", "--file"]);
  const inPlace = [...options.keys()].some((option) => /^-[a-zA-Z]*i|^--in-place/.test(option));
  const scripted = ["-e", "-f", "--expression", "--file"].some((option) => options.has(option));
  return all(scripted ? operands : operands.slice(1), inPlace ? "write" : "read");
}

function find(command: ReadCommand): Uses {
  const args = command.words.slice(1);
  const first = args.findIndex(({ text }) => /^[-(!]/.test(text));
  const roots = first === 0 ? [here(".")] : args.slice(0, first === -1 ? undefined : first);
  const deletes = args.some(({ text }) => text === "-delete");
  const prints = args.flatMap((word, at) =>
    /^-(?:fprint0?|fprintf|fls)$/.test(word.text) && args[at + 1] !== undefined ? [args[at + 1] as Word] : [],
  );
  const below = roots.map((root) => ({ ...root, text: `${root.text.replace(/\/+$/, "")}/**`, pattern: true }));
  return [...all(roots, "read"), ...(deletes ? all(below, "delete") : []), ...all(prints, "write")];
}

function tar(command: ReadCommand): Uses {
  const mode = command.words[1]?.text ?? "";
  const { operands, options } = split(command, ["-f", "--file", "-C", "--directory"]);
  const extracts = /^-{0,1}[a-zA-Z]*x/.test(mode) || options.has("--extract") || options.has("--get");
  const creates = /^-{0,1}[a-zA-Z]*[cru]/.test(mode) || options.has("--create");
  const [directory = here(".")] = value(options, "-C", "--directory");
  const rest = /^[^-]/.test(mode) || /^-[a-zA-Z]*f$/.test(mode) ? operands : [];
  const archive = value(options, "-f", "--file")[0] ?? (/^[^-]/.test(mode) ? rest[1] : rest[0]);
  if (extracts) return [[{ ...directory, text: `${directory.text}/**`, pattern: true }, "write"]];
  return creates && archive !== undefined ? [[archive, "write"]] : [];
}

function download(command: ReadCommand): Uses {
  const { options, operands } = split(command, VALUED_BY_FETCHERS);
  const outputs = value(options, "-o", "--output", "-O", "--output-document", "-P", "--directory-prefix", "-D", "-c");
  const sent = value(options, "-d", "--data", "--data-binary", "-F", "--form", "-T", "--upload-file", "--post-file")
    .map((word) => ({ ...word, text: /(?:^|=)@?([^=@;]+)/.exec(word.text)?.[1] ?? "" }))
    .filter(({ text }) => /[/.]/.test(text) && !text.includes("://") && !/[{}" ]/.test(text));
  const named =
    command.name === "wget" && outputs.length === 0 && !options.has("--spider")
      ? operands.map((word) => ({ ...word, text: /[^/]*$/.exec(word.text)?.[0] || "index.html" }))
      : [];
  return [...all([...outputs, ...named], "write"), ...all(sent, "read")];
}

const EVERYTHING: Word = { ...here("**"), pattern: true };
/** `stash` is not among them: it puts away and brings back what the attempt itself changed, and no other file. */
const GIT_WRITES = new Set(
  "checkout restore switch reset clean pull merge rebase revert cherry-pick read-tree checkout-index".split(" "),
);

function git(command: ReadCommand): Uses {
  const { name, args } = gitParts(command.words);
  const operands = args.filter(({ text }) => !text.startsWith("-"));
  const output = args.findIndex(({ text }) => /^--output(?:=|$)/.test(text));
  if (output !== -1) {
    const word = args[output] as Word;
    return word.text === "--output"
      ? all(args.slice(output + 1, output + 2), "write")
      : [[{ ...word, text: word.text.slice(9) }, "write"]];
  }
  if (name === "rm") return all(operands, "delete");
  if (name === "mv") return [...all(operands.slice(0, -1), "delete"), ...all(operands.slice(-1), "write")];
  if (name === "init" || name === "clone" || name === "worktree")
    return operands.length > 1 || name === "init" ? all(operands.slice(-1), "write") : [];
  if (!GIT_WRITES.has(name)) return [];
  if (name === "clean" && args.some(({ text }) => /^-[a-zA-Z]*n|^--dry-run$/.test(text))) return [];
  if (name === "reset" && !args.some(({ text }) => /^--(?:hard|merge|keep)$/.test(text))) return [];
  // Making a branch moves no file.
  if (/^(?:checkout|switch)$/.test(name) && args.some(({ text }) => /^-(?:b|B|c|C)$/.test(text))) return [];
  const dashes = args.findIndex(({ text }) => text === "--");
  if (dashes !== -1 && dashes + 1 < args.length) return all(args.slice(dashes + 1), "write");
  if ((name === "restore" || name === "clean") && operands.length > 0) return all(operands, "write");
  return [[EVERYTHING, "write"]];
}

function packages({ words }: ReadCommand): Uses {
  // Without a word, yarn installs; the others print their help.
  const bare = words.length === 1 && programName(words[0]?.text ?? "") === "yarn" ? "install" : "help";
  const verb = words.slice(1).find(({ text }) => !text.startsWith("-"))?.text ?? bare;
  if (!/^(?:i|install|ci|add|remove|rm|un|uninstall|update|up|upgrade|link|dedupe|prune|audit)$/.test(verb)) return [];
  // The packages themselves are ignored by git, and no part of a result.
  if (verb === "ci") return [];
  const names = ["package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock"];
  const lock = { npm: 1, yarn: 2, pnpm: 3, bun: 4 }[words[0]?.text.split("/").at(-1) ?? ""] ?? 1;
  return [names[0] as string, names[lock] as string].map((name) => [here(name), "write"] as const);
}

const PATTERN_FIRST = new Set(["grep", "egrep", "fgrep", "rg", "ag", "ack", "awk", "gawk", "mawk", "jq", "yq"]);
const NO_PATHS = new Set([
  "echo",
  "printf",
  "true",
  "false",
  ":",
  "cd",
  "test",
  "[",
  "export",
  "set",
  "kill",
  "sleep",
  "expr",
  "seq",
]);

/** The name that most programs give to an option for what they write. */
const OUTPUT = /^--out(?:put)?(?:-?(?:dir|file|path))?(?:=(.*))?$/is;

/** Lists words that look like paths, of an unknown program: they may be read. */
function mentionedPaths(command: ReadCommand): Uses {
  if (NO_PATHS.has(command.name)) return [];
  const words = command.words.slice(1);
  const operands = PATTERN_FIRST.has(command.name)
    ? words.slice(words.findIndex(({ text }) => !text.startsWith("-")) + 1)
    : words;
  const outputs = words.flatMap((word, at): Uses => {
    const match = OUTPUT.exec(word.text);
    if (match === null) return [];
    const target = match[1] === undefined ? words[at + 1] : { ...word, text: match[1] };
    return target === undefined ? [] : [[target, "write"]];
  });
  const reads = operands.flatMap((word): Uses => {
    const text = word.text.startsWith("-") ? word.text.replace(/^--?[\w-]+=?/, "") : word.text;
    if (word.dynamic || text.includes("://") || !/^[./~]|\/|^[\w.-]+$/.test(text) || text.length > 4096) return [];
    return /^[./~]|\//.test(text) || /\.[A-Za-z]\w*$/.test(text) ? [[{ ...word, text }, "read"]] : [];
  });
  return [...outputs, ...reads];
}

const WRITES_OPERANDS = new Set(
  "rm rmdir unlink shred mv cp install ln touch mkdir truncate tee chmod chown sed dd".split(" "),
);

const WRITERS: ReadonlyMap<string, (command: ReadCommand) => Uses> = new Map([
  ...["rm", "rmdir", "unlink", "shred"].map((name) => [name, removedPaths] as const),
  ...["mkdir", "mkfifo", "mknod", "tee", "gzip", "gunzip", "bzip2", "xz", "unxz", "zstd"].map(
    (name) => [name, (command: ReadCommand) => writtenPaths(command, ["-m", "--mode"])] as const,
  ),
  ["touch", (command) => writtenPaths(command, ["-d", "-t", "-r", "--date", "--reference"])],
  ["truncate", (command) => writtenPaths(command, ["-s", "--size", "-r", "--reference"])],
  ["mv", (command) => copier(command, "delete")],
  ...["cp", "install", "ln", "link"].map((name) => [name, (command: ReadCommand) => copier(command, "read")] as const),
  ...["chmod", "chown", "chgrp", "chattr", "setfacl"].map((name) => [name, afterFirst] as const),
  ["dd", dd],
  ["sed", sed],
  ["gsed", sed],
  ["find", find],
  ["tar", tar],
  ["unzip", (command) => all(value(split(command, ["-d"]).options, "-d"), "write")],
  [
    "sort",
    (command) => [
      ...all(value(split(command, ["-o", "--output"]).options, "-o", "--output"), "write"),
      ...mentionedPaths(command),
    ],
  ],
  ["curl", download],
  ["wget", download],
  ["git", git],
  [
    "uniq",
    (command) =>
      split(command, ["-f", "-s", "-w"]).operands.map((word, at) => [word, at === 0 ? "read" : "write"] as const),
  ],
  [
    "patch",
    (command) => all(value(split(command, ["-o", "--output", "-i", "-d", "-p"]).options, "-o", "--output"), "write"),
  ],
  ...["npm", "pnpm", "yarn", "bun"].map(
    (name) => [name, (command: ReadCommand) => [...packages(command), ...mentionedPaths(command)]] as const,
  ),
]);
