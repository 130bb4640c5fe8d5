import type { Check } from "../../../model/settings/check.js";
import { readSimpleCommand } from "./split-command.js";

/* Finds what a command checks, by the program it calls. Pure; null for an unknown program. */

export type Kind = Extract<Check["kind"], "test" | "lint" | "types" | "build">;

const PROGRAMS: Readonly<Record<Kind, string>> = {
  test: "vitest jest mocha ava tap tape jasmine karma uvu qunit wtr lab pytest py.test unittest nose2 trial ctest phpunit pest rspec cucumber bats minitest",
  lint:
    "eslint xo oxlint oxfmt biome prettier standard ts-standard semistandard stylelint dprint publint attw markdownlint " +
    "markdownlint-cli2 cspell codespell knip ruff flake8 pylint black isort pyupgrade golangci-lint staticcheck rubocop " +
    "standardrb phpcs php-cs-fixer pint ktlint gofmt shellcheck actionlint yamllint clang-format",
  types: "tsd tsgo vue-tsc svelte-check mypy pyright basedpyright pyre ty phpstan psalm flow",
  build:
    "rollup webpack esbuild tsup tsdown unbuild obuild microbundle babel swc cmake meson ninja del del-cli rimraf shx rm mkdir cp " +
    "cpy copyfiles next-build bili preconstruct",
};

const KIND_OF: ReadonlyMap<string, Kind> = new Map(
  Object.entries(PROGRAMS).flatMap(([kind, names]) => names.split(" ").map((name) => [name, kind as Kind] as const)),
);

/** Programs with commands of their own, by the first word after them. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  go: { test: "test", vet: "lint", build: "build" },
  cargo: { test: "test", nextest: "test", clippy: "lint", fmt: "lint", check: "build", build: "build" },
  deno: { test: "test", lint: "lint", check: "types", fmt: "lint" },
  bun: { test: "test" },
  dotnet: { test: "test", build: "build" },
  vite: { build: "build" },
  next: { build: "build", lint: "lint" },
  parcel: { build: "build" },
  "react-scripts": { test: "test", build: "build" },
  mix: { test: "test", compile: "build" },
  swift: { test: "test", build: "build" },
};

/** Programs that only start the command that matters. */
const WRAPPERS = new Set(["npx", "bunx", "cross-env", "nyc", "c8", "sudo", "time", "xvfb-run", "dotenv", "env"]);
const RUNNERS: readonly (readonly string[])[] = [
  ["uv", "run"],
  ["poetry", "run"],
  ["pdm", "run"],
  ["pipenv", "run"],
  ["hatch", "run"],
  ["bundle", "exec"],
  ["npm", "exec"],
  ["pnpm", "exec"],
  ["pnpm", "dlx"],
  ["yarn", "exec"],
  ["yarn", "dlx"],
  ["coverage", "run", "-m"],
  ["python", "-m"],
  ["python3", "-m"],
];

/** The command without what only starts it. Options of a wrapper go with it, as far as they have no value of their own. */
export function withoutWrappers(command: string): string[] {
  let { words } = readSimpleCommand(command);
  for (;;) {
    const runner = RUNNERS.find((each) => each.every((word, i) => words[i] === word));
    const skipped = runner?.length ?? (WRAPPERS.has(words[0] ?? "") ? 1 : 0);
    if (skipped === 0) return [...words];
    let at = skipped;
    while (/^-|^\w+=/.test(words[at] ?? "")) at += VALUED.has(words[at] ?? "") ? 2 : 1;
    words = words.slice(at);
  }
}

const VALUED = new Set(["--group", "--with", "--extra", "--python", "-p", "--package", "--only-group", "--source"]);

export function kindOfCommand(command: string): Kind | null {
  const [first = "", ...rest] = withoutWrappers(command);
  const program = first.replace(/^.*node_modules\/\.bin\//, "").replace(/^(?:\.?\/)?vendor\/bin\//, "");
  // A program that mends what it finds proves nothing.
  if (rest.some((word) => /^--(?:fix|write|unsafe-fixes)$/.test(word))) return null;
  if (program === "node" || program === "tsx") return rest.some((word) => /^--test\b/.test(word)) ? "test" : null;
  if (program === "tsc") return rest.some((word) => /^--noEmit$/i.test(word)) ? "types" : "build";
  if (program === "prettier")
    return rest.some((word) => /^(?:--check|-c|--list-different|-l)$/.test(word)) ? "lint" : null;
  if (program === "oxfmt" || program === "black") return rest.includes("--check") ? "lint" : null;
  if (program === "ruff") return rest[0] === "check" || rest.includes("--check") ? "lint" : null;
  const word = rest.find((each) => !each.startsWith("-") && !each.startsWith("+")) ?? "";
  return COMMANDS[program]?.[word] ?? KIND_OF.get(program) ?? null;
}

/** Finds the kind of a script, a target or a task by its name alone. */
export function kindOfName(name: string): Kind | null {
  if (
    /^(?:unit|test|tests|spec|check-tests?)$|^tests?[:_-](?!watch|cov|coverage|types?$|lint$|ui$|debug|e2e|browser|fix)/.test(
      name,
    )
  )
    return "test";
  if (/(?:^|[:_-])(?:lint|eslint|format-?check|check-?format|check-?lint|style|standard)$/.test(name)) return "lint";
  if (/(?:^|[:_-])(?:types?|type-?check|check-?types?|tsc|mypy)(?:$|[:_-])/.test(name)) return "types";
  return /^(?:build|compile)$/.test(name) ? "build" : null;
}

/** Programs whose kind is lint, and that look at the form only. */
export function isFormatter(command: string): boolean {
  return /^(?:prettier|oxfmt|dprint|black|gofmt|clang-format)$/.test(withoutWrappers(command)[0] ?? "");
}
