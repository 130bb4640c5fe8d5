import { parse } from "yaml";
import { testFile } from "../detect-by-tool.js";
import { type DetectedCheck, manifestOf, type ProjectFiles, detectedCheck } from "../detected-check.js";
import type { CiCommand } from "./ci-commands.js";
import { type Kind, kindOfCommand } from "./command-kind.js";
import {
  atRoot,
  commandsIn,
  isFormat,
  type Manager,
  type Part,
  partsOf,
  type Scripts,
  listCalledScripts,
} from "./package-scripts.js";

/* Checks of a package of npm, pnpm, yarn or bun: the scripts its CI runs, then those with the usual names. */

const USUAL: readonly (readonly [kind: Kind, scripts: readonly string[]])[] = [
  ["build", ["build", "compile"]],
  ["test", ["test", "test:unit", "unit"]],
  ["types", ["types", "typecheck", "type-check", "tsc", "check-types", "test:types"]],
  ["lint", ["lint", "eslint"]],
];

export async function fromNode(files: ProjectFiles, ci: readonly CiCommand[]): Promise<DetectedCheck[]> {
  const manifest = manifestOf<Manifest>(await files.read("package.json"));
  if (manifest === null) return [];
  const manager = await packageManager(files);
  const scripts = scriptsIn(manifest);
  const found: Found[] = [...fromCi(ci, scripts, manager), ...fromUsual(scripts, manager)];
  const packages = await packagesOf(files, manifest);
  const everywhere = IN_ALL_PACKAGES[manager];
  const inside = USUAL.flatMap(([kind, names]): Found[] => {
    if (everywhere === undefined || found.some(({ part }) => part.kind === kind)) return [];
    const name = names.find((each) => packages.some((one) => Object.hasOwn(scriptsIn(one), each)));
    if (name === undefined) return [];
    const part = { kind, run: everywhere(name), program: "" };
    return [{ part, because: `scripts.${name} of the packages in this repository` }];
  });
  const checks = asChecks([...found, ...inside], scripts, manager);
  // Bun brings a runner of its own, for which nobody has to write a script.
  const bun = manager === "bun" && !checks.some(({ check }) => check.kind === "test") ? await testFile(files) : null;
  return bun === null ? checks : [detectedCheck("test", "test", "bun test", bun), ...checks];
}

interface Found {
  readonly part: Part;
  readonly because: string;
}

function fromCi(ci: readonly CiCommand[], scripts: Scripts, manager: Manager): Found[] {
  return ci.flatMap(({ run, because }): Found[] => {
    const names = listCalledScripts(run, scripts);
    if (names !== null)
      return names
        .map((name) => unwrapScript(name, scripts))
        .flatMap((name) => partsOf(name, scripts, manager).map((part) => ({ part, because: `${because}: ${run}` })));
    const direct = /^(?:npx|pnpm exec|pnpm|yarn exec|yarn|bunx)\s+(?!run\b|install\b|dlx\b|add\b)(\S.*)$/.exec(
      run,
    )?.[1];
    const kind = direct === undefined ? null : kindOfCommand(direct);
    // A package that is fetched for the occasion is not part of the project.
    if (kind === null || /@(?:latest|next|\d)/.test(run)) return [];
    const command = run.startsWith("npx ") ? atRoot((direct ?? "").replace(/^(?:--?\S+\s+)+/, ""), "npm") : run;
    return [{ part: { kind, run: command, program: direct?.split(" ")[0] ?? "" }, because: `${because}: ${run}` }];
  });
}

/** `nyc … npm test` proves what `npm test` proves, and prints less of it. */
function unwrapScript(name: string, scripts: Scripts): string {
  const [, inner] = /^(?:nyc|c8)\b.*\s(?:npm|pnpm|yarn)\s+(?:run\s+)?(\S+)$/.exec(scripts[name] ?? "") ?? [];
  return inner !== undefined && Object.hasOwn(scripts, inner) ? inner : name;
}

function fromUsual(scripts: Scripts, manager: Manager): Found[] {
  return USUAL.flatMap(([kind, names]) => {
    const name = names.find((each) => Object.hasOwn(scripts, each));
    if (name === undefined) return [];
    const parts = partsOf(name, scripts, manager);
    const because = `package.json scripts.${name}`;
    return parts.map((part) => ({ part: parts.length === 1 ? { ...part, kind } : part, because }));
  });
}

const NAMES: Readonly<Record<Kind, string>> = { test: "test", lint: "lint", types: "types", build: "build" };
const ORDER: readonly Kind[] = ["build", "test", "types", "lint"];
/** As many of one kind as a person would look at. */
const MOST_OF_A_KIND = 3;

/** Builds come first, as tests may run their output; equal commands once. */
function asChecks(found: readonly Found[], scripts: Scripts, manager: Manager): DetectedCheck[] {
  return ORDER.flatMap((kind) => {
    const seen = new Map<string, Found>();
    for (const each of found) {
      const { run, program } = each.part;
      // A program may be called twice, by the CI and by a script: the first way is enough.
      const again = [...seen.values()].some(
        ({ part }) => part.run === run || (part.program === program && program !== ""),
      );
      if (each.part.kind === kind && !again) seen.set(run, each);
    }
    const all = withoutContained([...seen.values()], scripts);
    const formats = all.filter(({ part }) => kind === "lint" && isFormat(part, scripts));
    // Where the CI says what is run, a script with a usual name that runs less of it adds nothing.
    const others = all.filter((each) => !formats.includes(each)).slice(0, MOST_OF_A_KIND);
    return [
      ...others.map(({ part, because }) => {
        const check = detectedCheck(NAMES[kind], kind, part.run, because);
        const instead = kind === "test" ? otherWays(part, scripts, manager, because) : [];
        return instead.length === 0 ? check : { ...check, instead };
      }),
      ...formats.slice(0, 1).map(({ part, because }) => detectedCheck("format", "lint", part.run, because)),
    ];
  });
}

/** Without what another one runs too: `check:types` beside `check`, which runs `check:types` and more. */
function withoutContained(found: readonly Found[], scripts: Scripts): Found[] {
  const runs = found.map(({ part }) => new Set(commandsIn(part.run, scripts)));
  const isIn = (own: ReadonlySet<string>, other: ReadonlySet<string>) =>
    own.size < other.size && [...own].every((command) => other.has(command));
  return found.filter((_, i) => !runs.some((other) => isIn(runs[i] ?? other, other)));
}

/** Tests may need what a build makes, or something that the script does around them. */
function otherWays({ run }: Part, scripts: Scripts, manager: Manager, because: string): DetectedCheck[] {
  const whole = `${manager} run test`;
  const build = `${manager} run build`;
  return [
    ...(Object.hasOwn(scripts, "build") && !run.includes(build) ? [`${build} && ${run}`] : []),
    ...(Object.hasOwn(scripts, "test") && run !== whole ? [whole] : []),
  ].map((each) => detectedCheck("test", "test", each, because));
}

/** A script in every package that has it; yarn and bun have no such command that passes over the others. */
const IN_ALL_PACKAGES: Readonly<Partial<Record<Manager, (script: string) => string>>> = {
  npm: (script) => `npm run ${script} --workspaces --if-present`,
  pnpm: (script) => `pnpm --recursive --if-present run ${script}`,
};

interface Manifest {
  readonly scripts?: Readonly<Record<string, unknown>>;
  readonly workspaces?: unknown;
}

function scriptsIn({ scripts }: Partial<Manifest>): Scripts {
  if (typeof scripts !== "object" || scripts === null) return {};
  // The script that `npm init` writes is not a test.
  const own = Object.entries(scripts).filter(([, text]) => typeof text === "string" && !/no test specified/.test(text));
  return Object.fromEntries(own) as Scripts;
}

const MOST_PACKAGES = 200;

/** Folders of the packages that belong to the root's workspace. */
export async function workspaceFolders(files: ProjectFiles): Promise<string[]> {
  const manifest = manifestOf<Manifest>(await files.read("package.json"));
  return manifest === null ? [] : foldersOf(files, manifest);
}

async function packagesOf(files: ProjectFiles, manifest: Manifest): Promise<Partial<Manifest>[]> {
  const found: Partial<Manifest>[] = [];
  for (const folder of (await foldersOf(files, manifest)).slice(0, MOST_PACKAGES)) {
    const own = manifestOf<Manifest>(await files.read(`${folder}/package.json`));
    if (own !== null) found.push(own);
  }
  return found;
}

async function foldersOf({ read, list }: ProjectFiles, { workspaces }: Manifest): Promise<string[]> {
  const patterns = [...patternsIn(workspaces), ...pnpmPatterns(await read("pnpm-workspace.yaml"))];
  const folders = new Set<string>();
  for (const pattern of patterns) {
    // `packages/*` is what nearly everybody writes; a deeper pattern is looked at in its first folder.
    const [, parent, star] = /^(?:\.\/)?([^*]+?)\/?(\/\*.*)?$/.exec(pattern) ?? [];
    if (parent === undefined) continue;
    const names = star === undefined ? [""] : await list(parent);
    for (const name of names) folders.add(name === "" ? parent : `${parent}/${name}`);
  }
  return [...folders].sort();
}

function patternsIn(workspaces: unknown): string[] {
  const listed = Array.isArray(workspaces)
    ? workspaces
    : ((workspaces as { packages?: unknown } | null)?.packages ?? []);
  return Array.isArray(listed) ? listed.filter((each) => typeof each === "string" && !each.startsWith("!")) : [];
}

function pnpmPatterns(text: string | null): string[] {
  try {
    const value: unknown = text === null ? null : parse(text);
    return patternsIn((value as { packages?: unknown } | null)?.packages);
  } catch {
    return [];
  }
}

async function packageManager({ list }: ProjectFiles): Promise<Manager> {
  const names = await list(".");
  if (names.includes("pnpm-lock.yaml")) return "pnpm";
  if (names.includes("yarn.lock")) return "yarn";
  return names.includes("bun.lock") || names.includes("bun.lockb") ? "bun" : "npm";
}
