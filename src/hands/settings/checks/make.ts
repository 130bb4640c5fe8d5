import { parse } from "yaml";
import { type DetectedCheck, type ProjectFiles, detectedCheck } from "../detected-check.js";
import type { CiCommand } from "./ci-commands.js";
import { type Kind, kindOfName } from "./command-kind.js";

/* Targets of a Makefile, recipes of a justfile, tasks of a Taskfile: those the CI calls, then those with usual names. */

const USUAL: readonly (readonly [name: string, kind: Kind, targets: readonly string[]])[] = [
  ["build", "build", ["build"]],
  // Where the tests are called `check`, that is their name by an old custom.
  ["test", "test", ["test", "tests", "check"]],
  ["types", "types", ["types", "typecheck"]],
  ["lint", "lint", ["lint"]],
];

export async function fromMake({ read }: ProjectFiles, ci: readonly CiCommand[]): Promise<DetectedCheck[]> {
  for (const file of ["GNUmakefile", "makefile", "Makefile"]) {
    const text = await read(file);
    if (text === null) continue;
    const rules = rulesOf(text);
    const found = checksOfTargets(
      rules.map(({ name }) => name),
      "make",
      `${file} target`,
      ci,
    );
    const first = rules[0];
    const isBuilt = found.some(({ check }) => check.kind === "build");
    if (isBuilt || first === undefined || !builds(first.name, rules)) return found;
    return [detectedCheck("build", "build", "make", `${file} target ${first.name}, its first`), ...found];
  }
  return [];
}

interface Rule {
  readonly name: string;
  readonly needs: readonly string[];
  readonly recipe: string;
}

/** The rules of a Makefile in their order, without patterns, special targets and variables. */
function rulesOf(text: string): Rule[] {
  const found: { name: string; needs: string[]; recipe: string }[] = [];
  let current: typeof found = [];
  for (const line of text.replaceAll(/\\\n/g, " ").split("\n")) {
    if (line.startsWith("\t")) {
      for (const rule of current) rule.recipe += `${line.trim()}\n`;
      continue;
    }
    const [, heads, needs = ""] = /^([A-Za-z0-9_$(][^:=#]*?)\s*::?(?![:=])\s*([^=#]*)(?:#.*)?$/.exec(line) ?? [];
    if (heads === undefined) {
      if (line.trim() !== "") current = [];
      continue;
    }
    current = heads
      .split(/\s+/)
      .map((name) => ({ name, needs: needs.split(/\s+/).filter((n) => n !== ""), recipe: "" }));
    found.push(...current);
  }
  return found;
}

const COMPILES =
  /\$[({]?(?:CC|CXX|LD|AR)\b|(?:^|[\s@])(?:gcc|g\+\+|clang\+*|cc|c\+\+|rustc|javac|ghc|ocamlc|nasm|zig)\s/m;

/** Whether a target, or what it needs, compiles something. A file without a recipe of its own is made by a rule of make. */
function builds(name: string, rules: readonly Rule[], seen = new Set<string>()): boolean {
  if (seen.has(name)) return false;
  seen.add(name);
  if (name.endsWith(".o")) return true;
  return rules
    .filter((rule) => rule.name === name)
    .some(({ needs, recipe }) => COMPILES.test(recipe) || needs.some((each) => builds(each, rules, seen)));
}

export async function fromTaskRunners(
  { read, list }: ProjectFiles,
  ci: readonly CiCommand[],
): Promise<DetectedCheck[]> {
  const names = await list(".");
  const just = names.find((name) => /^\.?justfile$/i.test(name));
  if (just !== undefined) {
    const recipes = [...((await read(just)) ?? "").matchAll(/^@?([A-Za-z][\w-]*)[^:=\n]*:(?!=)/gm)].map(
      ([, name = ""]) => name,
    );
    return checksOfTargets(recipes, "just", `${just} recipe`, ci);
  }
  const task = names.find((name) => /^taskfile\.ya?ml$/i.test(name));
  return task === undefined ? [] : checksOfTargets(tasksIn(await read(task)), "task", `${task} task`, ci);
}

function tasksIn(text: string | null): string[] {
  try {
    const value = (text === null ? {} : parse(text)) as { tasks?: object } | null;
    return Object.keys(value?.tasks ?? {});
  } catch {
    return [];
  }
}

/** Chooses targets: those that the CI calls come first; a usual name is used for each kind it does not call. */
function checksOfTargets(
  all: readonly string[],
  program: string,
  where: string,
  ci: readonly CiCommand[],
): DetectedCheck[] {
  const called = ci.flatMap(({ run, because }) => {
    const [head, target = "", ...more] = run.split(/\s+/);
    const kind =
      head === program && more.length === 0 && all.includes(target)
        ? (kindOfName(target) ?? (target === "check" ? "test" : null))
        : null;
    return kind === null ? [] : [detectedCheck(kind, kind, `${program} ${target}`, `${because}: ${run}`)];
  });
  const kinds = new Set(called.map(({ check }) => check.kind));
  const usual = USUAL.flatMap(([name, kind, targets]) => {
    const own = kinds.has(kind) ? undefined : targets.find((each) => all.includes(each));
    return own === undefined ? [] : [detectedCheck(name, kind, `${program} ${own}`, `${where} ${own}`)];
  });
  const order = USUAL.map(([, kind]) => kind as string);
  return [...called, ...usual].sort((a, b) => order.indexOf(a.check.kind) - order.indexOf(b.check.kind));
}
