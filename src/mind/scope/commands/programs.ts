/*
 * Knowledge of programs that start other programs. A program that is not here is a command of its own and has to be in
 * the scope by its own name.
 */

export interface Wrapper {
  /** Options that take the next word as their value. */
  readonly valued: readonly string[];
  /** Words between the options and the command: the duration of `timeout`. */
  readonly operands: number;
  /** `NAME=value` may stand before the command. */
  readonly assigns: boolean;
  /** The command may be given as one word of shell: `npx -c "…"`. */
  readonly line: readonly string[];
  /** The command gets words nobody can know here: `xargs`. */
  readonly feeds: boolean;
}

function wrapper(given: Partial<Wrapper> = {}): Wrapper {
  return { valued: [], operands: 0, assigns: false, line: [], feeds: false, ...given };
}

const RUNNER = wrapper({ valued: ["-p", "--package"], line: ["-c", "--call"] });

/** By the program's name, or by its name and first word. */
export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map([
  ["env", wrapper({ valued: ["-u", "--unset"], assigns: true, line: ["-S", "--split-string"] })],
  ["nohup", wrapper()],
  ["setsid", wrapper()],
  ["command", wrapper()],
  ["builtin", wrapper()],
  ["exec", wrapper({ valued: ["-a"] })],
  ["time", wrapper({ valued: ["-o", "-f"] })],
  ["nice", wrapper({ valued: ["-n", "--adjustment"] })],
  ["ionice", wrapper({ valued: ["-c", "-n"] })],
  ["stdbuf", wrapper({ valued: ["-i", "-o", "-e"] })],
  ["timeout", wrapper({ valued: ["-k", "-s", "--kill-after", "--signal"], operands: 1 })],
  ["taskset", wrapper({ operands: 1 })],
  ["chrt", wrapper({ operands: 1 })],
  ["flock", wrapper({ valued: ["-w", "-E"], operands: 1, line: ["-c"] })],
  ["watch", wrapper({ valued: ["-n", "-d"] })],
  ["strace", wrapper({ valued: ["-o", "-e", "-p", "-s", "-u"] })],
  ["ltrace", wrapper({ valued: ["-o", "-e", "-p", "-s", "-u"] })],
  ["busybox", wrapper()],
  ["toybox", wrapper()],
  ["sudo", wrapper({ valued: ["-u", "-g", "-h", "-p", "-C", "-D", "-r", "-t", "-U"], assigns: true })],
  ["doas", wrapper({ valued: ["-u", "-C"] })],
  ["pkexec", wrapper({ valued: ["--user"] })],
  ["su", wrapper({ operands: 1, line: ["-c", "--command"] })],
  ["script", wrapper({ operands: 99, line: ["-c", "--command"] })],
  ["chroot", wrapper({ operands: 1 })],
  ["unshare", wrapper()],
  ["nsenter", wrapper({ valued: ["-t", "--target"] })],
  [
    "xargs",
    wrapper({
      valued: ["-I", "-n", "-P", "-L", "-d", "-a", "-s", "-E", "--max-args", "--max-procs", "--delimiter", "--replace"],
      feeds: true,
    }),
  ],
  ["parallel", wrapper({ valued: ["-j", "-a", "-n"], feeds: true })],
  ["npx", RUNNER],
  ["bunx", RUNNER],
  ["pnpx", RUNNER],
  ["npm exec", RUNNER],
  ["npm x", RUNNER],
  ["pnpm exec", RUNNER],
  ["pnpm dlx", RUNNER],
  ["yarn exec", RUNNER],
  ["yarn dlx", RUNNER],
  ["bun x", RUNNER],
  ["uv run", wrapper({ valued: ["--with", "-p", "--python", "--package"] })],
  ["poetry run", wrapper()],
  ["pipenv run", wrapper()],
  ["bundle exec", wrapper()],
]);

/** Wrappers that a scope may name, because what they run is a package and not a program of the machine. */
export const RUNNERS: ReadonlySet<string> = new Set(
  "npx bunx pnpx npm pnpm yarn bun uv poetry pipenv bundle".split(" "),
);

export const SHELLS: ReadonlySet<string> = new Set([
  "sh",
  "bash",
  "dash",
  "zsh",
  "ksh",
  "mksh",
  "ash",
  "fish",
  "rbash",
]);

/** Programs that run code given as an argument, and the options that carry it. */
export const INTERPRETERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["python", ["-c"]],
  ["node", ["-e", "--eval", "-p", "--print", "-pe", "-r", "--require", "--import", "--loader"]],
  ["nodejs", ["-e", "--eval", "-p", "--print", "-pe", "-r", "--require", "--import"]],
  ["bun", ["-e", "--eval", "-p", "--print", "-r", "--preload"]],
  ["deno", ["eval"]],
  ["tsx", ["-e", "--eval", "-p"]],
  ["perl", ["-e", "-E", "-M", "-n", "-p"]],
  ["ruby", ["-e", "-r"]],
  ["php", ["-r", "-B", "-R", "-E"]],
  ["lua", ["-e"]],
  ["osascript", ["-e"]],
  ["tclsh", []],
  ["rscript", ["-e"]],
  ["pwsh", ["-c", "-Command", "-command", "-EncodedCommand", "-e"]],
  ["powershell", ["-c", "-Command", "-command", "-EncodedCommand", "-e"]],
]);

/** Options of curl and wget that take a value which is not an address. */
export const VALUED_BY_FETCHERS =
  "-o --output -O --output-document -P --directory-prefix -d --data --data-binary -F --form -T --upload-file --post-file -H --header -X --request -u --user -A --user-agent -e -b --cookie -c --cookie-jar -D --dump-header -K --config -m --max-time".split(
    " ",
  );

/** Editors and pagers run commands from inside; what they will do cannot be read from the line. */
export const EDITORS: ReadonlySet<string> = new Set(["vi", "vim", "nvim", "ex", "ed", "emacs", "nano", "gdb", "lldb"]);

/** Options of ordinary programs that start another one. */
export const STARTS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "tar",
    [
      "--checkpoint-action",
      "--to-command",
      "-I",
      "--use-compress-program",
      "-F",
      "--info-script",
      "--new-volume-script",
    ],
  ],
  ["rg", ["--pre", "--hostname-bin"]],
  ["fd", ["-x", "-X", "--exec", "--exec-batch"]],
  ["fdfind", ["-x", "-X", "--exec", "--exec-batch"]],
  ["sort", ["--compress-program"]],
  ["split", ["--filter"]],
  ["rsync", ["-e", "--rsh", "--rsync-path"]],
  ["ssh", ["-o", "-F"]],
  ["scp", ["-o", "-F", "-S"]],
  ["zip", ["-TT", "--unzip-command"]],
  ["man", ["-P", "--pager", "-H"]],
  ["go", ["-exec", "-toolexec", "-vettool"]],
  ["cargo", ["--config"]],
  ["make", ["SHELL", "-f", "--eval", "--file"]],
  ["npm", ["--script-shell", "--node-options"]],
  ["wget", ["--use-askpass"]],
  ["pip", ["--editable"]],
]);

/** Builtins of the shell that change nothing outside of it. `cd` moves, and the paths after it move with it. */
export const BUILTINS: ReadonlySet<string> = new Set(
  "cd echo printf true false : test [ [[ pwd exit return sleep wait type shift break continue umask getopts read".split(
    " ",
  ),
);

/** Variables that programs read and that start nothing and lead nowhere. */
export function isHarmlessVariable(name: string): boolean {
  return (
    HARMLESS.has(name) ||
    /^(?:LC_|TEST_|VITEST_|JEST_|PYTEST_|RUST_)[A-Z0-9_]+$/.test(name) ||
    // A lower-case name is a variable of the line itself; those of programs are upper-case, and npm's are not.
    (/^[a-z][a-z0-9_]*$/.test(name) && !/^(?:npm_|pip_|git_|path$|env$|ifs$|home$)|proxy/.test(name))
  );
}
const HARMLESS: ReadonlySet<string> = new Set(
  "CI NODE_ENV NO_COLOR FORCE_COLOR CLICOLOR TERM TZ LANG LANGUAGE DEBUG PORT COLUMNS LINES RUST_BACKTRACE CARGO_TERM_COLOR PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONHASHSEED RAILS_ENV RACK_ENV APP_ENV GOOS GOARCH CGO_ENABLED NODE_NO_WARNINGS".split(
    " ",
  ),
);

/** The base name a program is known by: `/usr/bin/python3.11` is python. */
export function programName(word: string): string {
  const base = word.slice(word.lastIndexOf("/") + 1);
  return /^(python|pip|node|ruby|perl|php|lua)[\d.]*$/.exec(base.toLowerCase())?.[1] ?? base.toLowerCase();
}
