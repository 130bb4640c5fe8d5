import { type CommandLine, readCommandLine } from "./command-line.js";

/*
 * The purpose of a command line, as far as it can be read from it. It decides nothing about what may be run: it says
 * whether work may depend on something that was refused.
 */

export interface CommandPurpose {
  /** Nothing of it changes anything: it lists, prints, searches, fetches a page. */
  readonly looks: boolean;
  /** It tests, builds, lints, formats or type-checks. */
  readonly verifies: boolean;
  /** It only removes what tools make: caches, packages, the output of builds. */
  readonly cleans: boolean;
  /** It only moves commits and branches, and results are taken from the files alone. */
  readonly keepsHistory: boolean;
  /** Program and main argument of each command: `npm test`, `python pytest`. */
  readonly names: readonly string[];
  /** Paths it would write or remove, where the line names them. */
  readonly writes: readonly string[];
}

/** Contract: pure and total. */
export function purposeOf(line: string): CommandPurpose {
  const read = readCommandLine(line);
  const commands = read.commands.filter(({ harmless }) => !harmless);
  const all = (is: (command: Command) => boolean) => commands.length > 0 && commands.every(is);
  const writes = writesOf(read);
  const isUnread = read.undecidable.length + read.code.length > 0;
  return {
    looks: writes.length === 0 && !isUnread && all(isLook),
    verifies: commands.some(isVerification),
    cleans: writes.length > 0 && writes.every((path) => MADE_BY_TOOLS.test(path)) && all(isRemoval),
    keepsHistory: writes.length === 0 && commands.some(isHistory) && all((each) => isHistory(each) || isLook(each)),
    names: [...new Set(commands.map(nameOf))],
    writes,
  };
}

type Command = CommandLine["commands"][number];

function writesOf({ paths }: CommandLine): string[] {
  const written = paths.filter(({ path, access }) => access !== "read" && !/^\/(?:dev|tmp)\//.test(path));
  return [...new Set(written.map(({ path }) => path))];
}

/** Program and main argument: what two spellings of one purpose share. */
function nameOf({ name, args }: Command): string {
  const module = name === "python" ? args.indexOf("-m") : -1;
  if (module !== -1) return args[module + 1] ?? name;
  const operands = args.filter((arg) => !arg.startsWith("-"));
  const main = operands[0] === "run" ? operands[1] : operands[0];
  return SUBCOMMANDS.has(name) && main !== undefined ? `${name} ${main}` : name;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const SUBCOMMANDS = words(
  "npm pnpm yarn bun deno go cargo git make just task mvn gradle gradlew dotnet composer bundle rake uv poetry pip gem docker",
);

const LOOKERS = words(
  "ls cat head tail wc grep egrep fgrep rg ag find fd sort uniq cut tr diff cmp stat file which type whereis du df tree pwd date basename dirname realpath readlink sed awk jq yq env printenv ps uname id whoami hostname nl od xxd hexdump strings md5sum sha1sum sha256sum less more column comm curl wget nproc free uptime locale man test",
);
const GIT_LOOKS = words(
  "status diff log show blame ls-files rev-parse grep shortlog describe ls-tree cat-file rev-list name-rev reflog whatchanged merge-base for-each-ref show-ref count-objects help version",
);
const GIT_HISTORY = words("add commit push pull fetch tag branch remote config stash switch checkout init notes");

function isLook({ name, args }: Command): boolean {
  if (args.length > 0 && args.every((arg) => /^(?:--version|-v|-V|--help|-h|version|help)$/.test(arg))) return true;
  if (name === "git") return GIT_LOOKS.has(subcommand(args));
  if (name === "curl" || name === "wget") return !args.some((arg) => SENDS.test(arg));
  return LOOKERS.has(name);
}
const SENDS = /^(?:-d|--data|-F|--form|-T|--upload|-X|--request|--post|--method|--body)/;

const isRemoval = ({ name }: Command) => name === "rm" || name === "rmdir" || name === "find";
const MADE_BY_TOOLS =
  /(?:^|\/)(?:node_modules|dist|build|out|target|coverage|htmlcov|tmp|\.cache|\.venv|venv|\.tox|\.nox|\.?__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.next|\.turbo|\.coverage|[^/]*\.(?:pyc|o|log|tmp|tsbuildinfo|egg-info|orig|rej|bak))(?:\/|$)/;

const isHistory = ({ name, args }: Command) => name === "git" && GIT_HISTORY.has(subcommand(args));

function subcommand(args: readonly string[]): string {
  const at = args.findIndex((arg, i) => !arg.startsWith("-") && !/^-[cC]$/.test(args[i - 1] ?? ""));
  return at === -1 ? "help" : (args[at] as string);
}

const VERIFIERS = words(
  "pytest tox nox vitest jest mocha ava tap tape karma playwright cypress c8 nyc phpunit rspec ctest bats xo eslint oxlint oxfmt biome prettier standard stylelint ruff black isort flake8 mypy pyright pylint tsc vue-tsc golangci-lint staticcheck gofmt rustfmt rubocop clang-format clang-tidy cppcheck shellcheck hadolint make ninja cmake meson mvn mvnw gradle gradlew rake just gcc cc g++ clang javac rustc swc esbuild webpack rollup vite tsup coverage unittest doctest check pre-commit",
);
const PROJECT_SCRIPTS =
  /^(?:t|tst|test|tests|spec|check|checks|verify|validate|lint|format|fmt|build|compile|typecheck|types|tsc|coverage|ci|clippy|vet|bench|unit|e2e|integration)(?:[:_-].*)?$/;

function isVerification({ name, args }: Command): boolean {
  if (name === "node") return args.includes("--test") || args.some((arg) => /(?:^|[/._-])tests?[/._-]/.test(arg));
  if (name === "python") {
    const at = args.indexOf("-m");
    const what = at === -1 ? (args[0] ?? "") : (args[at + 1] ?? "");
    return VERIFIERS.has(what) || /^py_compile$|^compileall$|^build$/.test(what) || /(?:^|[/_])tests?[/_.]/.test(what);
  }
  if (VERIFIERS.has(name)) return true;
  return (
    args.filter((arg) => !arg.startsWith("-")).some((arg) => PROJECT_SCRIPTS.test(arg)) &&
    SUBCOMMANDS.has(name) &&
    name !== "git"
  );
}
