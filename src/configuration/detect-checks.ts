import { parse } from "yaml";
import type { Check } from "../model/check.js";
import { type DetectedCheck, manifestOf, type ProjectFiles, told } from "./detected-check.js";
import { fromBuildFiles, fromMakefile, fromShell, testFile } from "./detect-by-tool.js";

export type { DetectedCheck, ProjectFiles } from "./detected-check.js";

/* The checks a project already has, told from its manifests. Nothing is run to find them, and nothing is guessed. */

export async function detectChecks(files: ProjectFiles): Promise<DetectedCheck[]> {
  const { read } = files;
  const found = [
    ...(await fromPackages(files)),
    ...(await fromPython(files)),
    ...((await read("go.mod")) === null
      ? []
      : [
          told("test", "test", "go test -json ./...", "go.mod"),
          told("vet", "lint", "go vet ./...", "go.mod"),
          told("build", "build", "go build ./...", "go.mod"),
        ]),
    ...((await read("Cargo.toml")) === null
      ? []
      : [
          told("test", "test", "cargo test --offline --no-fail-fast", "Cargo.toml"),
          told("build", "build", "cargo build --offline", "Cargo.toml"),
        ]),
    ...(await fromBuildFiles(files)),
  ];
  if (found.length > 0) return unique(found);
  const made = await fromMakefile(files);
  return made.length > 0 ? made : fromShell(files);
}

const SCRIPTS: readonly (readonly [name: string, kind: Check["kind"], scripts: readonly string[]])[] = [
  ["test", "test", ["test", "test:unit"]],
  ["lint", "lint", ["lint", "eslint"]],
  ["types", "types", ["types", "typecheck", "type-check", "tsc", "check-types"]],
  ["build", "build", ["build"]],
];

/** The scripts of the root; one it does not have is run in every package of the repository that has it. */
async function fromPackages(files: ProjectFiles): Promise<DetectedCheck[]> {
  const manifest = manifestOf<Manifest>(await files.read("package.json"));
  if (manifest === null) return [];
  const manager = await packageManager(files);
  const packages = await packagesOf(files, manifest);
  const found = SCRIPTS.flatMap(([name, kind, candidates]): DetectedCheck[] => {
    const own = candidates.find((script) => hasScript(manifest, script));
    if (own !== undefined) return [told(name, kind, `${manager} run ${own}`, `package.json scripts.${own}`)];
    const inside = candidates.find((script) => packages.some((each) => hasScript(each, script)));
    const everywhere = IN_ALL_PACKAGES[manager];
    if (inside === undefined || everywhere === undefined) return [];
    return [told(name, kind, everywhere(inside), `scripts.${inside} of the packages in this repository`)];
  });
  // Bun brings a runner of its own, for which nobody has to write a script.
  const bun = manager === "bun" && !found.some(({ check }) => check.kind === "test") ? await testFile(files) : null;
  return bun === null ? found : [told("test", "test", "bun test", bun), ...found];
}

/** A script in every package that has it; yarn and bun have no such command that passes over the others. */
const IN_ALL_PACKAGES: Readonly<Record<string, (script: string) => string>> = {
  npm: (script) => `npm run ${script} --workspaces --if-present`,
  pnpm: (script) => `pnpm --recursive --if-present run ${script}`,
};

interface Manifest {
  readonly scripts?: Readonly<Record<string, unknown>>;
  readonly workspaces?: unknown;
}

function hasScript({ scripts }: Manifest, name: string): boolean {
  if (typeof scripts !== "object" || scripts === null || !Object.hasOwn(scripts, name)) return false;
  const script = scripts[name];
  // What `npm init` puts there is no test.
  return typeof script === "string" && !/no test specified/.test(script);
}

const MOST_PACKAGES = 200;

async function packagesOf({ read, list }: ProjectFiles, { workspaces }: Manifest): Promise<Manifest[]> {
  const patterns = [...patternsIn(workspaces), ...pnpmPatterns(await read("pnpm-workspace.yaml"))];
  const folders = new Set<string>();
  for (const pattern of patterns) {
    // `packages/*` is what nearly everybody writes; a deeper pattern is looked at in its first folder.
    const [, parent, star] = /^(?:\.\/)?([^*]+?)\/?(\/\*.*)?$/.exec(pattern) ?? [];
    if (parent === undefined) continue;
    const names = star === undefined ? [""] : await list(parent);
    for (const name of names) folders.add(name === "" ? parent : `${parent}/${name}`);
  }
  const found: Manifest[] = [];
  for (const folder of [...folders].sort().slice(0, MOST_PACKAGES)) {
    const manifest = manifestOf<Manifest>(await read(`${folder}/package.json`));
    if (manifest !== null) found.push(manifest);
  }
  return found;
}

function patternsIn(workspaces: unknown): string[] {
  const listed = Array.isArray(workspaces)
    ? workspaces
    : ((workspaces as { packages?: unknown } | null)?.packages ?? []);
  return Array.isArray(listed) ? listed.filter((each) => typeof each === "string" && !each.startsWith("!")) : [];
}

function pnpmPatterns(text: string | null): string[] {
  const value: unknown = text === null ? null : parseYaml(text);
  return patternsIn((value as { packages?: unknown } | null)?.packages);
}

function parseYaml(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return null;
  }
}

async function packageManager({ list }: ProjectFiles): Promise<string> {
  const names = await list(".");
  if (names.includes("pnpm-lock.yaml")) return "pnpm";
  if (names.includes("yarn.lock")) return "yarn";
  return names.includes("bun.lock") || names.includes("bun.lockb") ? "bun" : "npm";
}

const PYTHON_SETTINGS = [
  "pyproject.toml",
  "setup.cfg",
  "setup.py",
  "pytest.ini",
  "tox.ini",
  "requirements.txt",
  "requirements-dev.txt",
  "dev-requirements.txt",
];

async function fromPython(files: ProjectFiles): Promise<DetectedCheck[]> {
  const texts = await Promise.all(PYTHON_SETTINGS.map(files.read));
  if (texts.every((text) => text === null)) return [];
  const all = texts.join("\n");
  const seen = (pattern: RegExp) => pattern.test(all);
  return [
    ...(await pythonTest(files, seen(/pytest/))),
    ...(seen(/\bruff\b/) ? [told("lint", "lint", "ruff check .", "ruff in the project's settings")] : []),
    ...(seen(/\bmypy\b/) ? [told("types", "types", "mypy .", "mypy in the project's settings")] : []),
  ];
}

async function pythonTest(files: ProjectFiles, settingsNamePytest: boolean): Promise<DetectedCheck[]> {
  const { folder, text } = await pythonTests(files);
  // A package below src/ is found only when it is installed, which it is not in a workspace.
  const where = await Promise.all((await files.list("src")).map((name) => files.read(`src/${name}/__init__.py`)));
  const python = where.some((found) => found !== null) ? "PYTHONPATH=src python3" : "python3";
  if (settingsNamePytest || /^\s*(?:import|from) pytest\b/m.test(text))
    return [told("test", "test", `${python} -m pytest -v`, "pytest in the project's settings or tests")];
  if (folder === null) return [];
  const top = (await files.read(`${folder}/__init__.py`)) === null ? "" : " -t .";
  return [told("test", "test", `${python} -m unittest discover -v -s ${folder}${top}`, `tests in ${folder}`)];
}

/** Where tests for `unittest` are, and what a few of them say. */
async function pythonTests({ list, read }: ProjectFiles): Promise<{ folder: string | null; text: string }> {
  for (const folder of ["tests", "test", "."]) {
    const names = (await list(folder)).filter((name) => /^test_\w+\.py$|_test\.py$/.test(name)).sort();
    const texts = await Promise.all(
      names.slice(0, 20).map((name) => read(folder === "." ? name : `${folder}/${name}`)),
    );
    if (names.length > 0) return { folder, text: texts.join("\n") };
  }
  return { folder: null, text: "" };
}

/** A repository of two languages has two tests; each check has a name of its own. */
function unique(found: readonly DetectedCheck[]): DetectedCheck[] {
  const names = new Set<string>();
  return found.map(({ check, because }) => {
    let { name } = check;
    for (let n = 2; names.has(name); n++) name = `${check.name}_${n}`;
    names.add(name);
    return { check: { ...check, name }, because };
  });
}
