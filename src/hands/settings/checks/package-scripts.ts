import { readSimpleCommand, splitCommand } from "./split-command.js";
import { isFormatter, type Kind, kindOfCommand, kindOfName } from "./command-kind.js";

/*
 * Reads what a script of a package.json does. Many run several programs one after the other, and then one message of a linter
 * hides every test: such a script is taken apart, so that each part is a check of its own. Pure.
 */

export type Scripts = Readonly<Record<string, string>>;
export type Manager = "npm" | "pnpm" | "yarn" | "bun";

export interface Part {
  readonly kind: Kind | null;
  /** As it is typed at the root of the package. */
  readonly run: string;
  /** The program behind it, for a name of its own. */
  readonly program: string;
}

const DEEPEST = 5;

/** The checks in a script: itself when it does one thing, its parts when it mixes linters or types with something else. */
export function partsOf(name: string, scripts: Scripts, manager: Manager, depth = 0): Part[] {
  const body = scripts[name];
  const asScript = (kind: Kind | null, program: string): Part => ({ kind, run: `${manager} run ${name}`, program });
  if (body === undefined || depth > DEEPEST) return [];
  const segments = [`pre${name}`, name, `post${name}`].flatMap((each) => {
    const text = scripts[each];
    return text === undefined ? [] : (splitCommand(text) ?? [null]);
  });
  // Only a shell knows what it does, or a part depends on where another one went.
  if (segments.some((each) => each === null || /^cd\b/.test(each))) return [asScript(kindOfName(name), name)];
  const named = kindOfName(name);
  const parts = segments
    .flatMap((segment) => partsIn(segment ?? "", scripts, manager, depth))
    // A compiler is called for its messages where the name says so.
    .map((part) => (part.kind === "build" && named === "types" ? { ...part, kind: named } : part));
  const kinds = new Set(parts.map(({ kind }) => kind).filter((kind) => kind !== null));
  const [only] = kinds;
  if (kinds.size <= 1)
    return [
      asScript(only === undefined || only === "build" ? (named ?? only ?? null) : only, parts[0]?.program ?? name),
    ];
  const apart = parts.filter(({ kind }) => kind === "lint" || kind === "types");
  const rest = parts.filter((part) => !apart.includes(part));
  if (apart.length === 0) return [asScript(kinds.has("test") ? "test" : named, name)];
  return [...joinParts(rest, named), ...apart];
}

/** Keeps builds that tests need in front of them: a check has to work on its own. */
function joinParts(parts: readonly Part[], named: Kind | null): Part[] {
  if (parts.length === 0) return [];
  const kind = parts.some((part) => part.kind === "test") ? "test" : (parts.find((part) => part.kind)?.kind ?? named);
  const program = parts.find((part) => part.kind === kind)?.program ?? "";
  return [{ kind, run: parts.map(({ run }) => run).join(" && "), program }];
}

function partsIn(segment: string, scripts: Scripts, manager: Manager, depth: number): Part[] {
  const inner = listCalledScripts(segment, scripts);
  if (inner !== null) return inner.flatMap((each) => partsOf(each, scripts, manager, depth + 1));
  const { words } = readSimpleCommand(segment);
  return [{ kind: kindOfCommand(segment), run: atRoot(segment, manager), program: words[0] ?? "" }];
}

/** The scripts that a command of a package manager runs; null when it runs none of this package. */
export function listCalledScripts(command: string, scripts: Scripts): string[] | null {
  const { words } = readSimpleCommand(command);
  const [program, ...rest] = words.filter((word) => !/^(?:-s|--silent|--if-present|--run)$/.test(word));
  if (program === undefined) return null;
  if (/^(?:run-s|run-p|npm-run-all)$/.test(program)) {
    const named = rest.filter((word) => !word.startsWith("-"));
    return named.every((word) => Object.hasOwn(scripts, word)) ? named : null;
  }
  if (!/^(?:npm|pnpm|yarn|bun|node)$/.test(program)) return null;
  const [verb = "", next = "", ...more] = rest;
  const name = verb === "run" || verb === "run-script" ? next : verb === "t" || verb === "tst" ? "test" : verb;
  const left = verb === "run" || verb === "run-script" ? more : [next, ...more].filter((word) => word !== "");
  // Arguments that are handed on make another command of it; `--workspaces` runs scripts of other packages.
  if (left.length > 0 || !Object.hasOwn(scripts, name)) return null;
  if (program === "npm" && verb !== "run" && verb !== "run-script" && name !== "test") return null;
  return program === "node" || (program === "bun" && verb === "test") ? null : [name];
}

/** The commands that a command runs in the end: those of the scripts it calls. */
export function commandsIn(command: string, scripts: Scripts, depth = 0): string[] {
  return (splitCommand(command) ?? [command]).flatMap((segment) => {
    const inner = depth > DEEPEST ? null : listCalledScripts(segment, scripts);
    return inner === null ? [segment] : inner.flatMap((name) => commandsIn(scripts[name] ?? "", scripts, depth + 1));
  });
}

const OF_THE_SYSTEM =
  /^(?:node|npm|npx|pnpm|yarn|bun|bunx|deno|sh|bash|make|python3?|go|cargo|git|echo|test|true|rm|mkdir|cp|mv|touch|\.{0,2}\/.*)$/;

/** Scripts find the programs of packages by themselves; a shell at the root does not. */
export function atRoot(command: string, manager: Manager): string {
  const { variables, words } = readSimpleCommand(command);
  if (OF_THE_SYSTEM.test(words[0] ?? "")) return command;
  // npx would look for missing packages in the registry, for minutes where there is no network.
  const start = { npm: 'PATH="$PWD/node_modules/.bin:$PATH"', pnpm: "pnpm exec", yarn: "yarn run", bun: "bun run" }[
    manager
  ];
  return `${variables}${start} ${words.join(" ")}`;
}

export const isFormat = ({ run, program }: Part, scripts: Scripts) => {
  const [, name] = / run (\S+)$/.exec(run) ?? [];
  return isFormatter(name === undefined ? run : (scripts[name] ?? program)) || isFormatter(program);
};
